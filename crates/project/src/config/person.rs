//! The user's own `config.toml`: models and keys for all projects, and the colours of the terminal.
//!
//! A project's `provost.toml` takes precedence. The file is outside every workspace and contains no keys.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use provost_models::{ApiKind, ModelConfig};
use serde::Deserialize;

use super::ModelEntry;
use super::file::{File, line_at, refused};
use super::terminal::Terminal;
use crate::failure::{Code, Failure};
use crate::text_file;

/// The maximum size of the file.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The keys that make a section of a project a complete model.
const WHOLE: [&str; 3] = ["provider", "base_url", "cassette"];

/// The configuration of a user. Missing keys have defaults.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct PersonFile {
    pub(crate) defaults: Defaults,
    models: BTreeMap<String, toml::Spanned<toml::Table>>,
    keys: BTreeMap<String, toml::Spanned<KeySource>>,
    pub(super) terminal: Terminal,
    #[serde(skip)]
    pub(crate) path: PathBuf,
    #[serde(skip)]
    pub(crate) text: String,
}

/// The defaults if neither the command line nor the project sets them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Defaults {
    pub(crate) model: Option<String>,
}

/// Where the key of a provider is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeySource {
    /// An environment variable.
    env: Option<String>,
    /// A file, relative to the folder of the configuration.
    file: Option<PathBuf>,
}

impl PersonFile {
    /// Reads the file; a missing file is an empty configuration.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let text = match text_file::read(path, FILE_BYTES_MAX) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(Failure::new(
                    Code::Config,
                    format!("{} cannot be read: {error}", path.display()),
                ));
            }
        };
        let mut file: Self = toml::from_str(&text).map_err(|error| refused(&text, path, &error))?;
        (file.path, file.text) = (path.to_owned(), text);
        file.check()?;
        Ok(Some(file))
    }

    fn check(&self) -> Result<(), Failure> {
        for (provider, source) in &self.keys {
            let at = |what: String| Failure::new(Code::Config, what).at(&self.place(source.span().start));
            if provider.parse::<ApiKind>().is_err() {
                return Err(at(format!("keys.{provider}: there is no provider `{provider}`"))
                    .hint("there are: anthropic, openai_chat, openai_responses, gemini, openai_compatible"));
            }
            if source.get_ref().env.is_some() == source.get_ref().file.is_some() {
                return Err(at(format!(
                    "keys.{provider}: name a variable with `env`, or a file with `file`"
                )));
            }
        }
        Ok(())
    }

    fn place(&self, offset: usize) -> String {
        format!("{}:{}", self.path.display(), line_at(&self.text, offset))
    }

    /// Returns the models of the file alone.
    fn entries(&self) -> Result<BTreeMap<String, ModelEntry>, Failure> {
        let entry = |(name, section): (&String, &toml::Spanned<toml::Table>)| {
            let place = self.place(section.span().start);
            let entry = ModelEntry::read(name, &self.resolved(section.get_ref()), &place, self.folder())?;
            Ok((name.clone(), entry))
        };
        self.models.iter().map(entry).collect()
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// Makes the paths of a section relative to the folder of the file.
    fn resolved(&self, section: &toml::Table) -> toml::Table {
        let mut section = section.clone();
        if let Some(toml::Value::String(path)) = section.get_mut("key_file") {
            *path = self.folder().join(&*path).to_string_lossy().into_owned();
        }
        section
    }

    /// Fills in the key of a model if its own section names none.
    fn add_key(&self, config: &mut ModelConfig) {
        let source = self.keys.get(<&str>::from(config.provider)).map(toml::Spanned::get_ref);
        if let Some(source) = source.filter(|_| config.key_env.is_none() && config.key_file.is_none()) {
            config.key_env.clone_from(&source.env);
            config.key_file = source.file.as_ref().map(|file| self.folder().join(file));
        }
    }
}

/// Merges the user's models and the project's; the project's take precedence.
pub(super) fn models(
    file: &File,
    (path, folder): (&Path, &Path),
    person: Option<&PersonFile>,
) -> Result<BTreeMap<String, ModelEntry>, Failure> {
    let mut models = person.map(PersonFile::entries).transpose()?.unwrap_or_default();
    for (name, section) in &file.models {
        let place = file.place_at(path, section.span().start);
        let base = person.and_then(|person| Some((person, person.models.get(name)?)));
        let entry = match base.filter(|_| is_adjustment(section.get_ref())) {
            Some((person, base)) => {
                let table = adjusted(person.resolved(base.get_ref()), section.get_ref());
                ModelEntry::read(name, &table, &place, folder)?
            }
            None => ModelEntry::read(name, section.get_ref(), &place, folder)?,
        };
        models.insert(name.clone(), entry);
    }
    if let Some(person) = person {
        for (name, entry) in &mut models {
            if let ModelEntry::Remote(config) = entry {
                // The user's key is never sent to an address that only a project names.
                let section = file.models.get(name).map(toml::Spanned::get_ref);
                if section.is_none_or(|section| !section.contains_key("base_url")) {
                    person.add_key(config);
                }
            }
        }
        if let Some(name) = person.defaults.model.as_ref().filter(|name| !models.contains_key(*name)) {
            return Err(Failure::new(
                Code::Config,
                format!("{}: there is no model `{name}`", person.path.display()),
            ));
        }
    }
    Ok(models)
}

/// Returns whether a section of a project changes a model of the user. A section with a provider or an
/// address is a complete model: it must not combine the user's key with another address.
pub(crate) fn is_adjustment(section: &toml::Table) -> bool {
    !WHOLE.iter().any(|key| section.contains_key(*key))
}

/// Merges a section over another one.
fn adjusted(mut base: toml::Table, over: &toml::Table) -> toml::Table {
    if over.contains_key("key_env") || over.contains_key("key_file") {
        base.remove("key_env");
        base.remove("key_file");
    }
    for (key, value) in over {
        match (base.get_mut(key), value) {
            (Some(toml::Value::Table(base)), toml::Value::Table(over)) => {
                *base = adjusted(base.clone(), over);
            }
            _ => drop(base.insert(key.clone(), value.clone())),
        }
    }
    base
}
