//! `lab report`: a run's report and tables anew.

use std::fs;
use std::path::Path;

use super::{End, tables};
use crate::report;
use crate::results;
use crate::session::Stop;

pub(super) fn run(run: &Path, picture: Option<&Path>) -> Result<End, Stop> {
    let results = results::load(run).map_err(|error| Stop::Needs(error.to_string()))?;
    if let Some(file) = picture {
        fs::write(file, report::picture::svg(&results)).map_err(|source| Stop::Folder {
            folder: file.to_owned(),
            source,
        })?;
        println!("{}", file.display());
        return Ok(End::Good);
    }
    let folder = if run.is_dir() {
        run
    } else {
        run.parent().unwrap_or(Path::new("."))
    };
    let file = report::write(&results, folder).map_err(|source| Stop::Folder {
        folder: folder.to_owned(),
        source,
    })?;
    print!("{}", tables(&results));
    println!("\nReport: {}", file.display());
    Ok(End::Good)
}
