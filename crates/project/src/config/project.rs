//! A project: its configuration, its agents, and its workspace.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::person::{self, PersonFile};
use super::rules;
use super::suggest::did_you_mean;
use super::{AgentFile, File, ModelEntry};
use crate::failure::{Code, Failure};
use crate::{environment, text_file};

/// The maximum size of a file of a project.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// How much of `AGENTS.md` an agent reads.
const CONTEXT_BYTES_MAX: usize = 32 * 1024;

/// The configuration and agents of a project.
#[derive(Debug)]
pub struct Project {
    /// Its folder, absolute.
    pub folder: PathBuf,
    pub file: File,
    pub models: BTreeMap<String, ModelEntry>,
    pub agents: BTreeMap<String, AgentFile>,
    /// The user's own configuration; the models already include it.
    pub(crate) person: Option<PersonFile>,
}

/// Whether the examples of rules must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examples {
    /// A rule that contradicts its examples is an error.
    Hold,
    /// Failing examples are accepted, so that the caller can show them.
    Shown,
}

impl Project {
    /// Reads the files of a folder one by one, without checking that they are consistent.
    pub(crate) fn parse(folder: &Path, examples: Examples) -> Result<Self, Failure> {
        let absent = |error: std::io::Error| {
            Failure::new(Code::Project, format!("there is no project in {}: {error}", folder.display()))
                .hint("name a folder with a provost.toml; provost init makes one")
        };
        let shown = folder.strip_prefix(".").unwrap_or(folder).join("provost.toml");
        let folder = folder.canonicalize().map_err(absent)?;
        let path = folder.join("provost.toml");
        if !folder.is_dir() {
            return Err(absent(ErrorKind::NotADirectory.into()));
        }
        let text = match text_file::read(&path, FILE_BYTES_MAX) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => {
                let message = format!("{} cannot be read: {error}", shown.display());
                return Err(Failure::new(Code::Config, message));
            }
        };
        let file = File::read(&text, &shown)?;
        if examples == Examples::Hold {
            rules::check(&file, &folder.join(&file.workspace.root), &text, &shown)?;
        }
        let person = match environment::config_file() {
            Some(path) => PersonFile::read(&path)?,
            None => None,
        };
        let models = person::models(&file, (&shown, &folder), person.as_ref())?;
        let agents = agents(&folder)?;
        Ok(Self { folder, file, models, agents, person })
    }

    /// Returns the folder with the agent's files, before any copy.
    pub fn root(&self) -> PathBuf {
        self.folder.join(&self.file.workspace.root)
    }

    /// Returns the agent with a name; by default the default agent or the only one.
    pub fn agent(&self, name: Option<&str>) -> Result<AgentFile, Failure> {
        let known = || self.agents.keys().map(String::as_str);
        match name.or(self.file.defaults.agent.as_ref().map(|name| name.as_ref().as_str())) {
            Some(name) => self.agents.get(name).cloned().ok_or_else(|| {
                let failure = Failure::new(Code::UnknownAgent, format!("there is no agent `{name}`"));
                match did_you_mean(name, known()) {
                    Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
                    None => failure.hint(format!("there are: {}", listed(known()))),
                }
            }),
            None => match (self.agents.len(), self.agents.values().next()) {
                (1, Some(agent)) => Ok(agent.clone()),
                (0, _) => Err(Failure::new(Code::UnknownAgent, "the project has no agents")
                    .hint("write agents/NAME.md, or start with provost init")),
                _ => Err(Failure::new(Code::UnknownAgent, "the project has several agents")
                    .hint(format!("name one with --agent: {}", listed(known())))),
            },
        }
    }

    /// Returns the model with a name; by default the agent's, the default or only one of the project, the
    /// user's default, or the only one.
    pub fn model(
        &self,
        name: Option<&str>,
        agent: Option<&AgentFile>,
    ) -> Result<(String, ModelEntry), Failure> {
        let of_agent = agent.and_then(|agent| agent.head.model.as_deref());
        let known = || self.models.keys().map(String::as_str);
        let default = || self.file.defaults.model.as_ref().map(|name| name.as_ref().as_str());
        let own =
            || self.file.models.keys().map(String::as_str).next().filter(|_| self.file.models.len() == 1);
        let persons = || self.person.as_ref()?.defaults.model.as_deref();
        let only = || known().next().filter(|_| self.models.len() == 1);
        let name = name.or(of_agent).or_else(default).or_else(own).or_else(persons).or_else(only);
        let Some(name) = name else {
            let failure = Failure::new(Code::Model, "the project does not say which model to use");
            return Err(if self.models.is_empty() {
                failure.hint("add a section [models.NAME] to provost.toml, or to your own config.toml; see docs/configuration.md")
            } else {
                failure.hint(format!("name one with --model: {}", listed(known())))
            });
        };
        let unknown = || {
            let failure = Failure::new(Code::Model, format!("there is no model `{name}`"));
            match did_you_mean(name, known()) {
                Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
                None => failure.hint(format!("there are: {}", listed(known()))),
            }
        };
        Ok((name.to_owned(), self.models.get(name).cloned().ok_or_else(unknown)?))
    }

    /// Returns the text of `AGENTS.md` in the workspace, if it exists. If it cannot be read, that is an
    /// error: an agent must not start without the instructions of its workspace.
    pub fn context(&self) -> Result<Option<String>, Failure> {
        let path = self.root().join("AGENTS.md");
        if path.is_symlink() {
            let message = "AGENTS.md is a link: what it leads to would be sent to the model";
            return Err(Failure::new(Code::Project, message).hint("put the text itself there"));
        }
        let text = match text_file::read(&path, FILE_BYTES_MAX) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Failure::new(Code::Project, format!("AGENTS.md cannot be read: {error}")));
            }
        };
        let end = text.floor_char_boundary(CONTEXT_BYTES_MAX);
        let kept = text.get(..end).unwrap_or_default();
        let cut = if end < text.len() { "\n[the rest of AGENTS.md is left out]" } else { "" };
        Ok(Some(format!("{}{cut}", kept.trim_end())))
    }
}

fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn agents(folder: &Path) -> Result<BTreeMap<String, AgentFile>, Failure> {
    let mut agents = BTreeMap::new();
    let unread = |path: &Path, error: std::io::Error| {
        Failure::new(Code::AgentFile, format!("{} cannot be read: {error}", path.display()))
    };
    let entries = match fs::read_dir(folder.join("agents")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(agents),
        Err(error) => return Err(unread(Path::new("agents"), error)),
    };
    let paths: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(|error| unread(Path::new("agents"), error))?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    for path in paths {
        let shown = Path::new("agents").join(path.file_name().unwrap_or_default());
        let text = text_file::read(&path, FILE_BYTES_MAX).map_err(|error| unread(&shown, error))?;
        let agent = AgentFile::read(&text, &shown)?;
        let name = agent.head.name.clone();
        if agents.insert(name.clone(), agent).is_some() {
            let message = format!("{}: another file has an agent `{name}` too", shown.display());
            return Err(Failure::new(Code::AgentFile, message));
        }
    }
    Ok(agents)
}
