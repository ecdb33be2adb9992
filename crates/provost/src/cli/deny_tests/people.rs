//! Ways around a rule through files, answers and time.

use serde_json::{Value, json};

use super::scene::{OPEN, SECRET, Scene, told};
use crate::cli::exit::Exit;
use crate::cli::follow::{Answers, follow};
use crate::cli::journal;
use crate::cli::pending::Pending;
use crate::cli::screen::Screen;
use crate::cli::setup::Setup;
use crate::cli::view::decisions;
use crate::{Decision, Outcome, Remember, RunStatus};

const FORBIDDEN: &str = r#"
[[policy.rules]]
name = "secrets-stay"
decision = "forbidden"
reason = "secrets are not for agents"
path = "secrets/**"
matches = [{ tool = "fs/read", arguments = { path = "secrets/the-key" } }]
"#;

const ASKED: &str = r#"
[[policy.rules]]
name = "reading-asks"
decision = "preview"
reason = "somebody wants to know what is read"
tools = "fs/read"
matches = [{ arguments = { path = "docs/open.txt" } }]
"#;

fn read(path: &str) -> (&'static str, Value) {
    ("fs/read", json!({ "path": path }))
}

/// Answers everything a run asks until it is over.
async fn answered(setup: &Setup, outcome: Outcome, decision: &Decision) -> Outcome {
    let mut outcome = outcome;
    while outcome.status == RunStatus::ApprovalRequired {
        let waiting = Pending::of(setup, &outcome.run).await.unwrap();
        let action = waiting.first().unwrap().id.clone();
        let next = setup.runtime.decide(&action, decision.clone()).await.unwrap().unwrap();
        outcome = next.outcome().await.unwrap();
    }
    outcome
}

async fn started(setup: &Setup) -> Outcome {
    setup.runtime.start("Go.").unwrap().outcome().await.unwrap()
}

#[tokio::test]
async fn a_looser_word_elsewhere_lifts_nothing() {
    let loosened = [
        ("the agent's file", "---\nname: a\npolicy:\n  fs/read: direct\n---\n", ""),
        ("the agent's file, by pattern", "---\nname: a\npolicy:\n  \"*\": direct\n---\n", ""),
        ("a word about the tool", "---\nname: a\n---\n", "[policy.tools]\n\"fs/read\" = \"direct\"\n"),
    ];
    for (name, agent, more) in loosened {
        let scene = Scene::new("");
        scene.write("agents/a.md", agent);
        scene.configure(&format!("{more}{FORBIDDEN}"));
        let outcome = scene.run(&[read("secrets/the-key"), read("docs/open.txt")]).await;
        assert!(
            !told(&outcome).contains(SECRET) && told(&outcome).contains(OPEN),
            "{name}: {}",
            told(&outcome)
        );
    }
}

#[tokio::test]
async fn a_forbidden_tool_is_not_permitted_by_a_rule_about_its_arguments() {
    let permits = FORBIDDEN.replace("forbidden", "direct");
    for (words, seen) in [("[policy.tools]\n\"fs/read\" = \"forbidden\"\n", false), ("", true)] {
        let scene = Scene::new(&format!("{words}{permits}"));
        assert_eq!(told(&scene.run(&[read("secrets/the-key")]).await).contains(SECRET), seen);
    }
}

#[tokio::test]
async fn a_forbidden_call_beside_an_allowed_one_does_not_run() {
    let scene = Scene::new(FORBIDDEN);
    let outcome = scene.run(&[read("docs/open.txt"), read("secrets/the-key"), read("docs/open.txt")]).await;
    let results = told(&outcome);
    assert_eq!((results.matches(OPEN).count(), results.contains(SECRET)), (2, false), "{results}");
}

