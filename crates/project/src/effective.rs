//! The effective configuration of a project, and where each value comes from.

use std::collections::BTreeMap;
use std::path::Path;

use provost::{ActionPolicy, Agent};
use provost_contract::sensitivity::{REDACTED, is_sensitive_name};
use provost_models::ModelConfig;
use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

use crate::config::{AgentFile, ModelEntry, Project, is_adjustment, line_at};
use crate::environment::{self, ANCHOR, DATABASE, SEAL_KEY};
use crate::failure::{Code, Failure};
use crate::runtime::masks;

/// One value of the configuration.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its name, as in `provost.toml`: `models.claude.settings.model`.
    pub key: String,
    /// The value, without secrets.
    pub value: Value,
    /// Its origin.
    pub origin: Origin,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file with its full path, and a line if known.
    File(String),
    /// An environment variable.
    Variable(String),
    /// The default.
    Default,
}

impl Origin {
    /// Files of a project are written from its folder, and others with their full paths: a list of both says where each
    /// of them is.
    fn in_folder(self, folder: &Path) -> Self {
        match self {
            Self::File(place) => Self::File(folder.join(place).display().to_string()),
            Self::Variable(_) | Self::Default => self,
        }
    }
}

impl Project {
    /// Returns every configured value, ordered by name. For a key it reports only whether it is set.
    ///
    /// # Errors
    /// If the environment names a database of an unknown kind.
    pub fn effective(&self) -> Result<Vec<Setting>, Failure> {
        let (text, path) = self.file.source();
        let own = Written::read(text, &path.display().to_string())?;
        let mut settings = own.settings(|key| !key.starts_with(&["models".to_owned()]));
        self.add_defaults(&mut settings);
        self.add_environment(&mut settings)?;
        let persons = match &self.person {
            Some(person) => Written::read(&person.text, &person.path.display().to_string())?,
            None => Written::default(),
        };
        for (name, entry) in &self.models {
            self.add_model(name, entry, (&own, &persons), &mut settings);
        }
        self.agents.values().for_each(|agent| add_agent(agent, &mut settings));
        let masks = masks(self);
        // Without a file the root is an empty table.
        settings.retain(|path, _| !path.is_empty());
        let shown = settings.into_iter().map(|(path, (value, origin))| {
            let value = if is_secret(&path) { REDACTED.into() } else { masks.value(without_userinfo(value)) };
            Setting { key: dotted(&path), value, origin: origin.in_folder(&self.folder) }
        });
        Ok(shown.collect())
    }

    /// Returns the location of a key, in the project's file or else in the user's: `provost.toml:38`,
    /// relative to the project. A table of a list is named by its `name`: `["policy", "rules",
    /// "secrets-stay"]`.
    pub fn place_of(&self, path: &[&str]) -> Option<String> {
        let path: Key = path.iter().map(|word| (*word).to_owned()).collect();
        let own = self.own_places();
        let person = self.person.as_ref();
        let persons = || {
            let person = person?;
            let written = Written::read(&person.text, &person.path.display().to_string()).ok()?;
            written.place(&path).map(str::to_owned)
        };
        own.place(&path).map(str::to_owned).or_else(persons)
    }

    /// Where the keys of the project's file are written.
    pub(crate) fn own_places(&self) -> Written {
        Written::read(self.file.source().0, "provost.toml").unwrap_or_default()
    }

    fn add_defaults(&self, settings: &mut Settings) {
        let file = &self.file;
        let agent = self.agent(None).ok().map(|agent| agent.head.name);
        let model = self.model(None, None).ok().map(|(name, _)| name);
        let repetition = file.defaults.repetition_limit.unwrap_or(Agent::REPETITION_LIMIT);
        let mut defaults = vec![
            ("defaults.agent", json!(agent)),
            ("defaults.repetition_limit", json!(repetition)),
            ("workspace.root", json!(file.workspace.root)),
            ("workspace.copy", json!(file.workspace.copy)),
            ("policy.approvers", json!(file.policy.approvers)),
            ("tools.shell", json!(file.tools.shell)),
            ("tools.human", json!(file.tools.human)),
            ("tools.hosts", json!(file.tools.hosts)),
            ("tools.environment", json!(file.tools.environment)),
        ];
        let of_person =
            self.person.as_ref().and_then(|person| Some((person, person.defaults.model.as_ref()?)));
        let from_person =
            of_person.filter(|(_, name)| Some(*name) == model.as_ref() && file.models.len() != 1);
        match from_person {
            Some((person, name)) => {
                let origin = Origin::File(person.path.display().to_string());
                settings.entry(path_of("defaults.model")).or_insert((json!(name), origin));
            }
            None => defaults.push(("defaults.model", json!(model))),
        }
        // A table of categories in the file replaces the default table.
        if !settings.keys().any(|key| key.starts_with(&path_of("policy.categories"))) {
            let categories = file.policy.categories.iter();
            settings.extend(categories.map(|(name, word)| {
                let word =
                    ActionPolicy::parse(word).map_or_else(|| word.clone(), |policy| policy.spoken().into());
                (["policy", "categories", name].map(str::to_owned).into(), (word, Origin::Default))
            }));
        }
        for (key, value) in defaults {
            settings.entry(path_of(key)).or_insert((value, Origin::Default));
        }
    }

