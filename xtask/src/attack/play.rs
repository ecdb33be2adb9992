//! One attack, or its control, in a fresh project.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal as Number, kill_process};
use toml::{Table, Value};

use super::data::{Attack, Call, Effect, Scene, Signal, Step, Turn, Way, merged};
use super::model::ScriptedModel;
use super::wait;
use crate::Failure;

/// The key of the scripted model. No record and no request body may hold it.
const KEY: &str = "sk-attack-0123456789-never-shown";
/// A program that works longer than this hangs.
const RUN_MAX: Duration = Duration::from_secs(60);
/// How long a process may work on in the project after the last step.
const LEFT_MAX: Duration = Duration::from_secs(10);

const AGENT: &str = "---\nname: worker\n---\nYou work here.\n";

/// The user that plays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Player {
    /// Another user than this process's own.
    pub(super) uid: Option<u32>,
}

impl Player {
    pub(super) fn name(self) -> &'static str {
        match self.uid {
            None => "self",
            Some(_) => "uid 65534",
        }
    }
}

/// What is played: the attack in one way, or its control.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Way(Way),
    Control,
}

/// What came of a play.
#[derive(Debug, Default)]
pub(super) struct Played {
    /// Each effect that happened.
    pub(super) happened: Vec<String>,
    /// How many effects were looked for.
    pub(super) wanted: usize,
    /// Texts that were promised and not said.
    pub(super) unsaid: Vec<String>,
    /// Everything printed and sent, for a person.
    pub(super) log: String,
}

/// Plays an attack or its control from an empty folder to its last step.
pub(super) fn play(program: &Path, player: Player, attack: &Attack, part: Part) -> Result<Played, Failure> {
    let folder = tempfile::Builder::new().prefix("provost-attack-").tempdir()?;
    let root = folder.path().canonicalize()?;
    fs::set_permissions(&root, fs::Permissions::from_mode(0o755))?;
    let project = root.join("project");
    fs::create_dir(&project)?;
    let stage = Stage {
        program,
        player,
        project,
        model: ScriptedModel::start()?,
        scene: part_of(attack, part),
        written: RefCell::default(),
    };
    stage.prepare(attack, part)?;
    let mut log = String::new();
    for step in &stage.scene.steps {
        log.push_str(&stage.step(step, part)?);
    }
    let left = wait::until(LEFT_MAX, || processes_in(&root).is_empty());
    let mut happened = Vec::new();
    if !left && matches!(part, Part::Way(_)) {
        happened.push(format!("processes are left: {:?}", processes_in(&root)));
    }
    log.push_str(&stage.record());
    let sent = stage.model.requests();
    happened.extend(stage.effects(&stage.scene.effect, &sent, &log));
    let said = |text: &&String| {
        !stage.filled(text).is_empty() && !format!("{sent}{log}").contains(&stage.filled(text))
    };
    let unsaid = attack.says.iter().filter(said).cloned().collect();
    let log = format!("{log}\n--- sent to the model\n{sent}");
    Ok(Played { happened, wanted: stage.scene.effect.count(), unsaid, log })
}

fn part_of(attack: &Attack, part: Part) -> &Scene {
    match part {
        Part::Way(_) => &attack.guarded,
        Part::Control => &attack.control,
    }
}

/// A project, the program that works in it, and its model.
struct Stage<'a> {
    program: &'a Path,
    player: Player,
    project: PathBuf,
    model: ScriptedModel,
    scene: &'a Scene,
    /// The files as they were written last.
    written: RefCell<BTreeMap<String, String>>,
}

