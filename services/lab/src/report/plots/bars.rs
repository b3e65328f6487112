//! Bars in groups, one of each subject.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, Format};
use super::frame::Frame;
use super::svg::{self, Area, CEILING, Drawn, INK, Size, picture, text_style, width_of};
use crate::stats::Quartiles;

/// One bar.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// The subject's slot.
    pub(crate) slot: u8,
    /// How long it is.
    pub(crate) value: Quartiles,
    /// What stands on top of it, paler.
    pub(crate) more: Option<f64>,
}

/// The bars of one level.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The level.
    pub(crate) name: String,
    /// Its bars; a place stays free where a subject has no value.
    pub(crate) bars: Vec<Option<Bar>>,
}

/// A plot of bars.
#[derive(Clone, Debug)]
pub(crate) struct Bars {
    /// Its name.
    pub(crate) title: String,
    /// What there is to see, for who cannot.
    pub(crate) description: String,
    /// What the groups are.
    pub(crate) levels: String,
    /// What the length shows, with its unit.
    pub(crate) amount: String,
    /// How a length is written.
    pub(crate) format: Format,
    /// The groups.
    pub(crate) groups: Vec<Group>,
    /// What the load tool can do.
    pub(crate) ceiling: Option<f64>,
}

/// The most that a bar is wide, in pixels.
const WIDEST: i32 = 54;

impl Bars {
    /// Whether there is anything to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups
            .iter()
            .all(|group| group.bars.iter().all(Option::is_none))
    }

    /// Draws it.
    pub(crate) fn svg(&self, size: Size) -> String {
        let x = Axis::names(&self.levels, self.groups.iter().map(|g| g.name.as_str()));
        let bars = self.groups.iter().flat_map(|g| g.bars.iter().flatten());
        let lengths = bars.map(|b| (b.value.median + b.more.unwrap_or(0.0)).max(b.value.p75));
        let y = Axis::amount(&self.amount, lengths.chain(self.ceiling), self.format);
        picture(size, &self.title, &self.description, |area| {
            let frame = Frame::draw(area, size, &x, &y)?;
            let (left, right) = frame.span();
            if let Some(ceiling) = self.ceiling {
                let (_, y) = frame.pixel(0.0, ceiling);
                let style = CEILING.stroke_width(2);
                area.draw(&PathElement::new(vec![(left, y), (right, y)], style))?;
            }
            let groups = i32::try_from(self.groups.len()).unwrap_or(1).max(1);
            for (group, at) in self.groups.iter().zip(0_u32..) {
                let count = i32::try_from(group.bars.len()).unwrap_or(1).max(1);
                let width = ((right - left) * 3 / 4 / groups / count).clamp(3, WIDEST);
                let (middle, _) = frame.pixel(f64::from(at), 0.0);
                let mut from = middle - width * count / 2;
                for bar in &group.bars {
                    if let Some(bar) = bar {
                        self.bar(area, &frame, bar, (from, from + width - width / 8))?;
                    }
                    from += width;
                }
            }
            Ok(())
        })
    }

    fn bar(&self, area: &Area, frame: &Frame, bar: &Bar, (from, to): (i32, i32)) -> Drawn {
        let row = |value: f64| frame.pixel(0.0, value).1;
        let (ground, top) = (row(0.0), row(bar.value.median));
        let fill = svg::area(bar.slot);
        area.draw(&Rectangle::new([(from, top), (to, ground)], fill.filled()))?;
        let mut highest = top;
        if let Some(more) = bar.more {
            highest = row(bar.value.median + more);
            area.draw(&Rectangle::new(
                [(from, highest), (to, top)],
                fill.mix(0.35).filled(),
            ))?;
        }
        let middle = i32::midpoint(from, to);
        let (low, high) = (row(bar.value.p25), row(bar.value.p75));
        if low - high >= 2 {
            let ink = INK.stroke_width(1);
            let reach = ((to - from) / 4).min(5);
            area.draw(&PathElement::new(vec![(middle, low), (middle, high)], ink))?;
            for y in [low, high] {
                area.draw(&PathElement::new(
                    vec![(middle - reach, y), (middle + reach, y)],
                    ink,
                ))?;
            }
            highest = highest.min(high);
        }
        let written = (self.format)(bar.value.median);
        // With something on top, the length would be read as that of the whole.
        if bar.more.is_none() && width_of(&written) <= to - from + 6 {
            let style = text_style(HPos::Center, VPos::Bottom);
            area.draw(&Text::new(written, (middle, highest - 2), style))?;
        }
        Ok(())
    }
}