    fn add_environment(&self, settings: &mut Settings) -> Result<(), Failure> {
        let from =
            |name: &str| if environment::has(name) { Some(Origin::Variable(name.to_owned())) } else { None };
        let database = self.data_dir()?.database().to_string_lossy().into_owned();
        let database = (json!(database), from(DATABASE).unwrap_or(Origin::Default));
        let seal = environment::seal_key_file().map(|path| path.to_string_lossy().into_owned());
        settings.insert(path_of("storage.database"), database);
        settings
            .insert(path_of("storage.seal_key"), (json!(seal), from(SEAL_KEY).unwrap_or(Origin::Default)));
        let anchor = (json!(self.anchor_file()), from(ANCHOR).unwrap_or(Origin::Default));
        if from(ANCHOR).is_some() {
            settings.insert(path_of("storage.anchor"), anchor);
        } else {
            settings.entry(path_of("storage.anchor")).or_insert(anchor);
        }
        Ok(())
    }

    fn add_model(
        &self,
        name: &str,
        entry: &ModelEntry,
        written: (&Written, &Written),
        settings: &mut Settings,
    ) {
        let (own, persons) = written;
        let section = self.file.models.get(name).map(toml::Spanned::get_ref);
        let is_whole = section.is_some_and(|section| !is_adjustment(section));
        let origin = |path: &[String]| {
            let persons = persons.place(path).filter(|_| !is_whole);
            own.place(path).or(persons).map_or(Origin::Default, |place| Origin::File(place.to_owned()))
        };
        let base = ["models".to_owned(), name.to_owned()];
        match entry {
            ModelEntry::Cassette(file) => {
                let path = with(&base, "cassette");
                let place = origin(&path);
                settings.insert(path, (json!(file), place));
            }
            ModelEntry::Remote(config) => {
                let mut leaves = Vec::new();
                flatten(&base, serde_json::to_value(config).unwrap_or_default(), &mut leaves);
                for (path, value) in leaves {
                    let found = origin(&path);
                    // A key that the section does not name comes from the user's table of keys.
                    let found = match (path.last().map(String::as_str), found) {
                        (Some(key @ ("key_env" | "key_file")), Origin::Default) => {
                            let provider = config.provider.to_string();
                            let key = [key.trim_start_matches("key_").to_owned()];
                            let path = [&["keys".to_owned(), provider][..], &key].concat();
                            persons
                                .place(&path)
                                .map_or(Origin::Default, |place| Origin::File(place.to_owned()))
                        }
                        (_, found) => found,
                    };
                    settings.insert(path, (value, found));
                }
                settings.insert(with(&base, "key"), key(config));
            }
        }
    }
}

/// Returns whether a model has its key, and where the key is.
fn key(config: &ModelConfig) -> (Value, Origin) {
    let variable = config.key_env.as_deref().or(config.provider.key_variable());
    let word = |is_set: bool| json!(if is_set { "set" } else { "not set" });
    match (&config.key_file, variable) {
        (Some(file), _) => (word(file.is_file()), Origin::File(file.display().to_string())),
        (None, Some(name)) => (word(environment::has(name)), Origin::Variable(name.to_owned())),
        (None, None) => (json!("not needed"), Origin::Default),
    }
}

