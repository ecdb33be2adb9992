//! `provost exec`: declarations as black boxes, with real programs as tools.

mod answers;
mod docs;
mod flow;
mod graphs;
mod intents;
mod limits;
mod speaking;

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::world::World;

/// Tools of a few lines of shell. What they do stands in files, so that a test can count it.
const TOOLS: &str = r#"
[policy.categories]
write = "ask"

[[tools.commands]]
name = "t/echo"
description = "Prints what it is given."
argv = ["sh", "-c", "printf '{\"got\":'; cat; printf '}'"]
side_effects = ["read"]
idempotency = "pure"

[[tools.commands]]
name = "t/list"
description = "Prints a list."
argv = ["sh", "-c", "echo '[{\"n\":1},{\"n\":2},{\"n\":3}]'"]
side_effects = ["read"]
idempotency = "pure"

[[tools.commands]]
name = "t/note"
description = "Appends a line to a file."
argv = ["sh", "-c", "echo $PROVOST_IDEMPOTENCY_KEY >> noted; echo '{\"done\":true,\"summary\":\"noted it\"}'"]
side_effects = ["write"]

[[tools.commands]]
name = "t/fail"
description = "Fails."
argv = ["sh", "-c", "echo x >> failed; exit 3"]
side_effects = ["read"]
idempotency = "pure"

[[tools.commands]]
name = "t/third"
description = "Is done the third time."
argv = ["sh", "-c", "echo x >> third; n=$(wc -l < third); if [ $n -ge 3 ]; then echo '{\"done\":true}'; else echo '{\"done\":false}'; fi"]
side_effects = ["read"]
idempotency = "pure"

[[tools.commands]]
name = "t/large"
description = "Prints a long text."
argv = ["sh", "-c", "printf '\"'; i=0; while [ $i -lt 600 ]; do printf 'line %d of a long text.\\\\n' $i; i=$((i+1)); done; printf '\"'"]
side_effects = ["read"]
idempotency = "pure"
"#;

/// A project whose tools write files, and the record that the last command printed.
pub(super) struct Exec(World);

impl Exec {
    pub(super) fn new() -> Self {
        Self::with("")
    }

    pub(super) fn with(more: &str) -> Self {
        let world = World::new();
        fs::create_dir_all(world.path("p")).unwrap();
        fs::write(world.path("p/provost.toml"), format!("{more}\n{TOOLS}")).unwrap();
        Self(world)
    }

    /// Runs a declaration; returns the exit code and the record.
    pub(super) fn exec(&self, declaration: &Value, words: &[&str]) -> (i32, Value) {
        self.exec_text(&declaration.to_string(), words)
    }

    pub(super) fn exec_text(&self, declaration: &str, words: &[&str]) -> (i32, Value) {
        fs::write(self.0.path("p/declaration"), declaration).unwrap();
        let file = self.0.path("p/declaration");
        let mut all = vec!["--json", "exec", file.to_str().unwrap(), "--project", "p"];
        all.extend(words);
        self.record(&all)
    }

    /// Runs another command, and returns the exit code and the last line.
    pub(super) fn provost(&self, words: &[&str]) -> (i32, Value) {
        let mut all = vec!["--json"];
        all.extend(words);
        all.extend(["--project", "p"]);
        self.record(&all)
    }

    fn record(&self, words: &[&str]) -> (i32, Value) {
        // Time goes on: a pause between attempts is waited for.
        let mut command = self.0.command(words);
        let output = command.env_remove("PROVOST_CLOCK_MS").output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let last = stdout.lines().last().unwrap_or("null");
        let record = serde_json::from_str(last).unwrap_or_else(|_| panic!("{stdout}"));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
        (output.status.code().unwrap_or(-1), record)
    }

    pub(super) fn piped(&self, declaration: &str) -> (i32, String) {
        let mut command = self.0.command(&["exec", "-", "--project", "p"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(declaration.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.code().unwrap_or(-1), text.into_owned())
    }

    pub(super) fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = self.0.command(words);
        command.env_remove("PROVOST_CLOCK_MS");
        command
    }

    pub(super) fn write(&self, file: &str, text: &str) -> String {
        let path = self.0.path(&format!("p/{file}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The lines of a file that a tool wrote.
    pub(super) fn lines(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.0.path(&format!("p/{file}"))).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// A graph of actions.
pub(super) fn graph(actions: Value) -> Value {
    envelope("execute", json!({ "type": "action_graph", "actions": typed(actions) }))
}

pub(super) fn typed(actions: Value) -> Value {
    let Value::Array(mut actions) = actions else { panic!("actions are a list") };
    for action in &mut actions {
        action["type"] = "action".into();
    }
    actions.into()
}

pub(super) fn envelope(intent: &str, payload: Value) -> Value {
    json!({ "type": "agent.protocol", "version": "1", "intent": intent, "payload": payload })
}

pub(super) fn tool(name: &str) -> Value {
    json!({ "type": "tool", "target": name })
}

pub(super) fn runtime(name: &str) -> Value {
    json!({ "type": "runtime", "target": name })
}

/// The action of a name in a record.
pub(super) fn action<'r>(record: &'r Value, id: &str) -> &'r Value {
    let all = record["actions"].as_array().unwrap();
    all.iter().find(|action| action["id"] == id).unwrap_or_else(|| panic!("no {id} in {record}"))
}

/// The statuses of all actions with the codes of their reasons, in order.
pub(super) fn statuses(record: &Value) -> String {
    let all = record["actions"].as_array().unwrap().iter().map(|action| {
        let code = action["reason"]["code"].as_str().map(|code| format!("({code})")).unwrap_or_default();
        format!("{}:{}{code}", action["id"].as_str().unwrap(), action["status"].as_str().unwrap())
    });
    all.collect::<Vec<_>>().join(" ")
}
