//! A small project with something to protect, and attempts on it.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::sync::Arc;

use provost::{MemoryStore, Outcome, Script, Store};
use provost_project::{ModelSource, Project, ProjectRuntime, RuntimeOptions};
use serde_json::{Value, json};

/// The text of a file that the rules deny.
pub(super) const SECRET: &str = "KEY-4711";
/// The text of a file that the rules allow.
pub(super) const OPEN: &str = "OPEN-0815";

/// Everything else runs unasked, so that only the rule stands in the way.
const UNASKED: &str = "[policy]\ncategories = {}\n";

const COMMANDS: &str = r#"
[[tools.commands]]
name = "team/clean"
description = "Cleans."
argv = ["rm", "victim.txt"]
parameters = { type = "object" }

[[tools.commands]]
name = "team/script"
description = "Cleans in its own way."
argv = ["sh", "script.sh"]
parameters = { type = "object" }

[[tools.commands]]
name = "team/hello"
description = "Says hello."
argv = ["echo", '"OPEN-0815"']
parameters = { type = "object" }
"#;

/// A project in a folder of its own.
pub(super) struct Scene {
    home: tempfile::TempDir,
    pub(super) store: Arc<dyn Store>,
    /// Whether a person can be asked about exactly one call.
    attended: bool,
}

/// What would show that an attempt took effect.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// The model sees this text.
    Shows(&'static str),
    /// A file is gone.
    Gone(&'static str),
    /// A file is there.
    Made(&'static str),
}

/// What shows that an attempt failed for the right reason.
#[derive(Clone, Debug)]
pub(super) enum Control {
    /// Without the rule it takes effect.
    WithoutTheRule,
    /// It never does; but this does, with the rule.
    Neighbour(Vec<(&'static str, Value)>, Effect),
}

/// One way around a rule.
pub(super) struct Attempt {
    pub(super) name: &'static str,
    pub(super) calls: Vec<(&'static str, Value)>,
    pub(super) effect: Effect,
    pub(super) control: Control,
}

impl Scene {
    pub(super) fn new(rules: &str) -> Self {
        let store = Arc::new(MemoryStore::new(provost_project::clock::clock()));
        let scene = Self { home: tempfile::tempdir().unwrap(), store, attended: false };
        for folder in ["agents", "w/secrets", "w/docs"] {
            fs::create_dir_all(scene.path(folder)).unwrap();
        }
        scene.configure(rules);
        scene.write("agents/a.md", "---\nname: a\n---\nWork.\n");
        scene.write("w/secrets/the-key", &format!("{SECRET}\n"));
        scene.write("w/docs/open.txt", OPEN);
        for file in ["w/victim.txt", "w/neighbour.txt"] {
            scene.write(file, "precious\n");
        }
        scene.write("w/list", "victim.txt\n");
        for program in ["nice", "bash", "find", "cat", "zz"] {
            scene.write(&format!("w/{program}"), "#!/bin/sh\n/bin/rm victim.txt\n");
            let own = fs::Permissions::from_mode(0o755);
            fs::set_permissions(scene.path(&format!("w/{program}")), own).unwrap();
        }
        scene.write("w/names", "secrets/the-key\n");
        scene.write("w/Makefile", "all:\n\trm victim.txt\n");
        scene.write("w/script.sh", "#!/bin/sh\nrm victim.txt\necho '{}'\n");
        fs::set_permissions(scene.path("w/script.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("secrets", scene.path("w/notes")).unwrap();
        symlink("secrets/the-key", scene.path("w/link.txt")).unwrap();
        symlink("secrets/new", scene.path("w/dangling")).unwrap();
        scene
    }

    /// The same, with a person at hand.
    pub(super) fn attended(rules: &str) -> Self {
        Self { attended: true, ..Self::new(rules) }
    }

    /// Writes the configuration: these rules, and nothing else in the way.
    pub(super) fn configure(&self, rules: &str) {
        self.write("provost.toml", &format!("[workspace]\nroot = \"w\"\n{UNASKED}{rules}{COMMANDS}"));
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    /// The absolute spelling of a place in the workspace.
    pub(super) fn absolute(&self, path: &str) -> String {
        self.path("w").canonicalize().unwrap().join(path).to_string_lossy().into_owned()
    }

    /// What works on runs of the project, with a model that makes these calls one after the other.
    pub(super) fn setup(&self, calls: &[(&'static str, Value)]) -> ProjectRuntime {
        let project = Project::open(self.home.path()).unwrap();
        let agent = project.agent(None).unwrap();
        let script = calls
            .iter()
            .fold(Script::new(), |script, (tool, arguments)| script.call(tool, self.placed(arguments)));
        let model = script.say("Done.").into();
        let options = RuntimeOptions {
            agent: Some(&agent),
            model: ModelSource::Given(model),
            root: &project.root(),
            store: self.store.clone(),
            data: None,
            attended: self.attended,
        };
        project.runtime(options).unwrap()
    }

    /// `{root}` in an argument is the workspace.
    fn placed(&self, arguments: &Value) -> Value {
        let root = self.absolute("");
        let text = arguments.to_string().replace("{root}", root.trim_end_matches('/'));
        serde_json::from_str(&text).unwrap()
    }

    pub(super) async fn run(&self, calls: &[(&'static str, Value)]) -> Outcome {
        self.setup(calls).runtime.start("Go.").await.unwrap().outcome().await.unwrap()
    }

    pub(super) fn took(&self, effect: Effect, outcome: &Outcome) -> bool {
        match effect {
            Effect::Shows(text) => told(outcome).contains(text),
            Effect::Gone(path) => !self.path("w").join(path).exists(),
            Effect::Made(path) => self.path("w").join(path).symlink_metadata().is_ok(),
        }
    }
}

/// Everything the calls of a run gave.
pub(super) fn told(outcome: &Outcome) -> String {
    let results = outcome.result["tool_execution_results"].as_array().cloned().unwrap_or_default();
    json!(results.iter().map(|entry| &entry["result"]).collect::<Vec<_>>()).to_string()
}

/// Tries everything; says what went through and which control failed.
pub(super) async fn try_all(rules: &str, attempts: Vec<Attempt>) -> usize {
    let mut wrong = Vec::new();
    let count = attempts.len();
    for Attempt { name, calls, effect, control } in attempts {
        let scene = Scene::new(rules);
        let outcome = scene.run(&calls).await;
        if scene.took(effect, &outcome) {
            wrong.push(format!("{name}: went through: {}", told(&outcome)));
        }
        if outcome.is_waiting() {
            wrong.push(format!("{name}: waits for a person who is not there"));
        }
        let (rules, calls, effect) = match control {
            Control::WithoutTheRule => ("", calls, effect),
            Control::Neighbour(calls, effect) => (rules, calls, effect),
        };
        let scene = Scene::new(rules);
        let outcome = scene.run(&calls).await;
        if !scene.took(effect, &outcome) {
            wrong.push(format!("{name}: the control did nothing: {}", told(&outcome)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    count
}
