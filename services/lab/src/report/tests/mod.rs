//! Tests of the whole page, on made-up results.

mod browser;
pub(crate) mod sample;

use std::fs;
use std::path::{Path, PathBuf};

use super::html;
use crate::results::{Experiment, FILE, Results, load, save};

/// The committed results.
fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/results")
}

/// Results in which only these experiments were made.
fn only(names: &[&str]) -> Results {
    let mut results = sample::results();
    results
        .experiments
        .retain(|e| names.contains(&e.name.as_str()));
    results
}

fn experiment<'a>(results: &'a mut Results, name: &str) -> &'a mut Experiment {
    results
        .experiments
        .iter_mut()
        .find(|e| e.name == name)
        .unwrap()
}

/// Every value of an attribute.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    html.split(&start)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn the_committed_results_are_the_samples() {
    let folder = fixture();
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(&folder).unwrap();
        save(&sample::results(), &folder).unwrap();
    }
    // As text: that they can be read is tested elsewhere.
    let committed = fs::read_to_string(folder.join(FILE)).expect("BLESS=1 writes it");
    let sample = serde_json::to_string_pretty(&sample::results()).unwrap();
    assert!(committed.trim_end() == sample, "BLESS=1 writes it anew");
    load(&folder).unwrap();
}

#[test]
fn the_page_is_whole_in_itself() {
    let html = html(&sample::results());
    assert!(!html.contains("<script"));
    for address in attributes(&html, "href")
        .iter()
        .chain(&attributes(&html, "src"))
    {
        let own = address.starts_with('#') || address.starts_with("./") || *address == "data:,";
        assert!(own, "{address}");
    }
    for outside in ["@import", "url(", "javascript:"] {
        assert!(!html.contains(outside), "{outside}");
    }
}

#[test]
fn every_link_within_the_page_leads_somewhere() {
    let html = html(&sample::results());
    let ids = attributes(&html, "id");
    let links: Vec<&str> = attributes(&html, "href")
        .into_iter()
        .filter_map(|a| a.strip_prefix('#'))
        .collect();
    assert!(links.len() > 10);
    assert!(
        links.iter().all(|link| ids.contains(link)),
        "{links:?} {ids:?}"
    );
}

#[test]
fn every_plot_has_a_name_and_a_description_and_no_colour_of_its_own() {
    let html = html(&sample::results());
    let plots: Vec<&str> = html.split("<svg class=\"plot\"").skip(1).collect();
    assert!(plots.len() > 20, "{}", plots.len());
    for plot in plots {
        let plot = plot.split("</svg>").next().unwrap();
        assert!(
            plot.contains("role=\"img\"><title>") && plot.contains("<desc>"),
            "{plot}"
        );
        assert!(!plot.contains("=\"#"), "{plot}");
        assert!(!plot.contains("NaN"), "{plot}");
    }
}

#[test]
fn every_figure_and_every_table_is_explained() {
    let html = html(&sample::results());
    for figure in html.split("<figure>").skip(1) {
        let caption = figure.split("<figcaption>").nth(1).unwrap();
        assert!(caption.split("</figcaption>").next().unwrap().len() > 30);
    }
    for before in html.split("<div class=\"scroll").take(5) {
        assert!(before.contains("<p class=\"about\">"));
    }
}

#[test]
fn a_name_with_markup_stays_text() {
    let evil = "<img src=x onerror=\"alert('&')\">";
    let mut results = only(&["ping"]);
    results.subjects[1].name = evil.to_owned();
    results.subjects[1]
        .settings
        .insert(evil.to_owned(), evil.to_owned());
    results.warnings.push(evil.to_owned());
    results.partial = Some(evil.to_owned());
    results.commit = Some(evil.to_owned());
    let ping = experiment(&mut results, "ping");
    for text in [&mut ping.name, &mut ping.question, &mut ping.path] {
        evil.clone_into(text);
    }
    for run in ping.runs.iter_mut().filter(|r| r.subject == "after") {
        evil.clone_into(&mut run.subject);
        evil.clone_into(&mut run.raw);
        run.failed.insert(evil.to_owned(), 3);
    }
    ping.runs.last_mut().unwrap().invalid.push(evil.to_owned());
    let html = html(&results);
    assert!(!html.contains("<img"));
    assert!(html.contains("&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;"));
}

