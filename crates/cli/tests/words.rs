//! What every command prints, for people and for machines, word for word.

use serde_json::{Value, json};

use super::world::{Printed, World};

/// How much of a long text and of a long list a snapshot keeps.
const TEXT_MAX: usize = 100;
const ITEMS_MAX: usize = 2;

/// A command with everything it printed: notes first, as they come first on the screen.
fn told(world: &World, words: &[&str]) -> String {
    let Printed { code, stdout, stderr } = world.provost(words);
    let stdout = if words.contains(&"--json") { documents(&stdout) } else { stdout };
    let part = |name: &str, text: &str| match text.trim_end() {
        "" => String::new(),
        text => format!("-- {name}\n{text}\n"),
    };
    let notes = in_order(&stderr);
    format!(
        "$ provost {}\n{}{}-- exit {code}\n",
        words.join(" "),
        part("notes", &notes),
        part("data", &stdout)
    )
}

fn session(world: &World, commands: &[&[&str]]) -> String {
    commands.iter().map(|words| told(world, words)).collect::<Vec<_>>().join("\n")
}

/// Calls that run at once end in any order: their lines are put into one.
fn in_order(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_result = |line: &&str| line.starts_with("  < ");
    let mut sorted: Vec<&str> = Vec::new();
    for group in lines.chunk_by(|one, other| is_result(one) == is_result(other)) {
        let start = sorted.len();
        sorted.extend(group);
        if group.first().is_some_and(is_result) {
            sorted[start..].sort_unstable();
        }
    }
    sorted.join("\n")
}

/// One document a line, each shortened; the results of calls that ran at once in one order.
fn documents(stdout: &str) -> String {
    let mut documents: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_result = |document: &Value| document["kind"] == "tool_result";
    let mut start = 0;
    for group in documents.clone().chunk_by(|one, other| is_result(one) == is_result(other)) {
        let end = start + group.len();
        if is_result(&group[0]) {
            documents[start..end].sort_by_key(|document| document["call"].to_string());
        }
        start = end;
    }
    // Which of them came first is in their positions too.
    for document in documents.iter_mut().filter(|document| is_result(document)) {
        document["seq"] = json!("[…]");
    }
    documents.iter().map(|document| brief(document).to_string()).collect::<Vec<_>>().join("\n")
}

fn brief(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > TEXT_MAX => {
            let kept: String = text.chars().take(TEXT_MAX).collect();
            json!(format!("{kept}… ({} bytes)", text.len()))
        }
        Value::Array(items) if items.len() > ITEMS_MAX => {
            let mut kept: Vec<Value> = items.iter().take(ITEMS_MAX).map(brief).collect();
            kept.push(json!(format!("… {} in all", items.len())));
            Value::Array(kept)
        }
        Value::Array(items) => items.iter().map(brief).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (key.clone(), brief(value))).collect())
        }
        other => other.clone(),
    }
}

const READING: [&[&str]; 7] = [
    &["runs"],
    &["show", "last"],
    &["explain", "last"],
    &["explain", "last", "fs/edit"],
    &["replay", "last"],
    &["verify"],
    &["export", "last", "--to", "openai_chat"],
];

fn with_json<'w>(commands: &[&[&'w str]]) -> Vec<Vec<&'w str>> {
    commands.iter().map(|words| [*words, &["--json"][..]].concat()).collect()
}

