//! An experiment: each subject at each level.

use super::layout::Column::{self, Left, Right};
use super::layout::{left, line, number, range, ratio, wrap};
use super::{legend, marks};
use crate::results::{Experiment, Finding};
use crate::stats::{Quartiles, Ratio};
use crate::summary::{self, LevelSummary, RatioSummary, SubjectSummary};
use crate::text;

const EXPLANATION: &str =
    "Medians over the valid runs; p50 to max in milliseconds, CPU for each answer.";

/// Bytes in a MiB.
const MIB: f64 = 1_048_576.0;

/// The table of an experiment: a line a subject, a line a ratio, and why runs do
/// not count.
#[must_use]
pub fn experiment(experiment: &Experiment) -> String {
    let levels = summary::summarize(experiment);
    let processes = match experiment.processes {
        1 => "one process of each".to_owned(),
        n => format!("{n} processes of each"),
    };
    let title = format!("{}: {}, {processes}", experiment.name, experiment.path);
    let mut table = wrap(&title, "", "  ");
    table += &wrap(&experiment.question, "  ", "  ");
    table += &wrap(EXPLANATION, "  ", "  ");
    if levels.is_empty() {
        table += "  nothing was measured\n";
    }
    for level in &levels {
        table.push('\n');
        table += &at_level(level);
    }
    for finding in &experiment.findings {
        table += &found(finding);
    }
    let marks = legend(levels.iter().flat_map(|level| &level.subjects));
    if !marks.is_empty() {
        table.push('\n');
        table += &marks;
    }
    table
}

fn at_level(summary: &LevelSummary) -> String {
    let ceiling = summary.ceiling.map_or_else(
        || "what the load tool can reach was not measured".to_owned(),
        |rate| format!("the load tool reaches {} a second", text::short(rate)),
    );
    let mut table = wrap(
        &format!("{} ({ceiling})", text::level(summary.level)),
        "",
        "  ",
    );
    table += &line(&COLUMNS, HEADER);
    for subject in &summary.subjects {
        table += &row(subject);
    }
    for ratio in &summary.ratios {
        table += &against(ratio);
    }
    for subject in &summary.subjects {
        table += &reasons(subject);
    }
    table
}

/// The columns: 98 with the spaces between them and before the first.
const COLUMNS: [Column; 12] = [
    Left(10),
    Left(RATE),
    Right(QUARTILES),
    Right(FIGURE),
    Right(FIGURE),
    Right(FIGURE),
    Right(FIGURE),
    Right(FIGURE),
    Right(FIGURE),
    Right(MEMORY),
    Right(5),
    Right(5),
];

/// The width of a rate with its marks.
const RATE: usize = 9;
const QUARTILES: usize = 15;
/// The width of a latency, and of the processor time.
const FIGURE: usize = 6;
const MEMORY: usize = 5;

const HEADER: [&str; 12] = [
    "",
    "answers/s",
    "quartiles",
    "p50",
    "p90",
    "p99",
    "p99.9",
    "max",
    "CPU us",
    "MiB",
    "thr.",
    "valid",
];

fn row(subject: &SubjectSummary) -> String {
    let median = |figure: Option<Quartiles>| figure.map(|figure| figure.median);
    let figure = |figure| number(median(figure), FIGURE);
    let bytes = median(subject.resident).map(|bytes| bytes / MIB);
    let threads = median(subject.threads).map_or_else(|| "-".to_owned(), text::grouped);
    let sides = subject.rate.map(|rate| (rate.p25, rate.p75));
    // The marks have their place, so that figures stand under each other.
    let rate = number(median(subject.rate), RATE - 2) + &left(&marks(subject), 2);
    let cells = [
        subject.name.as_str(),
        &rate,
        &range(sides, QUARTILES),
        &figure(subject.p50),
        &figure(subject.p90),
        &figure(subject.p99),
        &figure(subject.p999),
        &figure(subject.max),
        &figure(subject.cpu_us),
        &number(bytes, MEMORY),
        &threads,
        &format!("{}/{}", subject.valid, subject.total),
    ];
    line(&COLUMNS, cells)
}

fn against(summary: &RatioSummary) -> String {
    let text = match summary.ratio {
        None => "no round has a valid run of both".to_owned(),
        Some(Ratio {
            value,
            interval: None,
            ..
        }) => format!(
            "{} times in a single round, without an interval",
            text::short(value)
        ),
        Some(found) => {
            let remark = if found.says_nothing() {
                ": no difference is shown"
            } else {
                ""
            };
            let ratio = ratio(found.value, found.interval);
            format!(
                "{ratio} times, 95 % interval over {} rounds{remark}",
                found.pairs
            )
        }
    };
    wrap(
        &format!("{} / {}: {text}", summary.of, summary.by),
        "  ",
        "    ",
    )
}

fn reasons(subject: &SubjectSummary) -> String {
    let mut text = String::new();
    let invalid = subject.total - subject.valid;
    if invalid > 0 {
        let verb = if invalid == 1 { "does" } else { "do" };
        text += &wrap(
            &format!(
                "{invalid} of {} runs of {} {verb} not count:",
                subject.total, subject.name
            ),
            "  ",
            "    ",
        );
    }
    for reason in &subject.reasons {
        text += &wrap(reason, "  - ", "    ");
    }
    text
}

