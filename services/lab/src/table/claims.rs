//! The claims of the talk beside what was measured.

use super::layout::Column::{self, Left, Right};
use super::layout::{line, range, ratio, wrap};
use crate::claims::Verdict;
use crate::text;

/// The columns' widths: 96 with the spaces between them and before the first.
const COLUMNS: [Column; 6] = [
    Left(10),
    Right(20),
    Right(5),
    Right(HERE),
    Right(22),
    Left(14),
];

/// The width of what was measured.
const HERE: usize = 18;

/// The table of the claims: what the talk had, what was measured, and the
/// verdict, each with its sentence.
#[must_use]
pub fn claims(verdicts: &[Verdict]) -> String {
    let header = [
        "",
        "the talk, requests/s",
        "times",
        "here, answers/s",
        "times",
        "verdict",
    ];
    let mut table = line(&COLUMNS, header);
    for verdict in verdicts {
        table += &row(verdict);
    }
    for verdict in verdicts {
        table.push('\n');
        let text = format!("{}: {}", verdict.claim.experiment, verdict.sentence);
        table += &wrap(&text, "  ", "    ");
    }
    table
}

fn row(verdict: &Verdict) -> String {
    let claim = &verdict.claim;
    let talk = format!("{} to {}", claimed(claim.before), claimed(claim.after));
    let here = match (verdict.before, verdict.after) {
        (Some(before), Some(after)) => {
            let both = format!("{} to {}", text::short(before), text::short(after));
            if both.len() > HERE {
                range(Some((before, after)), HERE)
            } else {
                both
            }
        }
        _ => "-".to_owned(),
    };
    let times = verdict.ratio.map_or_else(
        || "-".to_owned(),
        |found| ratio(found.value, found.interval),
    );
    let cells = [
        claim.experiment,
        &talk,
        &format!("{:.1}", claim.ratio),
        &here,
        &times,
        verdict.outcome.name(),
    ];
    line(&COLUMNS, cells)
}

fn claimed((from, to): (u32, u32)) -> String {
    let from_text = text::whole(from.into());
    if from == to {
        from_text
    } else {
        format!("{from_text}-{}", text::whole(to.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::verdicts;
    use crate::fixture::{closed, experiment, results, rounds};
    use crate::table::layout::assert_narrow;

    #[test]
    fn each_claim_has_a_row_and_a_sentence() {
        let rates = [
            (12_300.0, 24_600.0),
            (12_345.0, 24_700.0),
            (12_400.0, 24_790.0),
        ];
        let ping = experiment("ping", rounds(closed(50), &rates));
        let table = claims(&verdicts(&results(vec![ping])));
        assert_narrow(&table);
        let rows: Vec<_> = table.lines().take(4).collect();
        assert_eq!(
            rows,
            [
                "             the talk, requests/s times    here, answers/s                  times verdict",
                "  ping               650 to 1,400   2.2   12,345 to 24,700    2.00 (2.00 to 2.00) not reproduced",
                "  book       200-300 to 800-1,000   3.6                  -                      - not comparable",
                "  production       1,300 to 7,000   5.4                  -                      - not comparable",
            ],
            "\n{table}"
        );
        assert!(
            table.contains("  ping: Not reproduced: the whole interval is below"),
            "{table}"
        );
    }

    #[test]
    fn the_largest_figures_fit() {
        for rates in [[(1e-9, 1e12), (1e9, 1e-9)], [(1e9, 1e10), (1.1e9, 1.2e10)]] {
            let ping = experiment("ping", rounds(closed(u32::MAX), &rates));
            assert_narrow(&claims(&verdicts(&results(vec![ping]))));
        }
    }
}