fn json_session(world: &World, commands: &[&[&str]]) -> String {
    with_json(commands).iter().map(|words| told(world, words)).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_run_that_asks_and_is_approved() {
    let world = World::new();
    insta::assert_snapshot!("run_parks", told(&world, &["run", "-C", "examples/audit"]));
    insta::assert_snapshot!("parked", session(&world, &[&["runs"], &["show"], &["explain"]]));
    insta::assert_snapshot!("approve", told(&world, &["approve", "last", "--reason", "looks right"]));
    insta::assert_snapshot!("after_approve", session(&world, &READING));
    insta::assert_snapshot!("after_approve_json", json_session(&world, &READING));
    insta::assert_snapshot!(
        "too_late",
        session(&world, &[&["approve"], &["reject"], &["cancel"], &["resume"]])
    );
}

#[test]
fn a_run_that_asks_and_is_approved_for_machines() {
    let world = World::new();
    let commands: [&[&str]; 3] =
        [&["run", "-C", "examples/audit"], &["approve", "last"], &["resume", "last"]];
    insta::assert_snapshot!("run_json", json_session(&world, &commands));
}

#[test]
fn a_run_that_is_rejected() {
    let world = World::new();
    let _ = world.provost(&["run", "-C", "examples/audit"]);
    insta::assert_snapshot!("reject", told(&world, &["reject", "last", "--reason", "not now"]));
    insta::assert_snapshot!("after_reject", session(&world, &[&["show"], &["explain", "last", "fs/edit"]]));
    let world = World::new();
    let _ = world.provost(&["run", "-C", "examples/audit"]);
    insta::assert_snapshot!("reject_json", json_session(&world, &[&["reject", "last"]]));
}

#[test]
fn a_run_that_is_cancelled_and_resumed() {
    let world = World::new();
    let _ = world.provost(&["run", "-C", "examples/audit"]);
    let commands: [&[&str]; 4] = [
        &["cancel", "last", "--reason", "enough"],
        &["show"],
        &["explain", "last", "fs/edit"],
        &["resume", "last"],
    ];
    insta::assert_snapshot!("cancel", session(&world, &commands));
    let world = World::new();
    let _ = world.provost(&["run", "-C", "examples/audit"]);
    insta::assert_snapshot!("cancel_json", json_session(&world, &[&["cancel", "last"], &["resume", "last"]]));
}

#[test]
fn a_run_that_a_limit_stops() {
    let world = World::new();
    let path = world.path("examples/audit/agents/auditor.md");
    let agent = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, agent.replace("max_turns: 12", "max_turns: 12\nbudgets:\n  turns: 2")).unwrap();
    let commands: [&[&str]; 3] =
        [&["run", "-C", "examples/audit"], &["explain"], &["resume", "last", "--budget", "turns=9", "--yes"]];
    insta::assert_snapshot!("limit", session(&world, &commands));
}

const LOOKING: [&[&str]; 5] = [
    &["agents", "examples/audit"],
    &["tools", "examples/audit"],
    &["tools", "examples/audit", "--why"],
    &["doctor", "examples/audit", "--offline"],
    &["init", "new"],
];

#[test]
fn looking_at_a_project() {
    insta::assert_snapshot!("project", session(&World::new(), &LOOKING));
    insta::assert_snapshot!("project_json", json_session(&World::new(), &LOOKING));
    let world = World::new();
    insta::assert_snapshot!(
        "nothing_yet",
        session(&world, &[&["runs"], &["show"], &["agents"], &["doctor"]])
    );
}

#[test]
fn files_of_others() {
    let world = World::new();
    let transcript =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/transcripts/interrupted.anthropic.json");
    std::fs::copy(transcript, world.path("t.json")).unwrap();
    let good = r#"{"kind": "act", "calls": [{"id": "a", "type": "tool", "name": "fs/read", "args": {"path": "x"}}]}"#;
    std::fs::write(world.path("good.json"), good).unwrap();
    std::fs::write(world.path("bad.json"), good.replace("fs/read", "fs/raed")).unwrap();
    let commands: [&[&str]; 5] = [
        &["import", "t.json"],
        &["import", "t.json", "--check"],
        &["import", "t.json", "--repair"],
        &["validate", "good.json", "--project", "examples/audit"],
        &["validate", "bad.json", "--project", "examples/audit"],
    ];
    insta::assert_snapshot!("files", session(&world, &commands));
    insta::assert_snapshot!("files_json", json_session(&world, &commands));
}

#[test]
fn help_and_completions() {
    let world = World::new();
    insta::assert_snapshot!(
        "help",
        session(&world, &[&["--help"], &["run", "--help"], &["explain", "PV0008"]])
    );
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = world.provost(&["completions", shell]).stdout;
        for command in ["run", "approve", "explain", "completions"] {
            assert!(script.contains(command), "{shell} completes {command}");
        }
    }
}