fn found(finding: &Finding) -> String {
    let text = match finding.highest {
        None => "no level held".to_owned(),
        Some(level) => {
            let rate = finding.rate.map_or_else(String::new, |rate| {
                format!(", {} answers a second", text::short(rate))
            });
            let bound = if finding.bounded {
                "; the search ended at its bound, so it may be more"
            } else {
                ""
            };
            format!("{}{rate}{bound}", text::level(level))
        }
    };
    wrap(
        &format!("{}, {}: {text}", finding.subject, finding.what),
        "  ",
        "    ",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{closed, failed, rounds, run};
    use crate::results::Level;
    use crate::table::layout::assert_narrow;

    fn table(runs: Vec<crate::results::Run>) -> String {
        let table = experiment(&crate::fixture::experiment("ping", runs));
        assert_narrow(&table);
        table
    }

    #[test]
    fn a_table_has_figures_ratios_and_counts() {
        let rates = [
            (12_300.0, 24_600.0),
            (12_345.0, 24_700.0),
            (12_400.0, 24_790.0),
        ];
        let table = table(rounds(closed(50), &rates));
        let expected = "\
ping: /ping, one process of each
  How many answers does the smallest request get?
  Medians over the valid runs; p50 to max in milliseconds, CPU for each answer.

50 connections (the load tool reaches 100,000,000 a second)
             answers/s       quartiles    p50    p90    p99  p99.9    max CPU us   MiB  thr. valid
  before      12,345     12,322-12,372   81.0   81.0   81.0   81.0   81.0    100  20.0    12   3/3
  after       24,700     24,650-24,745   40.5   40.5   40.5   40.5   40.5    100  20.0    12   3/3
  after / before: 2.00 (2.00 to 2.00) times, 95 % interval over 3 rounds
";
        assert_eq!(table, expected, "\n{table}");
    }

    #[test]
    fn a_failed_run_of_ten_is_counted_and_its_reason_shown() {
        let mut runs: Vec<_> = (0..9)
            .map(|n| run("before", n, closed(50), 100.0))
            .collect();
        runs.push(failed(
            "before",
            9,
            closed(50),
            "the subject died during the run",
        ));
        let table = table(runs);
        assert!(table.contains(" 9/10\n"), "{table}");
        assert!(
            table.contains("  1 of 10 runs of before does not count:\n"),
            "{table}"
        );
        assert!(
            table.contains("  - the subject died during the run\n"),
            "{table}"
        );
    }

    #[test]
    fn without_a_valid_run_no_figure_is_shown() {
        let table = table(vec![
            run("before", 0, closed(50), 100.0),
            failed("after", 0, closed(50), "there were no answers at all"),
        ]);
        let row = table
            .lines()
            .find(|line| line.starts_with("  after  "))
            .unwrap();
        assert!(!row.contains("1,000"), "{row}");
        assert!(row.ends_with("-   0/1"), "{row}");
        assert!(
            table.contains("no round has a valid run of both"),
            "{table}"
        );
    }

    #[test]
    fn noise_and_a_limited_tool_are_marked_and_explained() {
        let rates = [(50.0, 90.0), (100.0, 91.0), (150.0, 92.0)];
        let mut marked = crate::fixture::experiment("ping", rounds(closed(50), &rates));
        marked.ceilings[0].rate = 110.0;
        let table = experiment(&marked);
        assert_narrow(&table);
        assert!(table.contains("100~^"), "{table}");
        assert!(table.contains("91.0^ "), "{table}");
        assert!(table.contains("no difference is shown"), "{table}");
        assert!(table.contains("~ noise: the quartiles are 20 %"), "{table}");
        assert!(
            table.contains("^ limited by the load tool: above 80 %"),
            "{table}"
        );
    }

    #[test]
    fn the_largest_figures_and_the_longest_names_fit() {
        let level = Level {
            connections: u32::MAX,
            rate: Some(1e12),
        };
        let name = "a-service-with-quite-a-long-name".repeat(4);
        let mut runs = rounds(level, &[(1e12, 1e-12), (2e12, 1e12)]);
        runs.push(run(&name, 0, level, f64::MAX));
        runs.push(failed(&name, 1, level, &"too late ".repeat(40)));
        let mut wide = crate::fixture::experiment("ping", runs);
        wide.findings.push(Finding {
            subject: name,
            what: "the most connections with a p90 below 80 ms".to_owned(),
            highest: Some(level),
            rate: Some(1e12),
            bounded: true,
        });
        let table = experiment(&wide);
        assert_narrow(&table);
        assert!(table.contains("bound, so"), "{table}");
    }

    #[test]
    fn a_single_round_has_a_ratio_and_no_interval() {
        let table = table(rounds(closed(50), &[(100.0, 200.0)]));
        assert!(
            table.contains("2.00 times in a single round, without an interval\n"),
            "{table}"
        );
    }

    #[test]
    fn an_experiment_without_runs_says_so() {
        assert!(table(Vec::new()).contains("nothing was measured"));
    }
}
