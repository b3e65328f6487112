//! The guide as a whole: its pages, what fills them, and what is wrong with them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::figures::Figures;
use crate::links;
use crate::marks;
use crate::page::{self, Problem, Sources};
use crate::tables::Tables;

/// The folder of the pages, from the root.
pub const PAGES: &str = "docs/guide";
/// The folder of the committed results, from the root.
pub const RESULTS: &str = "docs/results";
/// The table of contents, in the folder of the pages.
pub const CONTENTS: &str = "SUMMARY.md";

/// Pictures in the folder of the pages, and the results that they show.
const PICTURES: [(&str, &str); 1] = [("comparison.svg", "talk.json")];

/// Folders in which no page of ours is.
const NOT_OURS: [&str; 4] = [".git", "target", "node_modules", "expected"];

/// Why the guide cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// A results file is not of the lab.
    #[error(transparent)]
    Results(#[from] lab::results::Error),
    /// The output of another tool is not what it should be.
    #[error("{0}: {1}")]
    Foreign(PathBuf, String),
}

/// The workspace's pages, and what fills them.
pub struct Book {
    root: PathBuf,
    figures: Figures,
    tables: Tables,
}

/// A page as it is and as it should be.
pub struct Page {
    /// Its path from the root.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The text that it should have.
    pub filled: String,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

impl Book {
    /// Reads the committed results below the root of the workspace.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn open(root: &Path) -> Result<Self, Error> {
        let mut book = Self {
            root: root.to_owned(),
            figures: Figures::default(),
            tables: Tables::default(),
        };
        book.tables.add_configuration();
        for file in files_in(&root.join(RESULTS))? {
            book.add(&file)?;
        }
        Ok(book)
    }

    /// The results of the lab by the file's name, as is what oha said (`NAME.oha.json`);
    /// the bench's by what they are.
    fn add(&mut self, file: &Path) -> Result<(), Error> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let read = || fs::read_to_string(file).map_err(|error| Error::File(file.to_owned(), error));
        if let Some(name) = name.strip_suffix(".oha") {
            let added = self.figures.add_oha(name, &read()?);
            return added.map_err(|what| Error::Foreign(file.to_owned(), what));
        }
        match file.extension().and_then(|kind| kind.to_str()) {
            Some("json") => {
                let results = lab::results::load(file)?;
                self.figures.add_results(&name, &results);
                self.tables.add_results(&name, &results);
            }
            Some("tsv") => {
                let marks = marks::parse(&read()?);
                let marks = marks.map_err(|what| Error::Foreign(file.to_owned(), what))?;
                self.figures.add_marks(&marks);
                self.tables.add_marks(&marks);
            }
            Some("txt") => self.figures.add_machine(&read()?),
            _ => {}
        }
        Ok(())
    }

    /// Every Markdown page of the workspace, filled and looked at, and the pictures.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn pages(&self) -> Result<Vec<Page>, Error> {
        let mut paths = Vec::new();
        walk(&self.root, &mut paths)?;
        paths.sort();
        let mut pages = Vec::new();
        for path in paths {
            pages.push(self.page(&path)?);
        }
        check_contents(&mut pages);
        pages.extend(self.pictures()?);
        Ok(pages)
    }

    fn page(&self, file: &Path) -> Result<Page, Error> {
        let text = fs::read_to_string(file).map_err(|error| Error::File(file.to_owned(), error))?;
        let path = file.strip_prefix(&self.root).unwrap_or(file).to_owned();
        let sources = Sources {
            root: &self.root,
            figures: &self.figures,
            tables: &self.tables,
        };
        let (filled, mut problems) = page::filled(&text, &path.to_string_lossy(), &sources);
        problems.extend(links::problems(&self.root, &path, &filled));
        Ok(Page {
            path,
            text,
            filled,
            problems,
        })
    }

    /// The pictures, as pages without anything to fill in.
    fn pictures(&self) -> Result<Vec<Page>, Error> {
        let picture = |(file, results): &(&str, &str)| {
            let results = lab::results::load(&self.root.join(RESULTS).join(results))?;
            let path = Path::new(PAGES).join(file);
            Ok(Page {
                // One that is not there yet is out of date.
                text: fs::read_to_string(self.root.join(&path)).unwrap_or_default(),
                filled: lab::report::picture::svg(&results),
                path,
                problems: Vec::new(),
            })
        };
        PICTURES.iter().map(picture).collect()
    }
}

/// A page that the table of contents does not name is in no book.
fn check_contents(pages: &mut [Page]) {
    let contents = Path::new(PAGES).join(CONTENTS);
    let named: BTreeSet<_> = pages
        .iter()
        .filter(|page| page.path == contents)
        .flat_map(|page| links::links(&page.text))
        .filter_map(|link| links::resolved(&contents, &link.to))
        .collect();
    for page in pages.iter_mut() {
        let is_chapter = page.path.parent() == Some(Path::new(PAGES)) && page.path != contents;
        if is_chapter && !named.contains(&page.path) {
            let what = format!("{} does not name this page", contents.display());
            page.problems.push(Problem { line: 1, what });
        }
    }
}

fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let error = |error| Error::File(folder.to_owned(), error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        files.push(entry.map_err(error)?.path());
    }
    files.sort();
    Ok(files)
}

fn walk(folder: &Path, pages: &mut Vec<PathBuf>) -> Result<(), Error> {
    for path in files_in(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !path.is_symlink() {
            if !NOT_OURS.contains(&&*name) {
                walk(&path, pages)?;
            }
        } else if path.extension().is_some_and(|kind| kind == "md") {
            pages.push(path);
        }
    }
    Ok(())
}
