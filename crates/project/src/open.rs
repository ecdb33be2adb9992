//! Reading a project: first each file, then their consistency.

use std::path::{Path, PathBuf};

use crate::anchor;
use crate::config::{Examples, Project};
use crate::data_dir::DataDir;
use crate::failure::{Code, Failure};
use crate::find;
use crate::vocabulary;

impl Project {
    /// Reads the project that a folder belongs to: the nearest one upwards, see [`DataDir::find`].
    ///
    /// # Errors
    /// If the project belongs to another user, or a file of the project is invalid.
    pub fn find(start: &Path) -> Result<Self, Failure> {
        Self::find_with(start, Examples::Hold)
    }

    /// Like [`Project::find`], with or without checking the examples of its rules.
    ///
    /// # Errors
    /// Like [`Project::find`].
    pub fn find_with(start: &Path, examples: Examples) -> Result<Self, Failure> {
        let home = find::home(start)?;
        // Messages name the folder as the caller did.
        let is_above = start.canonicalize().is_ok_and(|start| start != home);
        Self::open_with(if is_above { &home } else { start }, examples)
    }

    /// Reads the project in a folder; a folder without `provost.toml` has all defaults.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        Self::open_with(folder, Examples::Hold)
    }

    /// Like [`Project::open`], with or without checking the examples of its rules.
    pub fn open_with(folder: &Path, examples: Examples) -> Result<Self, Failure> {
        let project = Self::parse(folder, examples)?;
        anchor::check_file(&project)?;
        project.check_person()?;
        // Checked here and not on use, so that every command rejects the same files.
        vocabulary::check(&project)?;
        Ok(project)
    }

    /// Rejects a user configuration inside the workspace, where an agent could change it.
    fn check_person(&self) -> Result<(), Failure> {
        let Some(person) =
            self.person.as_ref().filter(|person| anchor::is_inside(&person.path, &self.root()))
        else {
            return Ok(());
        };
        let message =
            format!("{} is in the workspace, where an agent could change it", person.path.display());
        Err(Failure::new(Code::Config, message)
            .hint("choose a smaller `root` under [workspace], or move the file with XDG_CONFIG_HOME"))
    }
}

/// Returns the anchor file for the folder that has the database. Without a project only the environment names
/// one.
pub fn anchor_file(data: &DataDir) -> Result<Option<PathBuf>, Failure> {
    if let Some(path) = anchor::from_environment() {
        return Ok(Some(path));
    }
    if !data.home().join("provost.toml").is_file() {
        return Ok(None);
    }
    Ok(Project::open(data.home())?.anchor_file())
}
