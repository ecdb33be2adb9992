//! Reading a project: every file by itself, then all of them together.

use std::path::{Path, PathBuf};

use crate::anchor;
use crate::config::{Examples, Project};
use crate::failure::Failure;
use crate::place::Place;
use crate::vocabulary;

impl Project {
    /// Reads the project in a folder; a folder without `provost.toml` is one with every default.
    pub fn read(folder: &Path) -> Result<Self, Failure> {
        Self::read_with(folder, Examples::Hold)
    }

    /// The same, with or without the examples of its rules.
    pub fn read_with(folder: &Path, examples: Examples) -> Result<Self, Failure> {
        let project = Self::parse(folder, examples)?;
        anchor::check_file(&project)?;
        // Here and not where an agent is used, so that every command refuses the same files.
        vocabulary::check(&project)?;
        Ok(project)
    }
}

/// Where the anchor file is for the folder that has the database. A folder without a project has the environment's alone.
pub fn anchor_file(place: &Place) -> Result<Option<PathBuf>, Failure> {
    if let Some(path) = anchor::from_environment() {
        return Ok(Some(path));
    }
    if !place.home().join("provost.toml").is_file() {
        return Ok(None);
    }
    Ok(anchor::path(&Project::read(place.home())?))
}
