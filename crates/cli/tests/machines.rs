//! What machines read: every command with `--json`.

use serde_json::Value;

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
