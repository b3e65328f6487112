//! The machine, and whether it can give a fair result.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};

use crate::cores;
use crate::results::Host;
use crate::usage::as_f64;

/// How long the lab looks how busy the machine is.
const LOOK: Duration = Duration::from_millis(500);

/// The share of the processors in use from which on a machine is busy.
const BUSY: f64 = 0.15;

/// The file handles that a run with the most connections needs, on both sides.
const HANDLES: u64 = 10_000;

/// Looks at the machine. Takes half a second.
#[must_use]
pub fn look() -> Host {
    let before = Time::read();
    thread::sleep(LOOK);
    let (busy, steal) = before
        .zip(Time::read())
        .map_or((0.0, 0.0), |(before, after)| after.since(&before));
    let processors = cores::allowed().len();
    let load = (busy * as_f64(processors as u64)).max(0.0);
    Host {
        processor: value_of("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
        processors,
        memory_bytes: value_of("/proc/meminfo", "MemTotal")
            .and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok())
            .map_or(0, |kib| kib * 1024),
        kernel: format!(
            "Linux {}",
            line("/proc/sys/kernel/osrelease").unwrap_or_default()
        ),
        system: os_release().unwrap_or_else(|| "unknown".to_owned()),
        virtualized: virtualized(),
        governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        load,
        steal,
        processor_limit: processor_limit(),
        file_handles: getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX),
        postgres: None,
    }
}

/// What makes results of this machine less fair, each with what to do about it.
#[must_use]
pub fn fairness(host: &Host) -> Vec<String> {
    let mut warnings = Vec::new();
    let processors = as_f64(host.processors as u64);
    if host.processors < 2 {
        warnings.push(
            "There is one processor: subjects, load tool and database take it from each other. \
             Only ratios of runs side by side mean anything here."
                .to_owned(),
        );
    } else if host.processors < 4 {
        warnings.push(format!(
            "There are {} processors: the load tool and the database share one, so the database \
             route is slower here than where each has its own.",
            host.processors
        ));
    }
    if host.load > BUSY * processors.max(1.0) {
        warnings.push(format!(
            "The machine was busy before the lab began: {:.1} of {} processors in use. End what \
             else runs, or take the ratios and leave the figures.",
            host.load, host.processors
        ));
    }
    if host.steal > 0.02 {
        warnings.push(format!(
            "The hypervisor takes {:.0} % of the processor time away: other machines on the same \
             host are busy. Expect wide quartiles.",
            host.steal * 100.0
        ));
    }
    if let Some(governor) = &host.governor
        && governor != "performance"
    {
        warnings.push(format!(
            "The frequency governor is `{governor}`: the clock changes with the load. For steady \
             figures: sudo cpupower frequency-set -g performance"
        ));
    }
    if let Some(limit) = host.processor_limit
        && limit < processors
    {
        warnings.push(format!(
            "The container may use {limit:.1} of {} processors: beyond that it is made to wait, \
             which looks like slow answers.",
            host.processors
        ));
    }
    if host.file_handles < HANDLES {
        warnings.push(format!(
            "{} file handles are allowed: many connections need more. Before the lab: ulimit -n \
             {HANDLES}",
            host.file_handles
        ));
    }
    if let Some(ports) = ports()
        && ports < HANDLES
    {
        warnings.push(format!(
            "{ports} ports are there for connections (net.ipv4.ip_local_port_range): those that \
             were just closed are not free for a minute."
        ));
    }
    warnings
}

/// How many ports connections can have.
fn ports() -> Option<u64> {
    let range = line("/proc/sys/net/ipv4/ip_local_port_range")?;
    let mut ends = range.split_whitespace().map(str::parse::<u64>);
    let (first, last) = (ends.next()?.ok()?, ends.next()?.ok()?);
    Some((last + 1).saturating_sub(first))
}

/// Times of all processors, in ticks, from the first line of `/proc/stat`.
struct Time {
    total: u64,
    idle: u64,
    stolen: u64,
}

impl Time {
    fn read() -> Option<Self> {
        let text = fs::read_to_string("/proc/stat").ok()?;
        let ticks: Vec<u64> = text
            .lines()
            .next()?
            .split_whitespace()
            .skip(1)
            // user nice system idle iowait irq softirq steal; guest times are in user already.
            .take(8)
            .filter_map(|ticks| ticks.parse().ok())
            .collect();
        Some(Self {
            total: ticks.iter().sum(),
            idle: ticks.get(3)? + ticks.get(4)?,
            stolen: *ticks.get(7)?,
        })
    }

    /// The shares of the time in use, and stolen.
    fn since(&self, before: &Self) -> (f64, f64) {
        let total = self.total.saturating_sub(before.total).max(1);
        let share = |now: u64, then: u64| as_f64(now.saturating_sub(then)) / as_f64(total);
        let stolen = share(self.stolen, before.stolen);
        (1.0 - share(self.idle, before.idle) - stolen, stolen)
    }
}

/// The limit of the container, from its control group: `MICROSECONDS PERIOD`.
fn processor_limit() -> Option<f64> {
    let text = line("/sys/fs/cgroup/cpu.max")?;
    let (quota, period) = text.split_once(' ')?;
    Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?)
}

fn virtualized() -> Option<String> {
    if fs::exists("/.dockerenv").unwrap_or(false) {
        return Some("container".to_owned());
    }
    let flags = value_of("/proc/cpuinfo", "flags")?;
    flags
        .split_whitespace()
        .any(|flag| flag == "hypervisor")
        .then(|| "virtual machine".to_owned())
}

fn os_release() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}

/// The one line of a file.
fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned())
}

/// The value of `name: value` in a file.
fn value_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet() -> Host {
        Host {
            processors: 8,
            file_handles: 1 << 20,
            ..Host::default()
        }
    }

    #[test]
    fn this_machine_is_seen() {
        let host = look();
        assert!(host.processors >= 1 && host.memory_bytes > 0);
        assert!(host.kernel.starts_with("Linux "));
    }

    #[test]
    fn a_busy_machine_is_told_of() {
        let busy = Host {
            load: 7.5,
            ..quiet()
        };
        assert!(
            fairness(&busy)
                .iter()
                .any(|warning| warning.contains("7.5 of 8"))
        );
        assert!(
            !fairness(&quiet())
                .iter()
                .any(|warning| warning.contains("busy"))
        );
    }

    #[test]
    fn each_thing_that_is_unfair_is_named() {
        for (host, word) in [
            (
                Host {
                    steal: 0.1,
                    ..quiet()
                },
                "hypervisor takes 10 %",
            ),
            (
                Host {
                    processors: 1,
                    ..quiet()
                },
                "one processor",
            ),
            (
                Host {
                    governor: Some("powersave".to_owned()),
                    ..quiet()
                },
                "`powersave`",
            ),
            (
                Host {
                    processor_limit: Some(1.5),
                    ..quiet()
                },
                "1.5 of 8",
            ),
            (
                Host {
                    file_handles: 1024,
                    ..quiet()
                },
                "1024 file handles",
            ),
        ] {
            let warnings = fairness(&host);
            assert!(
                warnings.iter().any(|warning| warning.contains(word)),
                "{word}: {warnings:?}"
            );
        }
    }
}
