//! Ways around a rule through files, answers and time.

use provost::{Decision, Outcome, Remember, Request, RunStatus, Seq};
use provost_project::ProjectRuntime;
use serde_json::{Value, json};

use super::scene::{Effect, OPEN, SECRET, Scene, told};
use crate::asking::{self, Answers};
use crate::exit::Exit;
use crate::follow::{self, follow};
use crate::identity;
use crate::journal;
use crate::pending::Pending;
use crate::screen::Screen;
use crate::text::ColorChoice;
use crate::view::{decision_line, decisions};

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
async fn answered(setup: &ProjectRuntime, outcome: Outcome, decision: &Decision) -> Outcome {
    let mut outcome = outcome;
    while outcome.status == RunStatus::Waiting {
        let waiting = Pending::of(setup, &outcome.run).await.unwrap();
        let action = waiting.first().unwrap().wait().to_string();
        let next = setup.runtime.decide(&action, decision.clone()).await.unwrap();
        outcome = next.outcome().await.unwrap();
    }
    outcome
}

/// A run that says whose it is, so that standing approvals count.
async fn started_by_user(setup: &ProjectRuntime) -> Outcome {
    let request = Request::new("Go.").workspace("/w").principal(identity::principal());
    setup.runtime.start(request).await.unwrap().outcome().await.unwrap()
}

async fn started(setup: &ProjectRuntime) -> Outcome {
    setup.runtime.start("Go.").await.unwrap().outcome().await.unwrap()
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
        let decision = Decision { remember: Remember::Run, ..Decision::approve("ada") };
        let outcome = answered(&setup, started(&setup).await, &decision).await;
        let results = told(&outcome);
        assert_eq!((results.matches(OPEN).count(), results.contains(SECRET)), (2, seen), "{results}");
        let explained = explained(&scene, &outcome).await;
        assert!(
            explained.contains("runs, by a standing approval of ada: somebody wants to know"),
            "{explained}"
        );
        let refused = explained.contains("denied: secrets are not for agents  [rule: secrets-stay]");
        assert_eq!(refused, !seen, "{explained}");
    }
}

/// What `provost explain` says of a run.
async fn explained(scene: &Scene, outcome: &Outcome) -> String {
    let read = journal::read(&*scene.store, &outcome.run).await.unwrap();
    decisions(&read).unwrap().iter().map(decision_line).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn changed_arguments_do_not_reach_what_is_forbidden() {
    for (rules, seen) in [(format!("{ASKED}{FORBIDDEN}"), false), (ASKED.to_owned(), true)] {
        let scene = Scene::new(&rules);
        let setup = scene.setup(&[read("docs/open.txt")]);
        let parameters = json!({ "path": "secrets/the-key" }).as_object().cloned();
        let decision = Decision { parameters, ..Decision::approve("ada") };
        let outcome = answered(&setup, started(&setup).await, &decision).await;
        assert_eq!(told(&outcome).contains(SECRET), seen, "{}", told(&outcome));
        let explained = explained(&scene, &outcome).await;
        let refused = explained.contains("denied: secrets are not for agents  [rule: secrets-stay]");
        assert_eq!(refused, !seen, "{explained}");
    }
}

#[tokio::test]
async fn always_yes_is_not_asked_about_what_is_forbidden() {
    for (rules, seen) in [(format!("{ASKED}{FORBIDDEN}"), false), (ASKED.to_owned(), true)] {
        let scene = Scene::new(&rules);
        let setup = scene.setup(&[read("secrets/the-key")]);
        let handle = setup.runtime.start("Go.").await.unwrap();
        let run = handle.run().clone();
        let exit = follow(
            &setup,
            handle,
            follow::news(&setup, &run, Seq(0)).await.unwrap(),
            Answers::of(true),
            Screen::new(true, false, ColorChoice::Auto),
        )
        .await
        .unwrap();
        assert_eq!(exit, Exit::Done);
        let outcome = setup.runtime.outcome(&run).await.unwrap();
        assert_eq!(told(&outcome).contains(SECRET), seen, "{}", told(&outcome));
    }
}

/// A waiting run resumes under the current rules, not under those of its start or of its approval.
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
        assert_eq!(waits.status, RunStatus::Waiting);
        scene.configure(&rules);
        scene.write("agents/a.md", agent);
        let outcome = answered(&scene.setup(&calls), waits, &Decision::approve("ada")).await;
        assert_eq!(told(&outcome).contains(SECRET), seen, "{name}: {}", told(&outcome));
    }
}

