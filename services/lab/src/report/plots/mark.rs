//! Marks of points: a shape for each subject, so that no colour has to be seen.

use plotters::prelude::*;

use super::svg::{Area, Drawn, area};

/// Draws a subject's mark at a pixel.
pub(super) fn draw(on: &Area, slot: u8, at: (i32, i32)) -> Drawn {
    let fill = area(slot).filled();
    if slot == 0 {
        return on.draw(&Circle::new(at, 4, fill));
    }
    let corners = corners(slot).iter();
    let points: Vec<(i32, i32)> = corners.map(|(x, y)| (at.0 + x, at.1 + y)).collect();
    on.draw(&Polygon::new(points, fill))
}

/// The corners of a subject's mark around its middle; none for the circle of the first.
pub(crate) const fn corners(slot: u8) -> &'static [(i32, i32)] {
    match slot {
        0 => &[],
        1 => &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
        2 => &[(0, -5), (5, 4), (-5, 4)],
        3 => &[(0, -6), (6, 0), (0, 6), (-6, 0)],
        4 => &[(0, 5), (5, -4), (-5, -4)],
        _ => &[(-2, -5), (2, -5), (2, 5), (-2, 5)],
    }
}
