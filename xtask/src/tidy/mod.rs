//! `cargo xtask tidy`: the rules of the tree that no compiler checks.

mod arrows;
mod cycles;
mod lengths;
mod purity;
mod tests_tree;
mod walk;

use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;

/// One broken rule: where, and what to do about it.
pub(super) struct Finding {
    place: String,
    problem: String,
}

impl Finding {
    fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }
}

/// A Rust source file of ours.
struct Source {
    /// Relative to the workspace, with forward slashes.
    path: String,
    text: String,
}

impl Source {
    /// Whether the whole file is test code.
    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("_tests.rs")
    }

    /// The lines before an in-file test module; by convention it closes the file.
    fn code_lines(&self) -> usize {
        self.text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count()
    }
}

/// Checks everything and prints each finding.
pub(crate) fn run() -> Result<(), Failure> {
    let root = crate::workspace_root();
    let sources = sources(&root)?;
    let mut findings = arrows::check(&root)?;
    findings.extend(purity::check(&sources));
    findings.extend(lengths::check(&root, &sources)?);
    findings.extend(tests_tree::check(&sources));
    findings.extend(cycles::check(&sources));
    findings.extend(walk::check(&fs::read_to_string(root.join(walk::DOCUMENT))?, &sources));
    for finding in &findings {
        println!("{}: {}", finding.place, finding.problem);
    }
    if findings.is_empty() {
        println!("tidy: {} files, nothing to say", sources.len());
        return Ok(());
    }
    Err(format!("tidy found {} problems", findings.len()).into())
}

fn sources(root: &Path) -> Result<Vec<Source>, Failure> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        collect_rust_files(&root.join(folder), &mut files)?;
    }
    files.sort();
    files.into_iter().map(|file| read_source(root, &file)).collect()
}

fn read_source(root: &Path, file: &Path) -> Result<Source, Failure> {
    let path = file.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
    Ok(Source { path, text: fs::read_to_string(file)? })
}

fn collect_rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                collect_rust_files(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
