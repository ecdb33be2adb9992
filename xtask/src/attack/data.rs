//! Attacks as they stand in `attacks/*.toml`; `attacks/README.md` describes the format.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use crate::Failure;

/// A file of attacks on one promise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AttackFile {
    promise: String,
    #[serde(default)]
    files: Files,
    #[serde(default)]
    base: Table,
    #[serde(default)]
    project: Table,
    agent: Option<String>,
    #[serde(default)]
    control: Control,
    remember: Option<Call>,
    #[serde(rename = "attack")]
    attacks: Vec<RawAttack>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAttack {
    name: String,
    promise: Option<String>,
    #[serde(default)]
    files: Files,
    #[serde(default)]
    base: Table,
    #[serde(default)]
    project: Table,
    agent: Option<String>,
    #[serde(default)]
    control: Control,
    remember: Option<Call>,
    open: Option<String>,
    ways: Option<Vec<Way>>,
    turns: Option<Vec<Turn>>,
    steps: Option<Vec<Step>>,
    effect: Effect,
    #[serde(default)]
    says: Vec<String>,
}

type Files = BTreeMap<String, String>;

/// What takes the place of the attack's own parts in its control.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Control {
    #[serde(default)]
    project: Table,
    #[serde(default)]
    files: Files,
    agent: Option<String>,
    turns: Option<Vec<Turn>>,
    steps: Option<Vec<Step>>,
    effect: Option<Effect>,
}

/// How an attack is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum Way {
    Unanswered,
    Yes,
    Allowed,
}

impl Way {
    pub(super) const ALL: [Self; 3] = [Self::Unanswered, Self::Yes, Self::Allowed];
}

/// A tool call of the scripted model. Arguments that are a text are sent as they are.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments: Value,
}

/// What the scripted model says in one turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Turn {
    Calls(Vec<Call>),
    Text { text: String },
}

/// One run, one command, or one edit by the operator.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) turns: Option<Vec<Turn>>,
    pub(super) provost: Option<Vec<String>>,
    #[serde(default)]
    pub(super) write: Files,
    /// A statement that another program runs on the database.
    pub(super) sql: Option<String>,
    /// The signal that the program gets once `when` exists.
    pub(super) kill: Option<Signal>,
    pub(super) when: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Signal {
    Kill,
    Term,
    Hup,
}

/// What must not happen in the attack, and must happen in its control.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Effect {
    pub(super) gone: Vec<String>,
    pub(super) appears: Vec<String>,
    pub(super) changed: Vec<String>,
    pub(super) sent: Vec<String>,
    pub(super) printed: Vec<String>,
}

/// One attack, with what its file says about all of them.
#[derive(Debug)]
pub(super) struct Attack {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) promise: String,
    pub(super) open: Option<String>,
    pub(super) ways: Vec<Way>,
    pub(super) remember: Option<Call>,
    pub(super) says: Vec<String>,
    pub(super) guarded: Scene,
    pub(super) control: Scene,
}

/// A project and what happens in it.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) files: Files,
    pub(super) project: Table,
    pub(super) agent: Option<String>,
    pub(super) steps: Vec<Step>,
    pub(super) effect: Effect,
}

/// Reads every attack, in the order of the files.
pub(super) fn read(folder: &Path) -> Result<Vec<Attack>, Failure> {
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut attacks: Vec<Attack> = Vec::new();
    for path in &paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file: AttackFile = toml::from_str(&fs::read_to_string(path)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        for raw in &file.attacks {
            let attack = file.attack(&name, raw)?;
            if attacks.iter().any(|other| other.name == attack.name) {
                return Err(format!("{name}: two attacks are called `{}`", attack.name).into());
            }
            attacks.push(attack);
        }
    }
    Ok(attacks)
}

impl AttackFile {
    fn attack(&self, file: &str, raw: &RawAttack) -> Result<Attack, Failure> {
        let steps = steps(raw.turns.as_ref(), raw.steps.as_ref())
            .ok_or_else(|| format!("{file}: `{}` has no turns", raw.name))?;
        if raw.effect.is_empty() {
            return Err(format!("{file}: `{}` names no effect", raw.name).into());
        }
        let base = merged(self.base.clone(), &raw.base);
        let files = joined(&self.files, &raw.files);
        let own = merged(self.project.clone(), &raw.project);
        let agent = raw.agent.clone().or_else(|| self.agent.clone());
        let control = merged(self.control.project.clone(), &raw.control.project);
        let guarded = Scene {
            files: files.clone(),
            project: merged(base.clone(), &own),
            agent: agent.clone(),
            steps,
            effect: raw.effect.clone(),
        };
        let control = Scene {
            files: joined(&joined(&files, &self.control.files), &raw.control.files),
            project: merged(base, &control),
            agent: raw.control.agent.clone().or_else(|| self.control.agent.clone()).or(agent),
            steps: steps_of(&raw.control)
                .or_else(|| steps_of(&self.control))
                .unwrap_or_else(|| guarded.steps.clone()),
            effect: raw.control.effect.clone().unwrap_or_else(|| raw.effect.clone()),
        };
        Ok(Attack {
            name: raw.name.clone(),
            file: file.to_owned(),
            promise: raw.promise.clone().unwrap_or_else(|| self.promise.clone()),
            open: raw.open.clone(),
            ways: raw.ways.clone().unwrap_or_else(|| Way::ALL.to_vec()),
            remember: raw.remember.clone().or_else(|| self.remember.clone()),
            says: raw.says.clone(),
            guarded,
            control,
        })
    }
}

impl Effect {
    fn is_empty(&self) -> bool {
        [&self.gone, &self.appears, &self.changed, &self.sent, &self.printed]
            .iter()
            .all(|list| list.is_empty())
    }
}

fn steps_of(control: &Control) -> Option<Vec<Step>> {
    steps(control.turns.as_ref(), control.steps.as_ref())
}

fn steps(turns: Option<&Vec<Turn>>, steps: Option<&Vec<Step>>) -> Option<Vec<Step>> {
    let one = |turns: &Vec<Turn>| vec![Step { turns: Some(turns.clone()), ..Step::default() }];
    steps.cloned().or_else(|| turns.map(one))
}

fn joined(files: &Files, more: &Files) -> Files {
    let all = files.iter().chain(more);
    all.map(|(path, text)| (path.clone(), text.clone())).collect()
}

/// A table with another one's values over its own, table by table; lists are replaced.
pub(super) fn merged(mut table: Table, over: &Table) -> Table {
    for (key, value) in over {
        let value = match (table.remove(key), value) {
            (Some(Value::Table(below)), Value::Table(over)) => Value::Table(merged(below, over)),
            (_, value) => value.clone(),
        };
        table.insert(key.clone(), value);
    }
    table
}
