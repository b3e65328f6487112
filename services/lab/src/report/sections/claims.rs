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
            "#Talk: before, req/s",
            "#Talk: after, req/s",
            "#Talk: times",
            "At",
            "#Here: before, req/s",
            "#Here: after, req/s",
            "#Here: times",
            "Verdict",
            "Why",
        ],
        rows,
        explanation: "The talk moved services in Python from blocking to async and reported these rates. What is \
                      compared is the ratio, at the most connections that both were measured with, by rules that were \
                      fixed before anything was measured: the rates themselves belong to its machines and its \
                      language.",
    };
    section("claims", "Against the talk", &table.html())
}

fn cells(verdict: &Verdict) -> Vec<String> {
    let claim = &verdict.claim;
    let rate = |rate: Option<f64>| rate.map_or_else(|| "–".to_owned(), short);
    let kind = match verdict.outcome {
        Outcome::Reproduced => "good",
        Outcome::NotReproduced => "bad",
        Outcome::NotComparable(_) => "unsure",
    };
    vec![
        format!("{}, {}", escape(claim.experiment), escape(claim.what)),
        range(claim.before),
        range(claim.after),
        format!("{:.1}", claim.ratio),
        verdict
            .level
            .as_ref()
            .map_or_else(|| "–".to_owned(), Asked::at),
        rate(verdict.before),
        rate(verdict.after),
        verdict.ratio.as_ref().map_or_else(|| "–".to_owned(), ratio),
        badge(kind, verdict.outcome.name()),
        format!("<span class=\"words\">{}</span>", escape(&verdict.sentence)),
    ]
}

fn range((from, to): (u32, u32)) -> String {
    if from == to {
        whole(from.into())
    } else {
        format!("{}\u{2013}{}", whole(from.into()), whole(to.into()))
    }
}
