//! Which processors do what.

use std::fs;

use crate::results::Cores;

/// The processors that this process may use, in ascending order.
pub fn allowed() -> Vec<usize> {
    fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let list = status
                .lines()
                .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
            parse(list.trim())
        })
        .unwrap_or_default()
}

/// Reads a list as the kernel writes it: `0,2-5`.
fn parse(list: &str) -> Option<Vec<usize>> {
    let mut cores = Vec::new();
    for part in list.split(',').filter(|part| !part.is_empty()) {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        cores.extend(low.parse::<usize>().ok()?..=high.parse().ok()?);
    }
    Some(cores)
}

/// Writes a list as `taskset -c` reads it.
#[must_use]
pub fn list(cores: &[usize]) -> String {
    let cores: Vec<_> = cores.iter().map(ToString::to_string).collect();
    cores.join(",")
}

/// Shares the processors out: the subjects never on those that make the load, and
/// Postgres on some of its own where there are enough. One processor is
/// everybody's, and nothing is pinned.
#[must_use]
pub fn plan(allowed: &[usize]) -> Cores {
    let (subjects, load, database) = match allowed.len() {
        0 | 1 => return Cores::default(),
        2 => (&allowed[..1], &allowed[1..], &allowed[1..]),
        3 => (&allowed[..1], &allowed[1..2], &allowed[2..]),
        n => {
            // Half of them for what is measured, the rest in equal parts.
            let (subjects, rest) = allowed.split_at(n / 2);
            let (load, database) = rest.split_at(rest.len() / 2);
            (subjects, load, database)
        }
    };
    Cores {
        subjects: subjects.to_vec(),
        load: load.to_vec(),
        database: database.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lists_are_understood() {
        assert_eq!(parse("0,2-5"), Some(vec![0, 2, 3, 4, 5]));
        assert_eq!(parse("7"), Some(vec![7]));
        assert_eq!(parse("a-b"), None);
        assert_eq!(list(&[0, 2, 3]), "0,2,3");
    }

    #[test]
    fn what_is_measured_never_shares_a_processor_with_the_load() {
        for count in 2..=64 {
            let allowed: Vec<_> = (10..10 + count).collect();
            let cores = plan(&allowed);
            assert!(!cores.subjects.is_empty() && !cores.load.is_empty());
            assert!(!cores.database.is_empty());
            assert!(cores.subjects.iter().all(|core| !cores.load.contains(core)));
            assert!(
                cores
                    .subjects
                    .iter()
                    .all(|core| !cores.database.contains(core))
            );
            let used = cores
                .subjects
                .iter()
                .chain(&cores.load)
                .chain(&cores.database);
            assert!(used.clone().all(|core| allowed.contains(core)));
        }
    }

    #[test]
    fn a_single_processor_is_everybodys() {
        assert_eq!(plan(&[3]), Cores::default());
    }
}
