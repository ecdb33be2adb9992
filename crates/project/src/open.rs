//! Reading a project: every file by itself, then all of them together.

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
    /// If the project above belongs to another user, or a file of the project is wrong.
    pub fn find(start: &Path) -> Result<Self, Failure> {
        Self::find_with(start, Examples::Hold)
    }

    /// The same, with or without the examples of its rules.
    ///
    /// # Errors
    /// The same.
    pub fn find_with(start: &Path, examples: Examples) -> Result<Self, Failure> {
        let home = find::home(start)?;
        // A folder is named in messages as the caller named it.
        let is_above = start.canonicalize().is_ok_and(|start| start != home);
        Self::open_with(if is_above { &home } else { start }, examples)
    }

    /// Reads the project in a folder; a folder without `provost.toml` is one with every default.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        Self::open_with(folder, Examples::Hold)
    }

    /// The same, with or without the examples of its rules.
    pub fn open_with(folder: &Path, examples: Examples) -> Result<Self, Failure> {
        let project = Self::parse(folder, examples)?;
        anchor::check_file(&project)?;
        project.check_person()?;
        // Here and not where an agent is used, so that every command refuses the same files.
        vocabulary::check(&project)?;
        Ok(project)
    }

    /// Refuses a person's configuration in the workspace, where an agent could change it.
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

/// Where the anchor file is for the folder that has the database. A folder without a project has the environment's alone.
pub fn anchor_file(data: &DataDir) -> Result<Option<PathBuf>, Failure> {
    if let Some(path) = anchor::from_environment() {
        return Ok(Some(path));
    }
    if !data.home().join("provost.toml").is_file() {
        return Ok(None);
    }
    Ok(Project::open(data.home())?.anchor_file())
}
