//! What the talk reported, what was measured here, and whether they agree.

use crate::claims::{Outcome, Verdict, verdicts};
use crate::report::figures::{ratio, short, whole};
use crate::report::markup::{Table, badge, escape, section};
use crate::report::view::{Asked, View};

/// The section.
pub(crate) fn html(view: &View) -> String {
    let rows = verdicts(view.results)
        .iter()
        .map(|verdict| ("first", cells(verdict)))
        .collect();
    let table = Table {
        label: "The claims of the talk",
        heads: &[
            "Claim",
            "#The talk, requests/s",
            "#Times",
            "#Here, answers/s",
            "#Times",
            "Verdict, and why",
        ],
        rows,
        explanation: "The talk moved services in Python from blocking to async and reported these rates, before \u{2192} after. What is \
                      compared is the ratio, at the most connections that both were measured with, by rules that were \
                      fixed before anything was measured: the rates themselves belong to its machines and its \
                      language.",
    };
    section("claims", "Against the talk", &table.stacked())
}

fn cells(verdict: &Verdict) -> Vec<String> {
    let claim = &verdict.claim;
    let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), short);
    let kind = match verdict.outcome {
        Outcome::Reproduced => "good",
        Outcome::NotReproduced => "bad",
        Outcome::NotComparable(_) => "unsure",
    };
    let here = match &verdict.level {
        None => "not measured".to_owned(),
        Some(level) => format!(
            "{} \u{2192} {}<br>at {}",
            rate(verdict.before),
            rate(verdict.after),
            Asked::at(level)
        ),
    };
    vec![
        format!(
            "<strong>{}</strong><br><span class=\"words\">{}</span>",
            escape(claim.experiment),
            escape(claim.what)
        ),
        format!("{} \u{2192} {}", range(claim.before), range(claim.after)),
        format!("{:.1}", claim.ratio),
        here,
        verdict.ratio.as_ref().map_or_else(|| "–".to_owned(), ratio),
        format!(
            "{}<br><span class=\"words\">{}</span>",
            badge(kind, verdict.outcome.name()),
            escape(&verdict.sentence)
        ),
    ]
}

fn range((from, to): (u32, u32)) -> String {
    if from == to {
        whole(from.into())
    } else {
        format!("{}\u{2013}{}", whole(from.into()), whole(to.into()))
    }
}
