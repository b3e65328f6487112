//! Old results beside new ones.

use super::layout::Column::{self, Left, Right};
use super::layout::{left, line, number, ratio, wrap};
use super::{legend, marks};
use crate::compare::{Comparison, Decision, Outcome, Row};
use crate::results::Level;
use crate::summary::SubjectSummary;
use crate::text;

/// The columns' widths: 99 with the spaces between them and before the first.
const COLUMNS: [Column; 7] = [
    Left(11),
    Right(16),
    Left(10),
    Right(RATE),
    Right(RATE),
    Right(22),
    Left(14),
];

/// The width of a rate with its marks.
const RATE: usize = 9;

/// The table of a comparison: a row a subject, what only one of the results has,
/// what else may explain a difference, and the decision.
#[must_use]
pub fn comparison(comparison: &Comparison) -> String {
    let mut table = String::new();
    if !comparison.rows.is_empty() {
        let header = ["", "connections @/s", "", "old/s", "new/s", "new / old", ""];
        table += &line(&COLUMNS, header);
    }
    for found in &comparison.rows {
        table += &row(found);
    }
    for found in &comparison.rows {
        table += &reasons(found);
    }
    let subjects = comparison.rows.iter().flat_map(|row| [&row.old, &row.new]);
    table += &legend(subjects);
    table += &list("Only in the old results:", &comparison.only_old);
    table += &list("Only in the new results:", &comparison.only_new);
    table += &list("What else may explain a difference:", &comparison.caveats);
    if !table.is_empty() {
        table.push('\n');
    }
    table + &wrap(&decision(comparison), "", "  ")
}

fn row(row: &Row) -> String {
    let rate = |subject: &SubjectSummary| {
        let median = subject.rate.map(|rate| rate.median);
        number(median, RATE - 2) + &left(&marks(subject), 2)
    };
    let times = row.ratio.map_or_else(
        || "-".to_owned(),
        |found| ratio(found.value, found.interval),
    );
    let cells = [
        row.experiment.as_str(),
        &load(row.level),
        &row.subject,
        &rate(&row.old),
        &rate(&row.new),
        &times,
        row.outcome.name(),
    ];
    line(&COLUMNS, cells)
}

fn load(level: Level) -> String {
    let connections = text::whole(level.connections.into());
    level.rate.map_or_else(
        || connections.clone(),
        |rate| format!("{connections} @ {}/s", text::short(rate)),
    )
}

/// Why the new runs do not count, where some do not.
fn reasons(row: &Row) -> String {
    let mut text = String::new();
    let new = &row.new;
    if new.valid < new.total {
        let load = text::level(row.level);
        text += &wrap(
            &format!(
                "{}, {load}, {}: {} of {} new runs do not count:",
                row.experiment,
                row.subject,
                new.total - new.valid,
                new.total
            ),
            "  ",
            "    ",
        );
    }
    for reason in &new.reasons {
        text += &wrap(reason, "  - ", "    ");
    }
    text
}

fn list(title: &str, entries: &[String]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}\n");
    for entry in entries {
        text += &wrap(entry, "  - ", "    ");
    }
    text
}

fn decision(comparison: &Comparison) -> String {
    let (bound, rows) = (comparison.fail_below, comparison.rows.len());
    match comparison.decision() {
        Decision::Nothing(reason) => format!("Nothing was compared: {reason}."),
        Decision::Fail(bad) => format!(
            "Failed: {bad} of {rows} rows are below {bound} times the old rate with their whole \
             95 % interval, or have no valid run any more."
        ),
        Decision::Pass => {
            let is_unclear = |row: &&Row| row.outcome != Outcome::Holds;
            let unclear = match comparison.rows.iter().filter(is_unclear).count() {
                0 => String::new(),
                unclear => format!(" Rows that cannot tell: {unclear} of {rows}."),
            };
            format!("Passed: no row is below {bound} times the old rate beyond noise.{unclear}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use crate::fixture::{closed, experiment, failed, results, rounds};
    use crate::results::Results;
    use crate::table::layout::assert_narrow;

    fn ping(level: Level, rates: &[(f64, f64)]) -> Results {
        results(vec![experiment("ping", rounds(level, rates))])
    }

    fn table(old: &Results, new: &Results) -> String {
        let table = comparison(&compare(old, new, 0.95));
        assert_narrow(&table);
        table
    }

    #[test]
    fn rows_caveats_and_the_decision_are_shown() {
        let old = ping(
            closed(50),
            &[(99.0, 500.0), (100.0, 1000.0), (101.0, 1500.0)],
        );
        let mut new = ping(closed(50), &[(79.0, 500.0), (80.0, 900.0), (81.0, 1500.0)]);
        new.commit = Some("def".to_owned());
        new.experiments.push(experiment("book", Vec::new()));
        let expected = "
               connections @/s                old/s     new/s              new / old
  ping                      50 before         100      80.0   0.800 (0.779 to 0.821) SLOWER
  ping                      50 after        1,000~      900~   0.965 (0.276 to 3.38) unclear
  ~ noise: the quartiles are 20 % of the median apart, or more

Only in the new results:
  - book

What else may explain a difference:
  - commit: abc -> def

Failed: 1 of 2 rows are below 0.95 times the old rate with their whole 95 % interval, or have no
  valid run any more.
";
        let table = table(&old, &new);
        assert_eq!(format!("\n{table}"), expected, "\n{table}");
    }

    #[test]
    fn a_broken_service_has_its_reasons() {
        let old = ping(closed(50), &[(100.0, 200.0), (101.0, 201.0)]);
        let mut new = ping(closed(50), &[(100.0, 200.0), (101.0, 201.0)]);
        for run in new.experiments[0]
            .runs
            .iter_mut()
            .filter(|run| run.subject == "after")
        {
            *run = failed(
                "after",
                run.round,
                run.level,
                "there were no answers at all",
            );
        }
        let table = table(&old, &new);
        assert!(table.contains("BROKEN\n"), "{table}");
        assert!(
            table.contains("after: 2 of 2 new runs do not count:"),
            "{table}"
        );
        assert!(
            table.contains("  - there were no answers at all\n"),
            "{table}"
        );
        assert!(table.contains("Failed: 1 of 2 rows"), "{table}");
    }

    #[test]
    fn a_pass_says_how_many_rows_could_not_tell() {
        let results = ping(
            closed(50),
            &[(99.0, 500.0), (100.0, 1000.0), (101.0, 1500.0)],
        );
        let table = table(&results, &results);
        assert!(
            table.ends_with(
                "Passed: no row is below 0.95 times the old rate beyond noise. Rows that cannot \
                 tell: 1 of 2.\n"
            ),
            "{table}"
        );
    }

    #[test]
    fn nothing_to_compare_is_said() {
        let none = results(Vec::new());
        assert_eq!(
            table(&none, &none),
            "Nothing was compared: the two results have nothing in common.\n"
        );
    }

    #[test]
    fn the_largest_figures_fit() {
        let level = Level {
            connections: u32::MAX,
            rate: Some(1e12),
        };
        let old = ping(level, &[(1e-9, 1e12), (1e12, 1e11)]);
        let mut new = ping(level, &[(1e9, 1e12), (1e-12, 1e11)]);
        new.host.processor = "x".repeat(300);
        table(&old, &new);
    }
}
