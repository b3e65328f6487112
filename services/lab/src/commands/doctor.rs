//! `lab doctor`: what is missing, and whether this machine can give a fair
//! result.

use super::{End, programs};
use crate::cli::Common;
use crate::cores;
use crate::database::Database;
use crate::host;
use crate::session::Stop;
use crate::tools::{oha, wrk};

pub(super) fn run(common: &Common) -> Result<End, Stop> {
    let mut missing = 0;
    let mut tell = |name: &str, found: Result<String, String>| match found {
        Ok(found) => println!("  ok       {name:<10} {found}"),
        Err(what) => {
            println!("  missing  {name:<10} {what}");
            missing += 1;
        }
    };
    println!("What the lab needs");
    tell("wrk", wrk::version().map_err(|error| error.to_string()));
    tell("oha", oha::version().map_err(|error| error.to_string()));
    for program in ["taskset", "setpriv"] {
        tell(program, util_linux(program));
    }
    if !common.only_subjects {
        let folder = programs(common)?;
        for name in ["before", "after"] {
            let program = folder.join(name);
            tell(
                name,
                if program.is_file() {
                    Ok(program.display().to_string())
                } else {
                    Err(format!("cargo build --release -p {name}"))
                },
            );
        }
        tell("database", database(common));
    }
    println!("\nWhether this machine can give a fair result");
    let host = host::look();
    let plan = cores::plan(&cores::allowed());
    println!(
        "  {}, {} processors, {:.1} of them in use; {:.1} % stolen by the hypervisor",
        host.processor,
        host.processors,
        host.load,
        host.steal * 100.0
    );
    if !plan.subjects.is_empty() {
        println!(
            "  processors: subjects {}, load {}, database {}",
            cores::list(&plan.subjects),
            cores::list(&plan.load),
            cores::list(&plan.database)
        );
    }
    let warnings = host::fairness(&host);
    for warning in &warnings {
        println!("  !  {warning}");
    }
    if warnings.is_empty() {
        println!("  nothing speaks against it");
    } else {
        println!("  Ratios of runs side by side hold in spite of these; single figures may not.");
    }
    Ok(if missing == 0 { End::Good } else { End::Bad })
}

fn util_linux(program: &str) -> Result<String, String> {
    let output = std::process::Command::new(program)
        .arg("--version")
        .output();
    let said = output.map_err(|_| "Debian, Ubuntu: sudo apt-get install util-linux".to_owned())?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

fn database(common: &Common) -> Result<String, String> {
    let advice = "set DATABASE_URL, or run scripts/load-test, which starts one";
    let url = common.database_url.as_deref().ok_or(advice)?;
    let password = std::env::var("PGPASSWORD").ok();
    let database = Database::look(url, password.as_deref())?;
    Ok(format!("Postgres {}", database.version.unwrap_or_default()))
}
