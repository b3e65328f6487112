//! The frame that all plots share: axes, their names, a grid.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::Axis;
use super::svg::{Area, Drawn, GRID, INK, Size, TEXT, text_style, width_of};

/// Where values are, in pixels.
pub(super) struct Frame<'a> {
    x: &'a Axis,
    y: &'a Axis,
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl<'a> Frame<'a> {
    /// Draws it.
    pub(super) fn draw(
        area: &Area,
        size: Size,
        x: &'a Axis,
        y: &'a Axis,
    ) -> Result<Self, DrawingAreaErrorKind<std::io::Error>> {
        let (width, height) = (pixels(size.width), pixels(size.height));
        let line = pixels(TEXT);
        let widest = y.all().iter().map(|(_, name)| width_of(name)).max();
        let last = x.all().last().map_or(0, |(_, name)| width_of(name));
        let frame = Self {
            x,
            y,
            left: widest.unwrap_or(0) + 12,
            right: width - (last / 2).clamp(8, 24),
            top: line * 2 + 2,
            bottom: height - line * 3 - 6,
        };
        frame.axes(area)?;
        Ok(frame)
    }

    fn axes(&self, area: &Area) -> Drawn {
        let line = pixels(TEXT);
        let thin = GRID.stroke_width(1);
        let text = |horizontal| text_style(horizontal, VPos::Center);
        // Their number does not depend on the height: none is that low.
        for (place, name) in self.y.all() {
            let y = self.row(place);
            area.draw(&PathElement::new(
                vec![(self.left, y), (self.right, y)],
                thin,
            ))?;
            area.draw(&Text::new(
                name.to_owned(),
                (self.left - 7, y),
                text(HPos::Right),
            ))?;
        }
        let base = INK.mix(0.6).stroke_width(1);
        let bottom = self.bottom;
        area.draw(&PathElement::new(
            vec![(self.left, bottom), (self.right, bottom)],
            base,
        ))?;
        for (place, name) in self.x.named(self.right - self.left) {
            let x = self.column(place);
            area.draw(&PathElement::new(vec![(x, bottom), (x, bottom + 5)], base))?;
            let below = (x, bottom + 6 + line / 2 + 2);
            area.draw(&Text::new(name.to_owned(), below, text(HPos::Center)))?;
        }
        // Named at its top and not along its side: no head has to be turned.
        area.draw(&Text::new(
            self.y.label.clone(),
            (2, line / 2 + 2),
            text(HPos::Left),
        ))?;
        let middle = i32::midpoint(self.left, self.right);
        let below = (middle, bottom + line * 2 + 12);
        area.draw(&Text::new(self.x.label.clone(), below, text(HPos::Center)))
    }

    /// The pixel of a value.
    pub(super) fn pixel(&self, x: f64, y: f64) -> (i32, i32) {
        (self.column(self.x.place(x)), self.row(self.y.place(y)))
    }

    /// From the left to the right end of the plot.
    pub(super) fn span(&self) -> (i32, i32) {
        (self.left, self.right)
    }

    fn column(&self, place: f64) -> i32 {
        between(self.left, self.right, share(place, &self.x.range()))
    }

    fn row(&self, place: f64) -> i32 {
        between(self.bottom, self.top, share(place, &self.y.range()))
    }
}

fn share(place: f64, range: &std::ops::Range<f64>) -> f64 {
    (place - range.start) / (range.end - range.start)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "between two pixels of a picture"
)]
fn between(from: i32, to: i32, share: f64) -> i32 {
    from + (f64::from(to - from) * share.clamp(0.0, 1.0)).round() as i32
}

/// Sizes of pictures fit into any number.
pub(super) fn pixels(size: u32) -> i32 {
    i32::try_from(size).unwrap_or(i32::MAX)
}
