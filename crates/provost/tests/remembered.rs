//! A yes that outlives its run: whose questions it spares, whose not, and how it is revoked.

use std::sync::Arc;
use std::time::Duration;

use provost::port::{Boxed, MediatedCall, PolicyProvider, Ruling};
use provost::{
    ActionPolicy, Agent, Covers, Decision, Event, EventKind, ManualClock, MemoryStore, Outcome, Remember,
    Request, RunStatus, Runtime, Script, Seq, SideEffect, Store, Tool, standing_offers,
};
use provost_engine::event::AllowedBy;
use provost_policy::HookAnswer;
use provost_runtime::system::SystemClock;
use provost_store::sqlite::SqliteStore;
use serde_json::{Value, json};

use crate::scene::{Ledger, Slow, Text, results};

/// Asks about `secret` by one rule and about the rest by another; refuses `poison`.
struct ByText;

impl PolicyProvider for ByText {
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        let text = call.parameters.get("text").and_then(Value::as_str).unwrap_or_default();
        let (policy, rule) = match text {
            "poison" => (ActionPolicy::Forbidden, "no-poison"),
            "secret" => (ActionPolicy::Preview, "secrets"),
            _ => (ActionPolicy::Preview, "writes"),
        };
        let ruling = Ruling::new(policy, rule, format!("rule {rule}"));
        Box::pin(async move { Ok(Some(ruling)) })
    }
}

/// The same, about `note/put` alone.
struct OnlyPuts;

impl PolicyProvider for OnlyPuts {
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        if call.tool_name == "note/put" { ByText.rule(call) } else { Box::pin(async { Ok(None) }) }
    }
}

/// A process that shares its store with others.
struct Office {
    runtime: Runtime,
    ledger: Ledger,
}

impl Office {
    fn new(store: &Arc<dyn Store>, text: &str) -> Self {
        Self::with(store, text, Agent::new("scribe"))
    }

    fn with(store: &Arc<dyn Store>, text: &str, scribe: Agent) -> Self {
        let ledger = Ledger::default();
        let noted = ledger.clone();
        let put = Tool::new("note/put", "Puts.", move |text: Text| {
            noted.note(text.text);
            async { Ok(()) }
        });
        let script = Script::new().call("note/put", json!({ "text": text })).say("Done.");
        let builder = Runtime::builder().model(script).store(store.clone()).tool(put);
        let builder = builder.agent(scribe).agent(Agent::new("clerk")).policy(Arc::new(ByText));
        Self { runtime: builder.build().unwrap(), ledger }
    }

    async fn run(&self, request: Request) -> Outcome {
        self.runtime.start(request).await.unwrap().outcome().await.unwrap()
    }

    /// Runs, is asked, and hears this.
    async fn hears(&self, remember: Remember) -> Outcome {
        let asked = self.run(of_ada()).await;
        assert_eq!(asked.status, RunStatus::Waiting);
        let action = self.runtime.pending().await.unwrap()[0].wait.to_string();
        let decision = Decision { remember, ..Decision::approve("grace") };
        self.runtime.decide(&action, decision).await.unwrap().outcome().await.unwrap()
    }
}

fn who(user: u64, name: &str) -> Value {
    json!({ "auth_source": "user", "acting_user_id": user, "owner_type": "user", "owner_key": name })
}

fn of_ada() -> Request {
    Request::new("Go.").agent("scribe").workspace("/garden").principal(who(7, "ada"))
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new(Arc::new(SystemClock)))
}

/// The journal of a run.
async fn journal(store: &Arc<dyn Store>, outcome: &Outcome) -> Vec<Event> {
    let records = store.journal(outcome.run.clone(), Seq(0), 1_000).await.unwrap();
    records.iter().map(|record| Event::from_record(record).unwrap()).collect()
}

/// What a person is offered, with every tool asking by the same rule.
#[tokio::test]
async fn effects_that_cannot_be_undone_are_not_offered_to_stand() {
    let offers = async |tool: Tool| {
        let script = Script::new().call("note/put", json!({ "text": "a" })).say("Done.");
        let runtime = Runtime::builder().model(script).tool(tool).policy(Arc::new(ByText)).build().unwrap();
        runtime.start("Go.").await.unwrap().outcome().await.unwrap();
        standing_offers(&runtime.pending().await.unwrap()[0])
    };
    let put = || Tool::new("note/put", "Puts.", |_: Text| async { Ok(()) });
    assert_eq!(offers(put().effects([SideEffect::Write])).await, Ok(vec![Covers::Call, Covers::Tool]));
    let refused = offers(put().effects([SideEffect::Write, SideEffect::Purchase])).await;
    assert_eq!(refused, Err("its effect cannot be undone"));
    assert_eq!(offers(put()).await, Err("the effects of the tool are not declared"));
}

