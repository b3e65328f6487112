//! The table of an experiment: all medians at all levels.

use crate::report::figures::{mebibytes, median, ratio, short, spread, whole};
use crate::report::markup::{Table, badge, escape};
use crate::report::view::Asked;
use crate::results::Level;
use crate::summary::{LIMITED, LevelSummary, NOISY, SubjectSummary};

/// The table with its sentence.
pub(crate) fn html(asked: &Asked) -> String {
    let mut rows = Vec::new();
    for level in &asked.levels {
        let mut class = "first";
        for subject in level.subjects.iter().filter(|s| s.total > 0) {
            rows.push((class, cells(asked, level, subject)));
            class = "";
        }
    }
    let explanation = format!(
        "Medians over the valid runs, with the lower and the upper quartile where they differ. <em>Against</em> is the \
         ratio of the rates of runs of the same round, with its 95&nbsp;% interval. <em>Runs</em> says how many count, \
         of how many. <b>~</b> marks rows whose quartiles are more than {}&nbsp;% of the median apart: noise. \
         <em>Limited by the load tool</em> marks rates above {}&nbsp;% of what the tool reached against a server that \
         does nothing.",
        short(NOISY * 100.0),
        short(LIMITED * 100.0)
    );
    let load = if asked.constant {
        "Offered"
    } else {
        "Connec\u{ad}tions"
    };
    Table {
        label: &format!("All numbers of {}", asked.experiment.name),
        heads: &[
            load,
            "Subject",
            "#Runs",
            "#Answers/s",
            "#Against the first",
            "#p50 ms",
            "#p90 ms",
            "#p99 ms",
            "#p99.9 ms",
            "#Slowest ms",
            "#CPU \u{b5}s/answer",
            "#Postgres \u{b5}s/answer",
            "#Memory MiB",
            "#Threads",
            "Marks",
        ],
        rows,
        explanation: &explanation,
    }
    .big()
}

fn cells(asked: &Asked, level: &LevelSummary, subject: &SubjectSummary) -> Vec<String> {
    let against = level.ratios.iter().find(|r| r.of == subject.name);
    let against = match against {
        None => String::new(),
        Some(of) => of.ratio.as_ref().map_or_else(|| "–".to_owned(), ratio),
    };
    vec![
        load(asked, &level.level),
        format!("<span class=\"name\">{}</span>", escape(&subject.name)),
        format!("{} of {}", subject.valid, subject.total),
        spread(subject.rate, short),
        against,
        median(subject.p50, short),
        median(subject.p90, short),
        median(subject.p99, short),
        median(subject.p999, short),
        median(subject.max, short),
        median(subject.cpu_us, short),
        median(subject.database_cpu_us, short),
        median(subject.resident, mebibytes),
        median(subject.threads, short),
        marks(subject),
    ]
}

/// A level, as short as its kind allows.
fn load(asked: &Asked, level: &Level) -> String {
    match level.rate {
        Some(rate) if asked.constant => format!("{}/s over {}", short(rate), level.connections),
        _ => whole(level.connections.into()),
    }
}

fn marks(subject: &SubjectSummary) -> String {
    let mut marks = Vec::new();
    if subject.valid == 0 {
        marks.push(badge("bad", "no valid run"));
    } else if subject.valid < subject.total {
        let lost = subject.total - subject.valid;
        marks.push(badge("bad", &format!("{lost} do not count")));
    }
    if subject.noisy {
        marks.push(badge("unsure", "~ noise"));
    }
    if subject.limited_by_tool {
        marks.push(badge("unsure", "limited by the load tool"));
    }
    marks.join(" ")
}
