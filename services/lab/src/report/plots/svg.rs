//! From a drawing of plotters to a picture that takes its colours from the page.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::report::markup::escape;

/// A picture is drawn for the width that it will have, so that its text keeps
/// its size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// In pixels.
    pub(crate) width: u32,
    /// In pixels.
    pub(crate) height: u32,
}

/// Over the whole page.
pub(crate) const WIDE: Size = Size::new(960, 380);
/// Over the whole of a narrow page.
pub(crate) const NARROW: Size = Size::new(370, 320);
/// Two beside each other, or one on a narrow page.
pub(crate) const HALF: Size = Size::new(420, 300);
/// Three beside each other.
pub(crate) const THIRD: Size = Size::new(330, 220);

impl Size {
    const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }
}

/// Text in pictures, in pixels. The style sheet says it too: `svg.plot text`.
pub(super) const TEXT: u32 = 13;

/// Where plotters draws.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// It draws into a string, which takes everything.
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

// plotters knows colours only by number. These stand for the variables of the
// style sheet, of which dark mode and print have their own values.
pub(super) const INK: RGBColor = RGBColor(0, 0, 1);
pub(super) const GRID: RGBColor = RGBColor(0, 0, 2);
pub(super) const CEILING: RGBColor = RGBColor(0, 0, 3);
pub(super) const LIMIT: RGBColor = RGBColor(0, 0, 4);

/// How many subjects can be told apart.
pub(crate) const SLOTS: u8 = 6;

/// What a subject's line looks like without its colour.
pub(crate) const DASHES: [&str; SLOTS as usize] =
    ["7 4", "none", "10 3 2 3", "2 3", "12 4", "5 2 1 2"];

/// The colour of a subject's areas and marks.
pub(super) const fn area(slot: u8) -> RGBColor {
    RGBColor(0, 1, slot)
}

/// The colour of its lines, which are dashed in its own manner.
pub(super) const fn line(slot: u8) -> RGBColor {
    RGBColor(0, 2, slot)
}

/// Draws a picture with a name and a description for those who cannot see it.
pub(super) fn picture(
    size: Size,
    title: &str,
    description: &str,
    draw: impl FnOnce(&Area) -> Drawn,
) -> String {
    let mut text = String::new();
    {
        let root =
            SVGBackend::with_string(&mut text, (size.width, size.height)).into_drawing_area();
        draw(&root)
            .and_then(|()| root.present())
            .expect("a string takes all that is written to it");
    }
    // plotters' own head has a fixed width, which no page should.
    let body = text.split_once('>').map_or("", |(_, body)| body);
    let mut body = body.replace('\n', "");
    for (colour, name) in [
        (INK, "ink"),
        (GRID, "grid"),
        (CEILING, "ceiling"),
        (LIMIT, "limit"),
    ] {
        body = body.replace(&number(colour), &format!("\"var(--{name})\""));
    }
    body = body.replace(
        "stroke=\"var(--ceiling)\"",
        "stroke=\"var(--ceiling)\" stroke-dasharray=\"3 4\"",
    );
    for slot in 0..SLOTS {
        let variable = format!("\"var(--s{slot})\"");
        body = body.replace(&number(area(slot)), &variable);
        let dash = DASHES[usize::from(slot)];
        body = body.replace(
            &number(line(slot)),
            &format!("{variable} stroke-dasharray=\"{dash}\""),
        );
    }
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\"><title>{}</title><desc>{}</desc>{body}",
        size.width,
        size.height,
        escape(title),
        escape(description),
    )
}

/// A colour as plotters writes it.
fn number(RGBColor(red, green, blue): RGBColor) -> String {
    format!("\"#{red:02X}{green:02X}{blue:02X}\"")
}

/// Text of the pictures' one size, at a point by its middle, start or end.
pub(super) fn text_style(
    horizontal: plotters::style::text_anchor::HPos,
    vertical: plotters::style::text_anchor::VPos,
) -> TextStyle<'static> {
    use plotters::style::text_anchor::Pos;
    // plotters writes sizes divided by 1.24.
    ("sans-serif", f64::from(TEXT) * 1.24)
        .into_font()
        .color(&INK)
        .pos(Pos::new(horizontal, vertical))
}

/// About how wide text gets, in pixels: figures are wider than most letters.
pub(super) fn width_of(text: &str) -> i32 {
    let letters = i32::try_from(text.chars().count()).unwrap_or(i32::MAX / 10);
    letters * 15 / 2
}
