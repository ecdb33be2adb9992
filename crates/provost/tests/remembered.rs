//! A yes that outlives its run: whose questions it spares, whose not, and how it is taken back.

use std::sync::Arc;

use provost::port::{Boxed, MediatedCall, PolicyProvider, Ruling, Stores};
use provost::{ActionPolicy, Agent, Decision, Outcome, Remember, Request, RunStatus, Runtime, Script, Tool};
use provost_policy::HookAnswer;
use provost_runtime::engine::{Event, Kind, RunState, Word, decode};
use provost_runtime::memory::Storage;
use provost_runtime::port::Seq;
use serde_json::{Value, json};

use crate::scene::{Ledger, Text, results};

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

/// A process that shares its stores with others.
struct Office {
    runtime: Runtime,
    ledger: Ledger,
}

impl Office {
    fn new(stores: &Stores, text: &str) -> Self {
        Self::with(stores, text, Agent::new("scribe"))
    }

    fn with(stores: &Stores, text: &str, scribe: Agent) -> Self {
        let ledger = Ledger::default();
        let noted = ledger.clone();
        let put = Tool::new("note/put", "Puts.", move |text: Text| {
            noted.note(text.text);
            async { Ok(()) }
        });
        let script = Script::new().call("note/put", json!({ "text": text })).say("Done.");
        let builder = Runtime::builder().model(script).stores(stores.clone()).tool(put);
        let builder = builder.agent(scribe).agent(Agent::new("clerk")).policy(Arc::new(ByText));
        Self { runtime: builder.build().unwrap(), ledger }
    }

    async fn run(&self, request: Request) -> Outcome {
        self.runtime.start(request).unwrap().outcome().await.unwrap()
    }

    /// Runs, is asked, and hears this.
    async fn hears(&self, remember: Remember) -> Outcome {
        let asked = self.run(of_ada()).await;
        assert_eq!(asked.status, RunStatus::ApprovalRequired);
        let action = self.runtime.pending().await.unwrap()[0].action_id().to_owned();
        let decision = Decision { remember, ..Decision::accept("grace") };
        self.runtime.decide(&action, decision).await.unwrap().unwrap().outcome().await.unwrap()
    }
}

fn who(user: u64, name: &str) -> Value {
    json!({ "auth_source": "user", "acting_user_id": user, "owner_type": "user", "owner_key": name })
}

fn of_ada() -> Request {
    Request::new("Go.").agent("scribe").workspace("/garden").principal(who(7, "ada"))
}

/// By whose word each call of a run was started.
async fn words(stores: &Stores, outcome: &Outcome) -> Vec<Value> {
    let records = stores.journal.read(&outcome.run, Seq::FIRST, usize::MAX).await.unwrap();
    let events: Vec<Event> = records.iter().map(|record| decode(record).unwrap()).collect();
    let words = RunState::fold(&events).unwrap().words;
    let started = events.iter().filter_map(|event| match &event.kind {
        Kind::ActionStarted(started) => words.of(started).map(Word::read),
        _ => None,
    });
    started.collect()
}

#[tokio::test]
async fn a_yes_for_ever_spares_later_runs_the_question_until_it_is_forgotten() {
    let stores = Storage::stores();
    let first = Office::new(&stores, "a").hears(Remember::Always).await;
    assert_eq!(first.status, RunStatus::Completed);

    let later = Office::new(&stores, "b");
    let done = later.run(of_ada()).await;
    assert_eq!((done.status, later.ledger.entries()), (RunStatus::Completed, vec!["b".to_owned()]));
    let remembered = later.runtime.remembered().await.unwrap();
    assert_eq!(remembered.len(), 1);
    let word = &remembered[0];
    assert_eq!((word.by.as_str(), word.run.as_str()), ("grace", first.run.as_str()));
    assert_eq!((word.question.principal.as_str(), word.question.rule.as_str()), ("user:ada", "writes"));

    let recorded = &words(&stores, &done).await[0];
    assert_eq!(recorded["layer"], "remembered");
    assert_eq!(recorded["rule"], word.question.id());
    assert_eq!(recorded["inputs"]["remembered_by"], "grace");
    assert_eq!(recorded["inputs"]["remembered_at"], word.at);
    assert_eq!(recorded["inputs"]["instead_of"], json!({ "layer": "provider", "rule": "writes" }));

    assert!(later.runtime.forget(&word.question).await.unwrap());
    assert_eq!(later.run(of_ada()).await.status, RunStatus::ApprovalRequired);
}

