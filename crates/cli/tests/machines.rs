//! What machines read: every command with `--json`.

use serde_json::{Value, json};

use super::script::{call, say};
use super::world::{Printed, World};

fn documents(printed: &Printed) -> Vec<Value> {
    printed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// With `--json` nothing but documents is printed, one a line, failures too.
#[test]
fn every_command_speaks_json() {
    let world = World::new();
    assert_eq!(world.provost(&["run", "-C", "examples/audit", "--yes", "--json"]).code, 0);
    let commands: [&[&str]; 9] = [
        &["agents", "examples/audit", "--json"],
        &["tools", "examples/audit", "--json"],
        &["doctor", "examples/audit", "--json"],
        &["init", "new", "--json"],
        &["runs", "--json"],
        &["verify", "--json"],
        &["cancel", "last", "--json"],
        &["show", "nobody", "--json"],
        &["explain", "PV0001", "--json"],
    ];
    for words in commands {
        let printed = world.provost(words);
        assert!(!documents(&printed).is_empty(), "{words:?}");
        assert_eq!(printed.stderr, "", "{words:?}");
    }
    let failed = &documents(&world.provost(&["show", "nobody", "--json"]))[0];
    assert_eq!((&failed["type"], &failed["error"]["code"]), (&"error".into(), &"PV0007".into()));
}

/// Every command that works on a run names it in its first line, also one that only records.
#[test]
fn the_first_line_names_the_run() {
    let run = ["run", "-C", "examples/audit", "--json"];
    let decides = |command: &'static str| vec![command, "last", "--json"];
    for (before, command, outcome) in [
        (None, run.to_vec(), true),
        (Some(run), decides("approve"), true),
        (Some(run), decides("reject"), true),
        (Some(run), decides("resume"), true),
        (Some(run), [decides("approve"), vec!["--only"]].concat(), false),
    ] {
        let world = World::new();
        let id = before.map(|before| documents(&world.provost(&before))[0]["run"].clone());
        let printed = documents(&world.provost(&command));
        let first = &printed[0];
        assert_eq!((&first["type"], &first["agent"]), (&"run".into(), &"auditor".into()), "{command:?}");
        assert!(id.is_none_or(|id| id == first["run"]), "{command:?}: {first}");
        let last = &printed[printed.len() - 1];
        assert_eq!(last["type"] == "outcome", outcome, "{command:?}: {last}");
        assert!(printed.iter().filter(|line| line["type"] == "run").count() == 1, "{command:?}");
    }
}

#[test]
fn large_documents_hold_what_people_see() {
    let world = World::new();
    assert_eq!(world.provost(&["run", "-C", "examples/audit", "--yes", "--json"]).code, 0);
    let show = documents(&world.provost(&["show", "last", "--json"]));
    assert_eq!(show[0]["run"]["status"], "completed");
    assert_eq!(show[0]["result"]["tool_execution_results"].as_array().unwrap().len(), 10);
    let replay = documents(&world.provost(&["replay", "last", "--json"]));
    assert_eq!(replay[0]["result"], show[0]["result"], "the folded run equals the shown one");
    assert_eq!(replay[0]["differs"], serde_json::json!([]));
    for provider in ["anthropic", "openai_chat", "openai_responses", "gemini"] {
        let export = world.provost(&["export", "last", "--to", provider, "--json"]);
        assert_eq!(documents(&export).len(), 1, "{provider}: {}", export.stderr);
        std::fs::write(world.path("exported.json"), &export.stdout).unwrap();
        let check = world.provost(&["import", "exported.json", "--from", provider, "--check"]);
        assert_eq!(check.code, 0, "{provider} would refuse it: {}", check.stdout);
    }
}

/// A changed record is found, and nothing goes on from it; untouched, the same journal is whole.
#[test]
fn a_changed_journal_is_found() {
    let world = World::new();
    assert_eq!(world.provost(&["run", "-C", "examples/audit"]).code, 3);
    assert_eq!(world.provost(&["verify"]).code, 0);
    world.change_the_journal();
    let verify = world.provost(&["verify"]);
    assert_eq!(verify.code, 1);
    assert!(verify.stdout.contains("BROKEN"), "{}", verify.stdout);
    assert!(verify.stderr.starts_with("error[PV0011]: "), "{}", verify.stderr);
    assert_eq!(world.provost(&["approve", "last"]).code, 1, "nothing is approved in a changed journal");
}

const RULE: &str = r#"
[[policy.rules]]
name = "secrets-stay"
decision = "deny"
reason = "secrets are not for agents"
path = "secrets/**"
matches = [{ tool = "fs/read", arguments = { path = "secrets/key" } }]
"#;

/// A long output is an artifact, and a record shows its end: lines and documents still say how the program ended.
#[test]
fn a_program_that_prints_much_ends_as_it_does_in_lines_and_documents() {
    let world = World::new();
    std::fs::create_dir_all(world.path("p/agents")).unwrap();
    std::fs::write(world.path("p/agents/a.md"), "---\ntools: [shell/run]\n---\nWork.\n").unwrap();
    std::fs::write(world.path("p/provost.toml"), "[policy.tools]\n\"shell/run\" = \"allow\"\n").unwrap();
    let run = |seed: &str, script: &str, json: &[&str]| {
        let call = call("a", "shell/run", &json!({ "argv": ["sh", "-c", script] }));
        let model = world.script("m", &[call, say("Ran.")]);
        let words = [&["run", "go", "-C", "p"][..], json, &model.each_ref().map(String::as_str)].concat();
        world.printed(world.command(&words).env("PROVOST_SEED", seed))
    };
    for (seed, lines) in [("11", 9), ("12", 4_000)] {
        let script = format!("seq 1 {lines}; exit 3");
        let told = run(seed, &script, &[]).stderr;
        assert!(told.contains("failed, exit 3") && !told.contains("done"), "{told}");
        assert!(told.contains(&format!("call 1 output: {lines}\n")), "{told}");
        assert_eq!(told.contains("call 1 output: 3,988 lines above: "), lines > 12, "{told}");
        let run = documents(&run(&format!("{seed}0"), &script, &["--json"]));
        let result = run.iter().find(|document| document["kind"] == "tool_result").unwrap();
        assert_eq!((&result["exit_code"], result.get("signal")), (&3.into(), None));
    }
    for (seed, lines) in [("13", 9), ("14", 4_000)] {
        let run = documents(&run(seed, &format!("seq 1 {lines}; kill -9 $$"), &["--json"]));
        let result = run.iter().find(|document| document["kind"] == "tool_result").unwrap();
        assert_eq!((&result["exit_code"], &result["signal"]), (&Value::Null, &9.into()));
    }
}

/// What came of every call can be told from typed fields alone.
#[test]
fn a_run_says_which_it_is_what_happened_and_why_not() {
    let world = World::new();
    std::fs::create_dir_all(world.path("p/agents")).unwrap();
    std::fs::write(world.path("p/agents/a.md"), "---\ntools: [fs/read, fs/write, shell/run]\n---\nWork.\n")
        .unwrap();
    let words = "[policy.tools]\n\"shell/run\" = \"allow\"\n\"fs/write\" = \"ask\"\n";
    std::fs::write(world.path("p/provost.toml"), format!("{words}{RULE}")).unwrap();
    let turns = [
        call("denied", "fs/read", &json!({ "path": "secrets/key" })),
        call("unknown", "db/drop", &json!({})),
        call("red", "shell/run", &json!({ "argv": ["false"] })),
        call("asked", "fs/write", &json!({ "path": "note", "content": "x" })),
    ];
    let model = world.script("m", &turns);
    let words = [&["run", "go", "-C", "p", "--json"][..], &model.each_ref().map(String::as_str)].concat();
    let run = world.provost(&words);
    assert_eq!((run.code, run.stderr.as_str()), (3, ""), "{}", run.stdout);
    let documents = documents(&run);
    let id = documents[0]["run"].clone();
    assert_eq!(
        (&documents[0]["type"], id.is_string()),
        (&"run".into(), true),
        "the first line names the run"
    );
    assert_eq!(documents.last().unwrap()["type"], "outcome");
    assert!(documents.iter().all(|document| document["type"] == "approval" || document["run"] == id));
    let events: Vec<&Value> = documents.iter().filter(|document| document["type"] == "event").collect();
    for event in &events {
        assert!(event["seq"].is_u64() && event["at"].is_string() && event["kind"].is_string(), "{event}");
        assert!(event["actor"]["kind"].is_string(), "{event}");
    }
    let of =
        |kind: &str, call: &str| events.iter().find(|event| event["kind"] == kind && event["call"] == call);
    let denied = of("tool_result", "denied").unwrap();
    assert_eq!((&denied["status"], &denied["effect"]), (&"blocked".into(), &"none".into()));
    let reason = json!({
        "code": "denied", "message": "Not allowed: secrets are not for agents.", "layer": "rule",
        "rule": "secrets-stay", "source": "provost.toml:5",
    });
    assert_eq!(denied["reason"], reason);
    let unknown = of("tool_result", "unknown").unwrap();
    assert_eq!((&unknown["status"], &unknown["effect"]), (&"failed".into(), &"none".into()), "{unknown}");
    assert!(
        unknown["reason"]["message"].as_str().is_some_and(|message| message.contains("db/drop")),
        "{unknown}"
    );
    let red = of("tool_result", "red").unwrap();
    assert_eq!(
        (&red["status"], &red["exit_code"], &red["reason"]),
        (&"completed".into(), &1.into(), &Value::Null)
    );
    let asked = of("approval_required", "asked").unwrap();
    assert_eq!(
        (&asked["reason"]["code"], &asked["reason"]["source"]),
        (&"ask".into(), &"provost.toml:3".into())
    );
    assert!(asked["wait"].is_string(), "{asked}");
    let cancelled = world.provost(&["cancel", "last", "--json"]);
    assert_eq!(cancelled.code, 0);
}

/// What could not be written is an error, also where the error itself cannot be written there.
#[test]
fn documents_that_cannot_be_written_are_an_error() {
    let world = World::new();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for words in [
        &["agents", "examples/audit", "--json"][..],
        &["doctor", "examples/audit", "--offline", "--json"],
        &["--help"],
    ] {
        let printed = world.printed(world.command(words).stdout(full()));
        assert_eq!(printed.code, 1, "{words:?}");
        let told = printed.stderr.starts_with("error[PV0014]: standard output could not be written");
        assert!(told || words == ["--help"], "{words:?}: {}", printed.stderr);
        assert_eq!(world.provost(words).code, 0, "the control: {words:?}");
    }
}

/// A call that would certainly fail is not asked about: the model reads why.
#[test]
fn no_person_is_asked_about_a_file_or_a_program_that_is_not_there() {
    let calls = |path: &str, program: &str| {
        [
            call("file", "fs/read", &json!({ "path": path })),
            call("program", "shell/run", &json!({ "argv": [program] })),
        ]
    };
    for (turns, asked) in [(calls("missing", "no-such-program"), false), (calls("there", "true"), true)] {
        for turn in turns {
            let world = World::new();
            std::fs::create_dir_all(world.path("p/agents")).unwrap();
            std::fs::write(world.path("p/there"), "x").unwrap();
            let agent = "---\ntools: [fs/read, shell/run]\n---\nWork.\n";
            std::fs::write(world.path("p/agents/a.md"), agent).unwrap();
            let words = "[policy.tools]\n\"shell/run\" = \"ask\"\n\"fs/read\" = \"ask\"\n";
            std::fs::write(world.path("p/provost.toml"), words).unwrap();
            let model = world.script("m", &[turn, say("Done.")]);
            let words =
                [&["run", "go", "-C", "p", "--json"][..], &model.each_ref().map(String::as_str)].concat();
            let run = world.provost(&words);
            assert_eq!(run.code, if asked { 3 } else { 0 }, "{}", run.stdout);
            let documents = documents(&run);
            let result = documents.iter().find(|document| document["kind"] == "tool_result");
            let told = result.and_then(|result| result["reason"]["message"].as_str()).unwrap_or_default();
            assert_eq!(told.contains("no person was asked: it would fail"), !asked, "{}", run.stdout);
        }
    }
}

/// A wrong command line is a document too, and so is a decision that is only recorded.
#[test]
fn a_wrong_command_line_is_a_document() {
    let world = World::new();
    for words in [&["runs", "-n", "0"][..], &["shwo"], &["cancel", "--all"]] {
        let printed = world.provost(&[&["--json"], words].concat());
        assert_eq!((printed.code, printed.stderr.as_str()), (2, ""), "{words:?}");
        let [error] = &documents(&printed)[..] else { panic!("{words:?}: {}", printed.stdout) };
        assert_eq!((&error["type"], &error["error"]["code"]), (&"error".into(), &"usage".into()));
        assert!(!error["error"]["message"].as_str().unwrap().contains("error:"), "{error}");
        let plain = world.provost(words);
        assert!(plain.code == 2 && plain.stdout.is_empty() && plain.stderr.starts_with("error: "));
    }
    assert_eq!(world.provost(&["run", "-C", "examples/audit"]).code, 3);
    let rejected = world.provost(&["--json", "reject", "last", "--only"]);
    let decided = documents(&rejected).into_iter().find(|document| document["type"] == "decided");
    assert_eq!(decided.unwrap()["verdict"], "declined", "{}", rejected.stdout);
}

/// A limit of turns replaces the one of the agent, and events say the one that holds.
#[test]
fn events_say_the_limit_of_turns_that_holds() {
    for (seed, words, limit) in [("21", &[][..], 12), ("22", &["--budget", "turns=3"], 3)] {
        let world = World::new();
        let words = [&["--json", "run", "-C", "examples/audit"], words].concat();
        let run = documents(&world.printed(world.command(&words).env("PROVOST_SEED", seed)));
        let began = run.iter().find(|document| document["kind"] == "turn_started").unwrap();
        assert_eq!(began["max_turns"], limit);
    }
}