#[tokio::test]
async fn a_remembered_yes_does_not_reach_what_is_forbidden() {
    let calls = [read("docs/open.txt"), read("secrets/the-key"), read("docs/open.txt")];
    for (rules, seen) in [(format!("{ASKED}{FORBIDDEN}"), false), (ASKED.to_owned(), true)] {
        let scene = Scene::new(&rules);
        let setup = scene.setup(&calls);
        let decision = Decision { remember: Remember::Run, ..Decision::accept("ada") };
        let outcome = answered(&setup, started(&setup).await, &decision).await;
        let results = told(&outcome);
        assert_eq!((results.matches(OPEN).count(), results.contains(SECRET)), (2, seen), "{results}");
        let explained = explained(&scene, &outcome).await;
        assert!(explained.contains("runs, as ada said to remember: somebody wants to know"), "{explained}");
        let refused = explained.contains("forbidden: secrets are not for agents  [rule: secrets-stay]");
        assert_eq!(refused, !seen, "{explained}");
    }
}

/// What `provost explain` says of a run.
async fn explained(scene: &Scene, outcome: &Outcome) -> String {
    let read = journal::read(&scene.stores, &outcome.run).await.unwrap();
    decisions(&read.events).iter().map(|decided| decided.line()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn changed_arguments_do_not_reach_what_is_forbidden() {
    for (rules, seen) in [(format!("{ASKED}{FORBIDDEN}"), false), (ASKED.to_owned(), true)] {
        let scene = Scene::new(&rules);
        let setup = scene.setup(&[read("docs/open.txt")]);
        let parameters = json!({ "path": "secrets/the-key" }).as_object().cloned();
        let decision = Decision { parameters, ..Decision::accept("ada") };
        let outcome = answered(&setup, started(&setup).await, &decision).await;
        assert_eq!(told(&outcome).contains(SECRET), seen, "{}", told(&outcome));
        let explained = explained(&scene, &outcome).await;
        let refused = explained.contains("forbidden: secrets are not for agents  [rule: secrets-stay]");
        assert_eq!(refused, !seen, "{explained}");
    }
}

#[tokio::test]
async fn always_yes_is_not_asked_about_what_is_forbidden() {
    for (rules, seen) in [(format!("{ASKED}{FORBIDDEN}"), false), (ASKED.to_owned(), true)] {
        let scene = Scene::new(&rules);
        let setup = scene.setup(&[read("secrets/the-key")]);
        let handle = setup.runtime.start("Go.").unwrap();
        let run = handle.run().clone();
        let exit = follow(&setup, handle, Answers::of(true), Screen::new(true)).await.unwrap();
        assert_eq!(exit, Exit::Done);
        let outcome = setup.runtime.resume(run).outcome().await.unwrap();
        assert_eq!(told(&outcome).contains(SECRET), seen, "{}", told(&outcome));
    }
}

/// A run goes on under the rules there are now, whatever they were when it began or when somebody agreed.
#[tokio::test]
async fn rules_that_became_stricter_hold_for_runs_that_wait() {
    let later = [
        ("a rule", format!("{ASKED}{FORBIDDEN}"), "---\nname: a\n---\n", false),
        (
            "a word",
            format!("[policy.tools]\n\"fs/read\" = \"forbidden\"\n{ASKED}"),
            "---\nname: a\n---\n",
            false,
        ),
        ("the agent's file", ASKED.to_owned(), "---\nname: a\npolicy:\n  fs/*: forbidden\n---\n", false),
        ("nothing", ASKED.to_owned(), "---\nname: a\n---\n", true),
    ];
    for (name, rules, agent, seen) in later {
        let scene = Scene::new(ASKED);
        let calls = [read("secrets/the-key")];
        let waits = started(&scene.setup(&calls)).await;
        assert_eq!(waits.status, RunStatus::ApprovalRequired);
        scene.configure(&rules);
        scene.write("agents/a.md", agent);
        let outcome = answered(&scene.setup(&calls), waits, &Decision::accept("ada")).await;
        assert_eq!(told(&outcome).contains(SECRET), seen, "{name}: {}", told(&outcome));
    }
}