#[tokio::test]
async fn a_yes_once_or_for_the_run_spares_later_runs_nothing() {
    for remember in [Remember::No, Remember::Run] {
        let stores = Storage::stores();
        let office = Office::new(&stores, "a");
        assert_eq!(office.hears(remember).await.status, RunStatus::Completed);
        assert_eq!(office.run(of_ada()).await.status, RunStatus::ApprovalRequired, "{remember:?}");
        assert!(office.runtime.remembered().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_yes_spares_nobody_else_and_no_other_rule() {
    let stores = Storage::stores();
    Office::new(&stores, "a").hears(Remember::Always).await;
    let requests = [
        ("the same", "b", of_ada(), RunStatus::Completed),
        ("another agent", "b", of_ada().agent("clerk"), RunStatus::ApprovalRequired),
        ("another workspace", "b", of_ada().workspace("/orchard"), RunStatus::ApprovalRequired),
        ("another principal", "b", of_ada().principal(who(7, "bob")), RunStatus::ApprovalRequired),
        ("nobody", "b", of_ada().principal(who(0, "ada")), RunStatus::ApprovalRequired),
        ("another rule", "secret", of_ada(), RunStatus::ApprovalRequired),
    ];
    for (name, text, request, status) in requests {
        assert_eq!(Office::new(&stores, text).run(request).await.status, status, "{name}");
    }
}

#[tokio::test]
async fn nothing_is_kept_of_a_run_that_does_not_say_whose_it_is() {
    let stores = Storage::stores();
    let office = Office::new(&stores, "a");
    for request in [Request::new("Go.").agent("scribe"), of_ada().principal(who(0, "ada"))] {
        let asked = office.run(request).await;
        assert_eq!(asked.status, RunStatus::ApprovalRequired);
        let action = office.runtime.pending().await.unwrap()[0].action_id().to_owned();
        let decision = Decision { remember: Remember::Always, ..Decision::accept("grace") };
        let done = office.runtime.decide(&action, decision).await.unwrap().unwrap().outcome().await.unwrap();
        assert_eq!(done.status, RunStatus::Completed);
    }
    assert!(office.runtime.remembered().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_is_forbidden_stays_forbidden() {
    let stores = Storage::stores();
    Office::new(&stores, "a").hears(Remember::Always).await;
    let forbidding = || Agent::new("scribe").policy("note/put", ActionPolicy::Forbidden);
    let cases = [
        ("control", Office::new(&stores, "b"), "call-1-1 ok"),
        ("a provider's rule", Office::new(&stores, "poison"), "call-1-1 Not allowed: rule no-poison."),
        (
            "the agent's policy",
            Office::with(&stores, "b", forbidding()),
            "call-1-1 Not allowed: the policy for this tool says forbidden.",
        ),
    ];
    for (name, office, expected) in cases {
        let done = office.run(of_ada()).await;
        assert_eq!(results(&done), [expected], "{name}");
        assert_eq!(office.ledger.entries().is_empty(), name != "control", "{name}");
    }
}

#[tokio::test]
async fn a_yes_counts_as_long_as_whoever_said_it_may_decide() {
    let stores = Storage::stores();
    Office::new(&stores, "a").hears(Remember::Always).await;
    let deciding = |names: &[&str]| Agent::new("scribe").approvers(names.iter().copied());
    let control = Office::with(&stores, "b", deciding(&["grace", "alan"]));
    assert_eq!(control.run(of_ada()).await.status, RunStatus::Completed);

    let others = Office::with(&stores, "b", deciding(&["alan"]));
    assert_eq!(others.run(of_ada()).await.status, RunStatus::ApprovalRequired);
    assert!(others.ledger.entries().is_empty());

    let action = others.runtime.pending().await.unwrap()[0].action_id().to_owned();
    let decision = Decision { remember: Remember::Always, ..Decision::accept("alan") };
    let done = others.runtime.decide(&action, decision).await.unwrap().unwrap().outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(others.run(of_ada()).await.status, RunStatus::Completed, "now it is the word of one who may");
    assert_eq!(others.runtime.remembered().await.unwrap()[0].by, "alan");
}

#[tokio::test]
async fn a_yes_for_ever_is_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let path = folder.path().join("provost.db");
        Stores::of(&provost_store::sqlite::Database::open(&path, &Default::default()).unwrap())
    };
    Office::new(&open(), "a").hears(Remember::Always).await;
    assert_eq!(Office::new(&open(), "b").run(of_ada()).await.status, RunStatus::Completed);
}