const NO_RM: &str = r#"
[[policy.rules]]
name = "no-rm"
decision = "forbidden"
reason = "nothing is deleted here"
command = "rm …"
matches = [{ tool = "shell/run", arguments = { argv = ["rm", "x"] } }]
"#;

const UNCLEAR: [&str; 3] = ["sh", "-c", "rm victim.txt"];

fn unclear() -> (&'static str, Value) {
    ("shell/run", json!({ "argv": UNCLEAR }))
}

#[tokio::test]
async fn what_is_unclear_waits_for_a_person_and_for_nothing_else() {
    let scene = Scene::attended(&format!("[policy.tools]\n\"shell/run\" = \"direct\"\n{NO_RM}"));
    let setup = scene.setup(&[unclear(), unclear()]);
    let outcome = started(&setup).await;
    assert_eq!(outcome.status, RunStatus::Waiting, "a word about the tool answers nothing");
    let waiting = Pending::of(&setup, &outcome.run).await.unwrap();
    let [action] = &waiting[..] else { panic!("{waiting:?}") };
    let asked = &action.asked.reason;
    assert!(action.is_person_only() && asked.contains("rule `no-rm`"), "{asked}");
    assert!(!asking::is_allowed_beforehand(action, Answers::Yes));
    for remember in [Remember::Run, Remember::Always] {
        let decision = Decision { remember, ..Decision::approve("ada") };
        let refused =
            setup.runtime.decide(&action.wait().to_string(), decision).await.err().unwrap().to_string();
        assert!(refused.ends_with("which cannot become a standing approval"), "{refused}");
    }
    assert!(!scene.took(Effect::Gone("victim.txt"), &outcome));
    let next = setup.runtime.decide(&action.wait().to_string(), Decision::approve("ada")).await.unwrap();
    let outcome = next.outcome().await.unwrap();
    assert!(scene.took(Effect::Gone("victim.txt"), &outcome), "the call that was allowed runs");
    assert_eq!(outcome.status, RunStatus::Waiting, "and the next one is asked about again");
}

#[tokio::test]
async fn where_no_person_can_be_asked_the_run_goes_on_without_the_call() {
    let scene = Scene::new(NO_RM);
    let outcome = scene.run(&[unclear(), ("shell/run", json!({ "argv": ["touch", "made"] }))]).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    let results = told(&outcome);
    assert!(
        results.contains("rule `no-rm`") && results.contains("only a person may allow exactly this call"),
        "{results}"
    );
    assert!(!scene.took(Effect::Gone("victim.txt"), &outcome) && scene.took(Effect::Made("made"), &outcome));
}

/// An answer to an ordinary question is no answer to one about exactly this call.
#[tokio::test]
async fn an_earlier_yes_does_not_answer_what_became_unclear() {
    let asked = NO_RM.replace("forbidden", "preview");
    for (later, gone) in [(NO_RM, false), (asked.as_str(), true)] {
        let scene = Scene::attended(&asked);
        let waits = started(&scene.setup(&[unclear()])).await;
        assert_eq!(waits.status, RunStatus::Waiting);
        scene.configure(later);
        let setup = scene.setup(&[unclear()]);
        let asked = Pending::of(&setup, &waits.run).await.unwrap();
        let yes = setup.runtime.decide(&asked[0].wait().to_string(), Decision::approve("ada")).await.unwrap();
        let outcome = yes.outcome().await.unwrap();
        assert_eq!(scene.took(Effect::Gone("victim.txt"), &outcome), gone, "{}", told(&outcome));
        let asked_anew = Pending::of(&setup, &waits.run).await.unwrap();
        assert_eq!(asked_anew.iter().any(Pending::is_person_only), !gone, "it needs a one-time approval");
    }
    for (later, gone) in [(NO_RM, false), (asked.as_str(), true)] {
        let scene = Scene::new(&asked);
        let other = ("shell/run", json!({ "argv": ["sh", "-c", "true"] }));
        let waits = started_by_user(&scene.setup(&[other])).await;
        let always = Decision { remember: Remember::Always, ..Decision::approve("ada") };
        answered(&scene.setup(&[]), waits, &always).await;
        scene.configure(later);
        let outcome = started_by_user(&scene.setup(&[unclear()])).await;
        assert_eq!(
            scene.took(Effect::Gone("victim.txt"), &outcome),
            gone,
            "a standing approval: {}",
            told(&outcome)
        );
    }
}