fn add_agent(agent: &AgentFile, settings: &mut Settings) {
    let head = &agent.head;
    let mut add = |keys: &[&str], value: Value| {
        let (key, name) =
            (keys.first().copied().unwrap_or_default(), keys.get(1).copied().unwrap_or_default());
        let path = ["agents", &head.name].iter().chain(keys).map(|word| (*word).to_owned()).collect();
        settings.insert(path, (value, Origin::File(agent.place_of(key, name))));
    };
    if !head.description.is_empty() {
        add(&["description"], json!(head.description));
    }
    for (key, value) in [("model", &head.model), ("mode", &head.mode)] {
        value.iter().for_each(|value| add(&[key], json!(value)));
    }
    for (key, value) in [("tools", &head.tools), ("categories", &head.categories)] {
        value.iter().for_each(|value| add(&[key], json!(value)));
    }
    for (key, value) in [("max_turns", head.max_turns), ("repetition_limit", head.repetition_limit)] {
        value.iter().for_each(|value| add(&[key], json!(value)));
    }
    head.policy.iter().for_each(|(tool, word)| add(&["policy", tool], word.clone()));
    head.budgets.iter().for_each(|(name, ceiling)| add(&["budgets", name], json!(ceiling)));
    head.compaction.iter().for_each(|compaction| add(&["compaction"], compaction.policy()));
}

type Key = Vec<String>;
type Settings = BTreeMap<Key, (Value, Origin)>;

/// The values of a file, each with its location.
#[derive(Default)]
pub(crate) struct Written {
    values: Vec<(Key, Value)>,
    places: BTreeMap<Key, String>,
}

impl Written {
    fn read(text: &str, path: &str) -> Result<Self, Failure> {
        let refused =
            |error: toml::de::Error| Failure::new(Code::Config, format!("{path}: {}", error.message()));
        let values: Value = toml::from_str(text).map_err(refused)?;
        let table = DeTable::parse(text).map_err(refused)?;
        let mut written = Self::default();
        flatten(&[], values, &mut written.values);
        let place = |offset: usize| format!("{path}:{}", line_at(text, offset));
        places(&[], table.get_ref(), &place, &mut written.places);
        Ok(written)
    }

    pub(crate) fn place(&self, path: &[String]) -> Option<&str> {
        self.places.get(path).map(String::as_str)
    }

    fn settings(&self, wanted: impl Fn(&[String]) -> bool) -> Settings {
        let wanted = self.values.iter().filter(|(path, _)| wanted(path));
        wanted
            .map(|(path, value)| {
                let place = self.place(path).unwrap_or_default().to_owned();
                (path.clone(), (value.clone(), Origin::File(place)))
            })
            .collect()
    }
}

/// Returns the leaves of a value. A list of named tables becomes a table by these names; its tables are not
/// split.
fn flatten(path: &[String], value: Value, leaves: &mut Vec<(Key, Value)>) {
    match value {
        Value::Object(table) if !table.is_empty() => {
            table.into_iter().for_each(|(key, value)| flatten(&with(path, &key), value, leaves));
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(|item| name(item).is_some()) => {
            let named = |item: Value| Some((with(path, name(&item)?), item));
            leaves.extend(items.into_iter().filter_map(named));
        }
        value => leaves.push((path.to_owned(), value)),
    }
}

fn name(item: &Value) -> Option<&str> {
    item.get("name")?.as_str()
}

/// Returns the locations of the leaves of a table.
fn places(
    path: &[String],
    table: &DeTable<'_>,
    place: &dyn Fn(usize) -> String,
    found: &mut BTreeMap<Key, String>,
) {
    for (key, value) in table {
        let path = with(path, key.get_ref());
        found.insert(path.clone(), place(key.span().start));
        match value.get_ref() {
            DeValue::Table(table) => places(&path, table, place, found),
            DeValue::Array(items) => {
                for item in items.iter() {
                    let name = item.get_ref().get("name").and_then(|name| name.get_ref().as_str());
                    found.extend(name.map(|name| (with(&path, name), place(item.span().start))));
                }
            }
            _ => {}
        }
    }
}

fn with(path: &[String], key: &str) -> Key {
    path.iter().cloned().chain([key.to_owned()]).collect()
}

fn path_of(dotted: &str) -> Key {
    dotted.split('.').map(str::to_owned).collect()
}

fn dotted(path: &[String]) -> String {
    let is_bare = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let word = |word: &String| if is_bare(word) { word.clone() } else { format!("\"{word}\"") };
    path.iter().map(word).collect::<Vec<_>>().join(".")
}

/// Headers may contain secrets under any name; so may values whose names indicate secrets.
fn is_secret(path: &[String]) -> bool {
    let [kind, .., name] = path else { return false };
    let is_header = path.iter().any(|key| key == "headers");
    kind == "models"
        && (is_header || is_sensitive_name(name) && !matches!(&**name, "key" | "key_env" | "key_file"))
}

/// Removes user name and password from a URL.
fn without_userinfo(value: Value) -> Value {
    let Some((scheme, rest)) = value.as_str().and_then(|text| text.split_once("://")) else { return value };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{REDACTED}@{host}{path}").into(),
        None => value,
    }
}
