//! Plots, drawn by plotters. What it has of charts places text by the size that
//! a font on the machine says it has, which a report read elsewhere cannot know;
//! so here it draws lines, areas and text, and [`frame`] says where.

mod axis;
mod bars;
mod frame;
mod lines;
mod mark;
mod svg;

pub(super) use self::axis::{Axis, Format};
pub(super) use self::bars::{Bar, Bars, Group};
pub(super) use self::lines::{Line, Lines, Point, Rule};
pub(super) use self::mark::corners;
pub(super) use self::svg::{DASHES, HALF, NARROW, SLOTS, THIRD, WIDE};