#[tokio::test]
async fn a_yes_for_ever_spares_later_runs_the_question_until_it_is_revoked() {
    let store = memory();
    let first = Office::new(&store, "a").hears(Remember::Always).await;
    assert_eq!(first.status, RunStatus::Completed);

    let later = Office::new(&store, "b");
    let done = later.run(of_ada()).await;
    assert_eq!((done.status, later.ledger.entries()), (RunStatus::Completed, vec!["b".to_owned()]));
    let standing = later.runtime.standing("/garden").await.unwrap();
    assert_eq!(standing.len(), 1);
    let approval = &standing[0];
    assert_eq!(
        (approval.by.name(), &approval.run, approval.tool.as_str()),
        ("grace", &first.run, "note/put")
    );
    let about = approval.about().unwrap();
    assert_eq!((about.workspace.as_str(), about.agent.as_str()), ("/garden", "scribe"));
    assert_eq!(
        (about.principal(), about.layer.as_str(), about.rule.as_str()),
        ("user:ada".into(), "provider", "writes")
    );

    // The journal says whose word it was, and what would have asked.
    let events = journal(&store, &done).await;
    let known = events.iter().find_map(|event| match &event.kind {
        EventKind::RunClaimed(claimed) => Some(claimed.standing.clone()),
        _ => None,
    });
    assert_eq!(known, Some(standing.clone()));
    let started = events.iter().find_map(|event| match &event.kind {
        EventKind::ActionStarted(started) => Some(started),
        _ => None,
    });
    let started = started.unwrap();
    let scope = approval.scope.clone();
    assert_eq!(started.allowed_by, AllowedBy::Standing { scope });
    assert_eq!((started.ruling.source.as_str(), started.ruling.rule.as_str()), ("provider", "writes"));

    assert!(later.runtime.revoke("/garden", &approval.scope, "ada").await.unwrap());
    assert!(later.runtime.standing("/garden").await.unwrap().is_empty());
    assert_eq!(later.run(of_ada()).await.status, RunStatus::Waiting);
    assert!(!later.runtime.revoke("/garden", &approval.scope, "ada").await.unwrap(), "it held no more");
}

/// A run that is at work when an approval is revoked asks about its next call. Beside it, one that is left alone.
#[tokio::test]
async fn a_revoked_yes_counts_no_more_in_a_run_at_work() {
    for (revoked, status) in [(true, RunStatus::Waiting), (false, RunStatus::Completed)] {
        let store = memory();
        Office::new(&store, "a").hears(Remember::Always).await;
        let ledger = Ledger::default();
        let (slow, tool) = Slow::tool("slow/first", &ledger);
        let put = Tool::new("note/put", "Puts.", |_: Text| async { Ok(()) });
        let script = Script::new()
            .call("slow/first", json!({ "text": "1" }))
            .call("note/put", json!({ "text": "b" }))
            .say("Done.");
        let builder = Runtime::builder().model(script).store(store.clone()).tool(put).tool(tool);
        let builder = builder.agent(Agent::new("scribe")).policy(Arc::new(OnlyPuts));
        let runtime = builder.build().unwrap();
        let run = runtime.start(of_ada()).await.unwrap();
        slow.began.notified().await;
        if revoked {
            let scope = runtime.standing("/garden").await.unwrap().remove(0).scope;
            assert!(runtime.revoke("/garden", &scope, "ada").await.unwrap());
        }
        slow.end.notify_one();
        assert_eq!(run.outcome().await.unwrap().status, status);
    }
}

#[tokio::test]
async fn a_yes_once_or_for_the_run_spares_later_runs_nothing() {
    for remember in [Remember::No, Remember::Run] {
        let store = memory();
        let office = Office::new(&store, "a");
        assert_eq!(office.hears(remember).await.status, RunStatus::Completed);
        assert_eq!(office.run(of_ada()).await.status, RunStatus::Waiting, "{remember:?}");
        assert!(office.runtime.standing("/garden").await.unwrap().is_empty(), "{remember:?}");
    }
}

#[tokio::test]
async fn a_yes_spares_nobody_else_and_no_other_rule() {
    let store = memory();
    Office::new(&store, "a").hears(Remember::Always).await;
    let requests = [
        ("the same", "b", of_ada(), RunStatus::Completed),
        ("another agent", "b", of_ada().agent("clerk"), RunStatus::Waiting),
        ("another workspace", "b", of_ada().workspace("/orchard"), RunStatus::Waiting),
        ("another principal", "b", of_ada().principal(who(7, "bob")), RunStatus::Waiting),
        ("nobody", "b", of_ada().principal(who(0, "ada")), RunStatus::Waiting),
        ("another rule", "secret", of_ada(), RunStatus::Waiting),
    ];
    for (name, text, request, status) in requests {
        assert_eq!(Office::new(&store, text).run(request).await.status, status, "{name}");
    }
}