impl Stage<'_> {
    fn prepare(&self, attack: &Attack, part: Part) -> Result<(), Failure> {
        self.write("agents/worker.md", self.scene.agent.as_deref().unwrap_or(AGENT))?;
        for (path, text) in &self.scene.files {
            self.write(path, text)?;
        }
        if let (Part::Way(Way::Allowed), Some(call)) = (part, &attack.remember) {
            self.remember(call)?;
        }
        let tools: Vec<&str> = tools(&self.scene.steps).collect();
        let granted = match part {
            Part::Way(Way::Unanswered | Way::Yes) => Table::new(),
            Part::Way(Way::Allowed) | Part::Control => policy(&tools, "direct"),
        };
        self.configure(&merged(granted, &self.scene.project))
    }

    /// A person allows one harmless call of the tool, and has the answer remembered.
    fn remember(&self, call: &Call) -> Result<(), Failure> {
        self.configure(&policy(&[&call.tool], "preview"))?;
        self.model.play(vec![Turn::Calls(vec![self.filled_call(call)])]);
        self.provost(&["run", "go"])?;
        self.provost(&["approve", "last", "--stop-asking", "tool", "--for", "always"])?;
        Ok(())
    }

    fn configure(&self, project: &Table) -> Result<(), Failure> {
        let base = format!(
            "defaults.model = \"scripted\"\n[models.scripted]\nprovider = \"openai_compatible\"\nbase_url = \"{}\"\n\
             key_env = \"SCRIPTED_KEY\"\ndelivery = \"whole\"\nsettings.model = \"scripted\"\nretry = {{ attempts_max = 1 }}\n",
            self.model.url
        );
        let text = toml::to_string(&merged(base.parse()?, project))?;
        self.write("provost.toml", &text)
    }

    fn step(&self, step: &Step, part: Part) -> Result<String, Failure> {
        for (path, text) in &step.write {
            self.write(path, text)?;
        }
        if let Some(sql) = &step.sql {
            self.execute(sql)?;
        }
        let mut log = String::new();
        if let Some(turns) = &step.turns {
            self.model.play(turns.iter().map(|turn| self.filled_turn(turn)).collect());
            let yes = matches!(part, Part::Control | Part::Way(Way::Yes));
            let words: &[&str] = if yes { &["run", "go", "--yes"] } else { &["run", "go"] };
            log.push_str(&match step.kill {
                None => self.provost(words)?,
                Some(signal) => self.killed(words, signal, step.when.as_deref().unwrap_or("started"))?,
            });
        }
        if let Some(words) = &step.provost {
            let words: Vec<String> = words.iter().map(|word| self.filled(word)).collect();
            log.push_str(&self.provost(&words.iter().map(String::as_str).collect::<Vec<_>>())?);
        }
        Ok(log)
    }

    #[expect(clippy::disallowed_methods, reason = "another program writes to the file")]
    fn execute(&self, sql: &str) -> Result<(), Failure> {
        let file = rusqlite::Connection::open(self.project.join(".provost/provost.db"))?;
        file.execute_batch(&self.filled(sql))?;
        Ok(())
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = match self.player.uid {
            None => Command::new(self.program),
            Some(uid) => {
                let mut command = Command::new("setpriv");
                command.args([
                    format!("--reuid={uid}"),
                    format!("--regid={uid}"),
                    "--clear-groups".to_owned(),
                ]);
                command.arg(self.program);
                command
            }
        };
        command.args(words).current_dir(&self.project).env_clear().stdin(Stdio::null());
        command.envs([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("SCRIPTED_KEY", KEY)]);
        command.env("HOME", &self.project);
        command
    }

    /// Runs the program to its end, and returns what it printed.
    fn provost(&self, words: &[&str]) -> Result<String, Failure> {
        let out = tempfile::tempfile()?;
        let mut child = self.command(words).stdout(out.try_clone()?).stderr(out.try_clone()?).spawn()?;
        if !wait::until(RUN_MAX, || !matches!(child.try_wait(), Ok(None))) {
            child.kill()?;
            child.wait()?;
            return Err(format!("provost {} hangs\n{}", words.join(" "), read_back(out)?).into());
        }
        Ok(format!("--- provost {}\n{}", words.join(" "), read_back(out)?))
    }

    /// Runs the program until a file exists, and sends it a signal.
    fn killed(&self, words: &[&str], signal: Signal, when: &str) -> Result<String, Failure> {
        let out = tempfile::tempfile()?;
        let mut child = self.command(words).stdout(out.try_clone()?).stderr(out.try_clone()?).spawn()?;
        let started = self.project.join(when);
        let began = wait::until(RUN_MAX, || started.exists() || !matches!(child.try_wait(), Ok(None)));
        if began && started.exists() {
            let number = match signal {
                Signal::Kill => Number::KILL,
                Signal::Term => Number::TERM,
                Signal::Hup => Number::HUP,
            };
            kill_process(Pid::from_child(&child), number)?;
        }
        if !wait::until(RUN_MAX, || !matches!(child.try_wait(), Ok(None))) {
            child.kill()?;
        }
        child.wait()?;
        Ok(format!("--- provost {} ({signal:?})\n{}", words.join(" "), read_back(out)?))
    }

    /// What the record of the newest run says to people and to providers.
    fn record(&self) -> String {
        let shown = self.provost(&["--json", "show", "last"]).unwrap_or_default();
        let exported = self.provost(&["export", "last", "--to", "openai_chat"]).unwrap_or_default();
        format!("{shown}{exported}")
    }

    fn effects(&self, effect: &Effect, sent: &str, printed: &str) -> Vec<String> {
        let at = |path: &String| self.project.join(self.filled(path));
        let original = |path: &String| self.written.borrow().get(path).map(|text| text.clone().into_bytes());
        let mut happened = Vec::new();
        happened.extend(
            effect.gone.iter().filter(|path| !at(path).exists()).map(|path| format!("{path} is gone")),
        );
        let appeared = effect.appears.iter().filter(|path| at(path).symlink_metadata().is_ok());
        happened.extend(appeared.map(|path| format!("{path} appears")));
        let changed = effect.changed.iter().filter(|path| fs::read(at(path)).ok() != original(path));
        happened.extend(changed.map(|path| format!("{path} is changed")));
        let found = |text: &&String, place: &str| place.contains(&self.filled(text));
        happened
            .extend(effect.sent.iter().filter(|text| found(text, sent)).map(|text| format!("sent: {text}")));
        let shown = effect.printed.iter().filter(|text| found(text, printed));
        happened.extend(shown.map(|text| format!("printed: {text}")));
        happened
    }

    /// Writes a file of the project, which then belongs to the player.
    fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let text = self.filled(text);
        let file = self.project.join(path);
        let parent = file.parent().unwrap_or(&self.project);
        fs::create_dir_all(parent)?;
        match text.strip_prefix("link:") {
            Some(target) => symlink(target, &file)?,
            None => fs::write(&file, &text)?,
        }
        self.written.borrow_mut().insert(path.to_owned(), text.clone());
        if text.starts_with("#!") {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
        if let Some(uid) = self.player.uid {
            lchown(&file, Some(uid), Some(uid))?;
            for place in file.ancestors().skip(1).take_while(|place| place.starts_with(&self.project)) {
                chown(place, Some(uid), Some(uid))?;
            }
        }
        Ok(())
    }

    fn filled(&self, text: &str) -> String {
        let root = self.project.to_string_lossy();
        let user = if self.player.uid.is_some() || !rustix::process::geteuid().is_root() {
            "nobody"
        } else {
            "root"
        };
        text.replace("{root}", &root)
            .replace("{provost}", &self.program.to_string_lossy())
            .replace("{url}", &self.model.url)
            .replace("{user}", user)
            .replace("{key}", KEY)
    }

    fn filled_turn(&self, turn: &Turn) -> Turn {
        match turn {
            Turn::Text { text } => Turn::Text { text: self.filled(text) },
            Turn::Calls(calls) => Turn::Calls(calls.iter().map(|call| self.filled_call(call)).collect()),
        }
    }

    fn filled_call(&self, call: &Call) -> Call {
        Call { tool: call.tool.clone(), arguments: self.filled_value(&call.arguments) }
    }

    fn filled_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.filled(text)),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.filled_value(item)).collect()),
            Value::Table(table) => Value::Table(
                table.iter().map(|(key, value)| (key.clone(), self.filled_value(value))).collect(),
            ),
            value => value.clone(),
        }
    }
}

impl Effect {
    fn count(&self) -> usize {
        self.gone.len() + self.appears.len() + self.changed.len() + self.sent.len() + self.printed.len()
    }
}

/// The tools that the turns call.
fn tools(steps: &[Step]) -> impl Iterator<Item = &str> {
    let calls = steps.iter().flat_map(|step| step.turns.iter().flatten()).flat_map(|turn| match turn {
        Turn::Calls(calls) => calls.as_slice(),
        Turn::Text { .. } => &[],
    });
    calls.map(|call| call.tool.as_str())
}

fn policy(tools: &[&str], word: &str) -> Table {
    let known = |tool: &&&str| tool.contains('/');
    let words = tools.iter().filter(known).map(|tool| ((*tool).to_owned(), Value::from(word)));
    let tools = Table::from_iter([("tools".to_owned(), Value::Table(words.collect()))]);
    Table::from_iter([("policy".to_owned(), Value::Table(tools))])
}

fn read_back(mut file: fs::File) -> Result<String, Failure> {
    use std::io::{Read as _, Seek as _};
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The processes that work in a folder: what an attack left behind.
fn processes_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let works_there = |entry: &fs::DirEntry| {
        fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    };
    let pids = entries.flatten().filter(works_there);
    pids.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
