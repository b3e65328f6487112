//! Lines over an axis, with bands around them.

use plotters::prelude::*;

use super::axis::Axis;
use super::frame::Frame;
use super::mark;
use super::svg::{self, Area, CEILING, Drawn, INK, LIMIT, Size, picture};
use crate::stats::Quartiles;

/// A value with its spread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Where.
    pub(crate) x: f64,
    /// The median, and the quartiles around it.
    pub(crate) y: Quartiles,
}

/// One subject's line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The subject's slot.
    pub(crate) slot: u8,
    /// Stretches without a gap; each ends where something is not known.
    pub(crate) stretches: Vec<Vec<Point>>,
}

/// A line that is no subject's.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// What the load tool can do.
    Ceiling(Vec<(f64, f64)>),
    /// What is asked for, all along.
    Limit(f64),
    /// Where there would be no difference, all along.
    Same(f64),
}

/// A plot of lines.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    /// Its name.
    pub(crate) title: String,
    /// What there is to see, for who cannot.
    pub(crate) description: String,
    /// The axis below.
    pub(crate) x: Axis,
    /// The axis on the left.
    pub(crate) y: Axis,
    /// The subjects.
    pub(crate) series: Vec<Line>,
    /// What else there is.
    pub(crate) rules: Vec<Rule>,
    /// Whether each value has a mark; a series by the second has too many.
    pub(crate) marks: bool,
}

impl Lines {
    /// Draws it.
    pub(crate) fn svg(&self, size: Size) -> String {
        picture(size, &self.title, &self.description, |area| {
            let frame = Frame::draw(area, size, &self.x, &self.y)?;
            for rule in &self.rules {
                self.rule(area, &frame, rule)?;
            }
            // All bands below all lines.
            for line in &self.series {
                for stretch in &line.stretches {
                    band(area, &frame, line.slot, stretch)?;
                }
            }
            for (place, line) in self.series.iter().enumerate() {
                let aside = self.aside(place);
                for stretch in &line.stretches {
                    self.stretch(area, &frame, line.slot, aside, stretch)?;
                }
            }
            Ok(())
        })
    }

    fn rule(&self, area: &Area, frame: &Frame, rule: &Rule) -> Drawn {
        match rule {
            Rule::Ceiling(points) => {
                let style = CEILING.stroke_width(2);
                let points: Vec<(i32, i32)> = points
                    .iter()
                    .filter(|(x, y)| !self.x.lacks(*x) && !self.y.lacks(*y))
                    .map(|(x, y)| frame.pixel(*x, *y))
                    .collect();
                match points.as_slice() {
                    [] => Ok(()),
                    // As wide as it is known, which is for one level only.
                    [(x, y)] => {
                        area.draw(&PathElement::new(vec![(x - 60, *y), (x + 60, *y)], style))
                    }
                    _ => area.draw(&PathElement::new(points, style)),
                }
            }
            Rule::Limit(value) => self.level(area, frame, *value, LIMIT.stroke_width(2)),
            Rule::Same(value) => self.level(area, frame, *value, INK.stroke_width(1)),
        }
    }

    fn level(&self, area: &Area, frame: &Frame, value: f64, style: ShapeStyle) -> Drawn {
        if self.y.lacks(value) {
            return Ok(());
        }
        let (left, right) = frame.span();
        let (_, y) = frame.pixel(0.0, value);
        area.draw(&PathElement::new(vec![(left, y), (right, y)], style))
    }

    /// Where there is but one value of each, they stand beside each other.
    fn aside(&self, place: usize) -> i32 {
        let single = |line: &Line| line.stretches.iter().map(Vec::len).sum::<usize>() <= 1;
        if !self.series.iter().all(single) {
            return 0;
        }
        let place = i32::try_from(place).unwrap_or(0);
        let others = i32::try_from(self.series.len()).unwrap_or(1) - 1;
        place * 36 - others * 18
    }

    fn stretch(&self, area: &Area, frame: &Frame, slot: u8, aside: i32, points: &[Point]) -> Drawn {
        let pixels: Vec<(i32, i32)> = points
            .iter()
            .map(|point| frame.pixel(point.x, point.y.median))
            .map(|(x, y)| (x + aside, y))
            .collect();
        if let [point] = points {
            whisker(area, frame, slot, aside, point)?;
        } else {
            area.draw(&PathElement::new(
                pixels.clone(),
                svg::line(slot).stroke_width(2),
            ))?;
        }
        if self.marks {
            pixels
                .into_iter()
                .try_for_each(|at| mark::draw(area, slot, at))?;
        }
        Ok(())
    }
}

/// From quartile to quartile.
fn band(area: &Area, frame: &Frame, slot: u8, points: &[Point]) -> Drawn {
    if points.len() < 2 || points.iter().all(|p| p.y.p25 >= p.y.p75) {
        return Ok(());
    }
    let above = points.iter().map(|p| frame.pixel(p.x, p.y.p75));
    let below = points.iter().rev().map(|p| frame.pixel(p.x, p.y.p25));
    let outline: Vec<(i32, i32)> = above.chain(below).collect();
    area.draw(&Polygon::new(outline, svg::area(slot).mix(0.22).filled()))
}

/// The quartiles of a single value.
pub(super) fn whisker(area: &Area, frame: &Frame, slot: u8, aside: i32, point: &Point) -> Drawn {
    if point.y.p25 >= point.y.p75 {
        return Ok(());
    }
    let style = svg::area(slot).stroke_width(2);
    let (x, low) = frame.pixel(point.x, point.y.p25);
    let (_, high) = frame.pixel(point.x, point.y.p75);
    let x = x + aside;
    area.draw(&PathElement::new(vec![(x, low), (x, high)], style))?;
    for y in [low, high] {
        area.draw(&PathElement::new(vec![(x - 5, y), (x + 5, y)], style))?;
    }
    Ok(())
}