#[tokio::test]
async fn nothing_is_remembered_of_a_run_that_does_not_say_whose_it_is() {
    let store = memory();
    let office = Office::new(&store, "a");
    for request in [Request::new("Go.").agent("scribe"), of_ada().principal(who(0, "ada"))] {
        let asked = office.run(request).await;
        assert_eq!(asked.status, RunStatus::Waiting);
        let action = office.runtime.pending().await.unwrap()[0].wait.to_string();
        let decision = Decision { remember: Remember::Always, ..Decision::approve("grace") };
        let done = office.runtime.decide(&action, decision).await.unwrap().outcome().await.unwrap();
        assert_eq!(done.status, RunStatus::Completed);
    }
    for workspace in ["", "/garden"] {
        assert!(office.runtime.standing(workspace).await.unwrap().is_empty(), "{workspace}");
    }
}

#[tokio::test]
async fn what_is_forbidden_stays_forbidden() {
    let store = memory();
    Office::new(&store, "a").hears(Remember::Always).await;
    let forbidding = || Agent::new("scribe").policy("note/put", ActionPolicy::Forbidden);
    let cases = [
        ("control", Office::new(&store, "b"), "call-1-1 ok"),
        ("a provider's rule", Office::new(&store, "poison"), "call-1-1 Not allowed: rule no-poison."),
        (
            "the agent's policy",
            Office::with(&store, "b", forbidding()),
            "call-1-1 Not allowed: the policy for this tool says deny.",
        ),
    ];
    for (name, office, expected) in cases {
        let done = office.run(of_ada()).await;
        assert_eq!(results(&done), [expected], "{name}");
        assert_eq!(office.ledger.entries().is_empty(), name != "control", "{name}");
    }
}

#[tokio::test]
async fn a_yes_counts_as_long_as_its_author_may_decide() {
    let store = memory();
    Office::new(&store, "a").hears(Remember::Always).await;
    let deciding = |names: &[&str]| Agent::new("scribe").approvers(names.iter().copied());
    let control = Office::with(&store, "b", deciding(&["grace", "alan"]));
    assert_eq!(control.run(of_ada()).await.status, RunStatus::Completed);

    let others = Office::with(&store, "b", deciding(&["alan"]));
    assert_eq!(others.run(of_ada()).await.status, RunStatus::Waiting);
    assert!(others.ledger.entries().is_empty());

    let action = others.runtime.pending().await.unwrap()[0].wait.to_string();
    let decision = Decision { remember: Remember::Always, ..Decision::approve("alan") };
    let done = others.runtime.decide(&action, decision).await.unwrap().outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(others.run(of_ada()).await.status, RunStatus::Completed, "now it is the word of one who may");
    assert_eq!(others.runtime.standing("/garden").await.unwrap()[0].by.name(), "alan");
}

#[tokio::test]
async fn a_yes_for_ever_is_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let path = folder.path().join("provost.db");
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path, &Default::default()).unwrap());
        store
    };
    Office::new(&open(), "a").hears(Remember::Always).await;
    assert_eq!(Office::new(&open(), "b").run(of_ada()).await.status, RunStatus::Completed);
}

/// Asks about every call, and says which file it is about.
struct ByPlace;

impl PolicyProvider for ByPlace {
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        let text = call.parameters.get("text").and_then(Value::as_str).unwrap_or_default();
        let ruling = Ruling::new(ActionPolicy::Preview, "writes", "writes ask first").about(text);
        Box::pin(async move { Ok(Some(ruling)) })
    }
}

/// A process whose clock is set by hand.
fn at(store: &Arc<dyn Store>, clock: &Arc<ManualClock>, place: &str) -> Runtime {
    let put = Tool::new("note/put", "Puts.", |_: Text| async { Ok(()) });
    let script = Script::new().call("note/put", json!({ "text": place })).say("Done.");
    let builder = Runtime::builder().model(script).store(store.clone()).tool(put);
    let builder = builder.clock(clock.clone()).agent(Agent::new("scribe"));
    builder.policy(Arc::new(ByPlace)).build().unwrap()
}

async fn status(runtime: &Runtime) -> RunStatus {
    runtime.start(of_ada()).await.unwrap().outcome().await.unwrap().status
}

async fn answered(runtime: &Runtime, decision: Decision) -> Result<RunStatus, provost::DecideError> {
    let wait = runtime.pending().await.unwrap()[0].wait.to_string();
    let run = runtime.decide(&wait, decision).await?;
    Ok(run.outcome().await.unwrap().status)
}