#[test]
fn without_a_valid_run_there_are_reasons_and_no_plots() {
    let mut results = only(&["ping"]);
    for run in &mut experiment(&mut results, "ping").runs {
        run.invalid = vec!["the subject died".to_owned()];
    }
    let html = html(&results);
    assert!(html.contains("24 of 24 runs do not count"));
    assert!(html.contains("the subject died"));
    assert!(html.contains("no valid run"));
    assert!(!html.contains("<svg class=\"plot\""));
}

#[test]
fn without_latency_and_usage_the_rest_is_drawn() {
    let mut results = only(&["ping"]);
    for run in &mut experiment(&mut results, "ping").runs {
        (run.latency, run.usage, run.database_cpu_s) = (None, None, None);
        run.series.clear();
    }
    let html = html(&results);
    // The rate in two shapes, and the ratio.
    assert_eq!(html.matches("<svg class=\"plot\"").count(), 3);
}

#[test]
fn a_single_level_has_bars_in_place_of_a_line() {
    let html = html(&only(&["production"]));
    let plot = html.split("<svg class=\"plot\"").nth(1).unwrap();
    let plot = plot.split("</svg>").next().unwrap();
    assert!(
        plot.contains("production: good answers a second</title>"),
        "{plot}"
    );
    assert!(plot.contains("<rect"), "{plot}");
    assert!(
        !plot.contains("stroke=\"var(--s1)\" stroke-dasharray"),
        "{plot}"
    );
}

#[test]
fn a_level_without_a_valid_run_is_a_gap_in_the_line() {
    let mut results = only(&["ping"]);
    let whole = html(&results);
    for run in &mut experiment(&mut results, "ping").runs {
        if run.level.connections == 50 && run.subject == "before" {
            run.invalid = vec!["late".to_owned()];
        }
    }
    let lines = |html: &str| {
        let plot = html
            .split("<svg class=\"plot\"")
            .nth(1)
            .unwrap()
            .split("</svg>")
            .next()
            .unwrap();
        let line = plot
            .split("<polyline")
            .find(|l| l.contains("stroke=\"var(--s0)\" stroke-dasharray"))
            .unwrap();
        line.split("points=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .split(' ')
            .count()
    };
    let gapped = html(&results);
    assert!(lines(&gapped) < lines(&whole));
    assert!(gapped.contains("no valid run"));
}

#[test]
fn what_is_partial_says_so_before_any_number() {
    let mut results = only(&["ping"]);
    results.partial = Some("interrupted by Ctrl-C".to_owned());
    let html = html(&results);
    let banner = html.find("interrupted by Ctrl-C").unwrap();
    assert!(banner < html.find("The short answer</h2>").unwrap());
}

#[test]
fn nothing_at_all_is_still_a_page() {
    let mut results = only(&[]);
    results.subjects.clear();
    results.tools.clear();
    results.finished = None;
    assert!(html(&results).contains("Nothing was measured."));
}

#[test]
fn settings_that_differ_are_marked() {
    let html = html(&only(&["ping"]));
    let row = |name: &str| {
        html.split("<tr ")
            .find(|row| row.contains(&format!("<code>{name}</code>")))
            .unwrap()
    };
    assert!(row("WORKERS").contains("≠"));
    assert!(!row("DB_POOL").contains("≠"));
}

#[test]
fn a_report_is_written_whole() {
    let folder = std::env::temp_dir().join(format!("lab-report-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let results = only(&["ping"]);
    let path = super::write(&results, &folder).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), html(&results));
    let left: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left, ["report.html"]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_ceiling_is_drawn_where_it_is_near_and_named_where_it_is_far() {
    for name in ["production", "ping"] {
        for (ceiling, drawn) in [(1.2, true), (9.0, false)] {
            let mut results = only(&[name]);
            let experiment = experiment(&mut results, name);
            let highest = experiment.runs.iter().map(|r| r.rate).fold(0.0, f64::max);
            for known in &mut experiment.ceilings {
                known.rate = highest * ceiling;
            }
            let html = html(&results);
            let figure = html.split("<figure>").nth(1).unwrap();
            assert_eq!(figure.contains("var(--ceiling)"), drawn, "{name}: {figure}");
            assert_ne!(
                figure.contains("far above this plot"),
                drawn,
                "{name}: {figure}"
            );
        }
    }
}
