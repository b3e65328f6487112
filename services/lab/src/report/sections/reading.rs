//! How to read the report, and where what it was made from is.

use crate::report::markup::section;
use crate::results::FILE;
use crate::summary::{LIMITED, NOISY};

/// How to read it.
pub(crate) fn how() -> String {
    let terms = [
        (
            "Median and quartiles",
            "Half of the runs were at most at the median; a quarter was at most at the lower quartile, three quarters \
             at most at the upper. Computed by type 7 of Hyndman and Fan (1996), as R and NumPy do by default. One odd \
             run moves them little, and the best run is never picked."
                .to_owned(),
        ),
        (
            "Ratio and its interval",
            "Subjects take turns, and the runs of one round are a pair: what slows the machine for a while slows both. \
             The ratio is the geometric mean of the pairs' ratios; its 95&nbsp;% interval is Student's t interval of \
             their logarithms. An interval that includes 1 shows no difference, and one pair alone has no interval."
                .to_owned(),
        ),
        (
            "Closed loop and constant rate",
            "In a closed loop (wrk) each connection asks again when it has its answer: it measures how much a service \
             can do, but a slow service is asked less, so its latency looks better than users would see it. At a \
             constant rate (oha) requests are due whatever the answers do, and latency counts from when they were due: \
             a pause is felt by all that it makes wait."
                .to_owned(),
        ),
        (
            "Why percentiles are not averaged",
            "A mean of p99 values is the p99 of nothing. A percentile here is that of one run, and over several runs \
             the median of theirs."
                .to_owned(),
        ),
        (
            "Noise",
            format!(
                "Rows with ~ have quartiles that are more than {:.0}&nbsp;% of the median apart. Repeat them on a quiet \
                 machine, with more or longer runs, before you believe them.",
                NOISY * 100.0
            ),
        ),
        (
            "Limited by the load tool",
            format!(
                "First the same load went to a server that does nothing. A service above {:.0}&nbsp;% of that rate may be \
                 able to do more: it was the tool that could not.",
                LIMITED * 100.0
            ),
        ),
        (
            "Runs that do not count",
            "More than 0.1&nbsp;% of answers that are not 2xx, a subject that died, an offered rate that was not \
             reached, or lost samples: such a run is shown with its reason and is in no figure. Fast errors look like \
             speed."
                .to_owned(),
        ),
    ];
    let mut body = "<dl class=\"terms\">\n".to_owned();
    for (term, meaning) in terms {
        body += &format!("<dt>{term}</dt>\n<dd>{meaning}</dd>\n");
    }
    body += "</dl>\n";
    section("reading", "How to read this", &body)
}

/// Where the rest is.
pub(crate) fn raw() -> String {
    section(
        "raw",
        "What this was made from",
        &format!(
            "<p>Beside this page lies <a href=\"./{FILE}\"><code>{FILE}</code></a>: every run, every setting, in a format \
             with a version and a schema. <code>lab report</code> makes this page from it again, and <code>lab \
             compare</code> compares it with another. Each run in the tables above links to what its load tool itself \
             put out, in the same folder.</p>\n"
        ),
    )
}