#[tokio::test]
async fn a_standing_approval_covers_the_calls_that_were_meant_and_no_others() {
    let place = |place: &str| Covers::Place(place.to_owned());
    let cases: [(Covers, &[&str], &[&str]); 4] = [
        (Covers::Tool, &["docs/x", "/etc/passwd", "src/../docs/x"], &[]),
        (place("src"), &["src/a/b", "src/c", "src"], &["docs/x", "srcs/x", "src/../docs/x", "/src/a"]),
        (place("src/a/b"), &["src/a/b"], &["src/a", "src/a/c", "src/a/bc"]),
        (Covers::Call, &["src/a/b"], &["src/a", "src/a/b ", "src/a/c"]),
    ];
    for (covers, spared, asked) in cases {
        let (store, clock) = (memory(), Arc::new(ManualClock::at(1_000)));
        let first = at(&store, &clock, "src/a/b");
        assert_eq!(status(&first).await, RunStatus::Waiting);
        let yes =
            Decision { remember: Remember::Always, covers: covers.clone(), ..Decision::approve("grace") };
        assert_eq!(answered(&first, yes).await.unwrap(), RunStatus::Completed);
        for (places, wanted) in [(spared, RunStatus::Completed), (asked, RunStatus::Waiting)] {
            for place in places {
                assert_eq!(status(&at(&store, &clock, place)).await, wanted, "{covers:?} {place}");
            }
        }
    }
}

#[tokio::test]
async fn a_standing_approval_ends_at_its_time() {
    let (store, clock) = (memory(), Arc::new(ManualClock::at(1_000)));
    let first = at(&store, &clock, "src/a");
    assert_eq!(status(&first).await, RunStatus::Waiting);
    let hour = Duration::from_secs(3_600);
    let yes = Decision { remember: Remember::For(hour), ..Decision::approve("grace") };
    assert_eq!(answered(&first, yes).await.unwrap(), RunStatus::Completed);
    clock.set(1_000 + 3_599_999);
    assert_eq!(status(&at(&store, &clock, "src/b")).await, RunStatus::Completed);
    clock.set(1_000 + 3_600_000);
    assert_eq!(status(&at(&store, &clock, "src/b")).await, RunStatus::Waiting);
}

/// An answer that would cover nothing, or something else than was shown, is refused; beside it, one that fits.
#[tokio::test]
async fn an_answer_that_cannot_stand_for_later_calls_is_refused() {
    let (store, clock) = (memory(), Arc::new(ManualClock::at(1_000)));
    let runtime = at(&store, &clock, "src/a");
    assert_eq!(status(&runtime).await, RunStatus::Waiting);
    let always = || Decision { remember: Remember::Always, ..Decision::approve("grace") };
    let text = json!({ "text": "src/b" });
    let edit = Some(text.as_object().unwrap().clone());
    let unfit = [
        Decision { covers: Covers::Place("docs".to_owned()), ..always() },
        Decision { covers: Covers::Place(String::new()), ..always() },
        Decision { covers: Covers::Place("src/".to_owned()), ..always() },
        Decision { covers: Covers::Call, ..Decision::approve("grace") },
        Decision { covers: Covers::Call, parameters: edit, ..always() },
        Decision { remember: Remember::Always, ..Decision::reject("grace", "no") },
    ];
    for decision in unfit {
        let refused = answered(&runtime, decision.clone()).await;
        assert!(matches!(refused, Err(provost::DecideError::Unfit { .. })), "{decision:?}: {refused:?}");
    }
    let fits = Decision { covers: Covers::Place("src".to_owned()), ..always() };
    assert_eq!(answered(&runtime, fits).await.unwrap(), RunStatus::Completed);
}

/// A run that was accepted with a policy is not judged without it: a process that lacks the policy runs nothing.
/// Beside it, a process that has it.
#[tokio::test]
async fn a_process_without_the_policy_of_a_run_runs_nothing() {
    for has_policy in [false, true] {
        let (store, clock) = (memory(), Arc::new(ManualClock::at(1_000)));
        let first = at(&store, &clock, "src/a");
        assert_eq!(status(&first).await, RunStatus::Waiting);
        drop(first);
        let ledger = Ledger::default();
        let noted = ledger.clone();
        let put = Tool::new("note/put", "Puts.", move |text: Text| {
            noted.note(text.text);
            async { Ok(()) }
        });
        let builder = Runtime::builder().model(Script::new().say("Done.")).store(store.clone()).tool(put);
        let builder = builder.clock(clock.clone()).agent(Agent::new("scribe"));
        let builder = if has_policy { builder.policy(Arc::new(ByPlace)) } else { builder };
        let other = builder.build().unwrap();
        let wait = other.pending().await.unwrap()[0].wait.to_string();
        let run = other.decide(&wait, Decision::approve("grace")).await.unwrap();
        let done = run.outcome().await.unwrap();
        assert_eq!(ledger.entries().is_empty(), !has_policy, "{:?}", results(&done));
        if !has_policy {
            assert!(results(&done)[0].contains("does not exist here"), "{:?}", results(&done));
        }
    }
}
