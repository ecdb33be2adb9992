//! Asking first: yes, no, another way, once and for all, too late, and something else instead.

use std::sync::Arc;

use provost::{
    ActionPolicy, Agent, DecideError, Decision, Outcome, Remember, Request, Resume, RunStatus, Runtime,
    Script, Seq, Tool,
};
use provost_runtime::system::ManualClock;
use serde_json::json;

use crate::scene::{Ledger, Scene, Text, results, transcript, waits_for};

fn two_writes() -> Script {
    Script::new()
        .calls([
            ("note/write", json!({ "text": "a" })),
            ("note/read", json!({ "text": "b" })),
            ("note/write", json!({ "text": "c" })),
        ])
        .call("note/write", json!({ "text": "d" }))
        .say("Done.")
}

async fn decide(scene: &Scene, place: usize, decision: Decision) -> provost::Outcome {
    let pending = scene.runtime.pending().await.unwrap();
    scene.runtime.decide(&pending[place].wait.to_string(), decision).await.unwrap().outcome().await.unwrap()
}

/// A tool that only reads, and asks first.
fn look(ledger: &Ledger) -> Tool {
    let noted = ledger.clone();
    let look = Tool::new("note/look", "Looks.", move |text: Text| {
        noted.note(format!("look {}", text.text));
        async { Ok(()) }
    });
    look.reads().asks()
}

#[tokio::test]
async fn decisions_may_come_one_by_one_and_in_any_order() {
    let ledger = Ledger::default();
    let script = Script::new()
        .calls([
            ("note/look", json!({ "text": "a" })),
            ("note/read", json!({ "text": "b" })),
            ("note/look", json!({ "text": "c" })),
        ])
        .call("note/look", json!({ "text": "d" }))
        .say("Done.");
    let scene = Scene::with(script, Agent::new("scribe"), vec![look(&ledger)]);
    let waiting = scene.run().await;
    assert_eq!(waits_for(&waiting), ["approval call-1-1", "approval call-1-3"]);
    assert_eq!(scene.ledger.entries(), ["read b"], "what only reads does not wait for the others");

    let still = decide(&scene, 1, Decision::approve("grace")).await;
    assert_eq!(waits_for(&still), ["approval call-1-1"]);
    assert_eq!(ledger.entries(), ["look c"]);

    let next = decide(&scene, 0, Decision::reject("grace", "not a")).await;
    assert_eq!(waits_for(&next), ["approval call-2-1"], "the next turn asks again");
    let done = decide(&scene, 0, Decision::approve("grace")).await;
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(ledger.entries(), ["look c", "look d"]);
    let expected = ["call-1-1 Not run: grace said no: not a", "call-1-2 ok", "call-1-3 ok", "call-2-1 ok"];
    assert_eq!(results(&done), expected, "in the model's order, whatever order they ended in");
}

/// What follows an effect may rest on it, so nothing overtakes one that waits.
#[tokio::test]
async fn what_follows_an_effect_that_waits_keeps_its_place() {
    let scene = Scene::new(two_writes());
    let waiting = scene.run().await;
    assert_eq!(waits_for(&waiting), ["approval call-1-1"], "one question at a time");
    assert!(scene.ledger.entries().is_empty(), "a read behind it waits too");

    let still = decide(&scene, 0, Decision::reject("grace", "not a")).await;
    assert_eq!(waits_for(&still), ["approval call-1-3"]);
    assert_eq!(scene.ledger.entries(), ["read b"]);
    let next = decide(&scene, 0, Decision::approve("grace")).await;
    assert_eq!(waits_for(&next), ["approval call-2-1"]);
    let done = decide(&scene, 0, Decision::approve("grace")).await;
    assert_eq!(scene.ledger.entries(), ["read b", "write c", "write d"]);
    let expected = ["call-1-1 Not run: grace said no: not a", "call-1-2 ok", "call-1-3 ok", "call-2-1 ok"];
    assert_eq!((done.status, results(&done)), (RunStatus::Completed, expected.map(str::to_owned).to_vec()));

    let before = [("note/read", json!({ "text": "b" })), ("note/write", json!({ "text": "a" }))];
    let control = Scene::new(Script::new().calls(before).say("Done."));
    control.run().await;
    assert_eq!(control.ledger.entries(), ["read b"], "what stands before it does not wait");
}

#[tokio::test]
async fn every_call_has_exactly_one_result_in_the_transcript() {
    let scene = Scene::new(two_writes());
    scene.run().await;
    decide(&scene, 0, Decision::approve("grace")).await;
    decide(&scene, 0, Decision::approve("grace")).await;
    let done = decide(&scene, 0, Decision::approve("grace")).await;
    insta::assert_snapshot!(transcript(&done).join("\n"), @r#"
    user text  Go.
    assistant tool_call call-1-1 
    user tool_result call-1-1 "write done"
    assistant tool_call call-1-2 
    user tool_result call-1-2 "read done"
    assistant tool_call call-1-3 
    user tool_result call-1-3 "write done"
    assistant tool_call call-2-1 
    user tool_result call-2-1 "write done"
    assistant text  Done.
    "#);
}

/// Calls two tools at once under one id.
struct SameId;

impl provost::port::Model for SameId {
    fn turn<'a>(
        &'a self,
        request: provost::port::TurnRequest<'a>,
    ) -> provost::port::Boxed<'a, Result<provost::port::TurnAnswer, provost::port::ModelError>> {
        let call = |text: &str| json!({ "id": "same", "name": "note/write", "parameters": { "text": text } });
        let calls = if request.turn == 1 { vec![call("a"), call("b")] } else { Vec::new() };
        Box::pin(async move {
            provost::port::TurnAnswer::from_adapter(&json!({ "content": "Done.", "tool_calls": calls }))
        })
    }
}

#[tokio::test]
async fn a_yes_is_for_one_call_whatever_the_model_calls_it() {
    let ledger = Ledger::default();
    let noted = ledger.clone();
    let write = provost::Tool::new("note/write", "Writes.", move |text: Text| {
        noted.note(text.text);
        async { Ok(()) }
    });
    let model: std::sync::Arc<dyn provost::port::Model> = std::sync::Arc::new(SameId);
    let runtime = provost::Runtime::builder().model(model).tool(write.asks()).build().unwrap();
    let asked = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    assert_eq!(waits_for(&asked), ["approval same"]);
    let answer = async |decision: Decision| {
        let wait = runtime.pending().await.unwrap()[0].wait.to_string();
        runtime.decide(&wait, decision).await.unwrap().outcome().await.unwrap()
    };
    let still = answer(Decision::approve("grace")).await;
    assert_eq!(
        (waits_for(&still), ledger.entries()),
        (vec!["approval same-2".to_owned()], vec!["a".to_owned()])
    );
    let done = answer(Decision::reject("grace", "")).await;
    assert_eq!(results(&done), ["same ok", "same-2 Not run: grace said no."]);
    assert_eq!(ledger.entries(), ["a"]);
}

#[tokio::test]
async fn the_last_call_of_a_budget_may_be_asked_about() {
    let script = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
    let scene = Scene::with(script, Agent::new("scribe").budget("tool_calls", 1), Vec::new());
    scene.run().await;
    let done = decide(&scene, 0, Decision::approve("grace")).await;
    assert_eq!(scene.ledger.entries(), ["write a"]);
    assert_eq!((done.status, results(&done)), (RunStatus::BudgetExceeded, vec!["call-1-1 ok".to_owned()]));
}

/// A question is not answered for nothing: when others used up the budget, it is taken back.
#[tokio::test]
async fn a_budget_that_others_used_up_meanwhile_is_refused_before_the_call() {
    let ledger = Ledger::default();
    let script = Script::new()
        .calls([("note/look", json!({ "text": "a" })), ("note/read", json!({ "text": "b" }))])
        .call("note/look", json!({ "text": "a" }))
        .say("Done.");
    let scene = Scene::with(script, Agent::new("scribe").budget("tool_calls", 1), vec![look(&ledger)]);
    let stopped = scene.run().await;
    assert_eq!(stopped.status, RunStatus::BudgetExceeded);
    assert_eq!((scene.ledger.entries(), ledger.entries()), (vec!["read b".to_owned()], vec![]));
    assert!(scene.runtime.pending().await.unwrap().is_empty(), "the question is taken back");
    let resume = Resume { budgets: [("tool_calls".to_owned(), 3)].into(), ..Resume::default() };
    let again = scene.runtime.reopen(&stopped.run, resume).await.unwrap().outcome().await.unwrap();
    assert_eq!(waits_for(&again), ["approval call-2-1"], "with more, the model asks for it again");
    let done = decide(&scene, 0, Decision::approve("grace")).await;
    assert_eq!((done.status, ledger.entries()), (RunStatus::Completed, vec!["look a".to_owned()]));
}

#[tokio::test]
async fn changed_arguments_are_the_ones_that_run() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    scene.run().await;
    let parameters = json!({ "text": "better" }).as_object().cloned();
    let done = decide(&scene, 0, Decision { parameters, ..Decision::approve("grace") }).await;
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(scene.ledger.entries(), ["write better"]);
}

#[tokio::test]
async fn changed_arguments_that_do_not_fit_are_refused_and_the_question_stays() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    scene.run().await;
    let wait = scene.runtime.pending().await.unwrap()[0].wait.to_string();
    for parameters in [json!({ "text": 7 }), json!({})] {
        let parameters = parameters.as_object().cloned();
        let unfit = Decision { parameters, ..Decision::approve("grace") };
        let refused = scene.runtime.decide(&wait, unfit).await.err();
        let Some(DecideError::Arguments { tool, faults }) = &refused else { panic!("{refused:?}") };
        assert_eq!((tool.as_str(), faults.len()), ("note/write", 1), "{faults:?}");
    }
    assert!(scene.ledger.entries().is_empty());
    let parameters = json!({ "text": "fits" }).as_object().cloned();
    let done = decide(&scene, 0, Decision { parameters, ..Decision::approve("grace") }).await;
    assert_eq!((done.status, scene.ledger.entries()), (RunStatus::Completed, vec!["write fits".to_owned()]));
}

#[tokio::test]
async fn a_remembered_yes_spares_the_next_question_and_another_does_not() {
    let script = || {
        Script::new()
            .call("note/write", json!({ "text": "a" }))
            .call("note/write", json!({ "text": "b" }))
            .say("Done.")
    };
    let scene = Scene::new(script());
    scene.run().await;
    let done = decide(&scene, 0, Decision { remember: Remember::Run, ..Decision::approve("grace") }).await;
    assert_eq!(done.status, RunStatus::Completed);
    let control = Scene::new(script());
    control.run().await;
    let asked_again = decide(&control, 0, Decision::approve("grace")).await;
    assert_eq!(asked_again.status, RunStatus::Waiting);
}

#[tokio::test]
async fn the_second_answer_is_told_who_was_first() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    let asked = scene.run().await;
    let action = scene.runtime.pending().await.unwrap()[0].wait.to_string();
    scene.runtime.decide(&action, Decision::reject("grace", "no")).await.unwrap();
    let late = scene.runtime.decide(&action, Decision::approve("alan")).await;
    assert!(
        matches!(&late, Err(DecideError::Late { how, by, .. }) if how == "answered" && by.name() == "grace"),
        "{:?}",
        late.err()
    );
    for none in ["act_none", "run-none/1"] {
        let unknown = scene.runtime.decide(none, Decision::approve("alan")).await;
        assert!(matches!(unknown, Err(DecideError::Unknown(_))), "{none}");
    }
    let done = scene.runtime.outcome(&asked.run).await.unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert!(scene.ledger.entries().is_empty());
}

#[tokio::test]
async fn only_those_named_may_decide_and_nobody_about_their_own() {
    let script = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
    let scene = Scene::with(script, Agent::new("scribe").approvers(["grace"]), Vec::new());
    scene.run().await;
    let action = scene.runtime.pending().await.unwrap()[0].wait.to_string();
    let stranger = scene.runtime.decide(&action, Decision::approve("mallory")).await;
    assert!(matches!(stranger, Err(DecideError::NotAllowed { .. })));
    let own = scene.runtime.decide(&action, Decision::approve("agent:scribe")).await;
    assert!(matches!(own, Err(DecideError::OwnProposal { .. })));
    assert!(scene.ledger.entries().is_empty());
    let allowed = scene.runtime.decide(&action, Decision::approve("grace")).await.unwrap();
    assert_eq!(allowed.outcome().await.unwrap().status, RunStatus::Completed);
    assert_eq!(scene.ledger.entries(), ["write a"]);
}

#[tokio::test]
async fn a_message_instead_of_an_answer_takes_the_question_back() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("As you wish."));
    let waiting = scene.run().await;
    let action = scene.runtime.pending().await.unwrap()[0].wait.to_string();
    scene.runtime.say(&waiting.run, "ada", "Leave it.").await.unwrap();
    let done = scene.runtime.resume(&waiting.run).await.unwrap().outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert!(scene.ledger.entries().is_empty());
    assert!(results(&done)[0].contains("new message"), "{:?}", results(&done));
    let late = scene.runtime.decide(&action, Decision::approve("grace")).await;
    assert!(matches!(&late, Err(DecideError::Late { how, .. }) if how == "superseded"), "{:?}", late.err());
    insta::assert_snapshot!(transcript(&done).join("\n"), @"
    user text  Go.
    assistant tool_call call-1-1 
    user tool_result call-1-1 Not run: the user sent a new message while this waited for an answer.
    user text  Leave it.
    assistant text  As you wish.
    ");
}

/// A cancel or a message that was first wins, whether the run has read it yet or not.
#[tokio::test]
async fn a_yes_after_a_cancel_or_a_message_lets_nothing_run() {
    let waiting = async || {
        let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
        let run = scene.run().await.run;
        let wait = scene.runtime.pending().await.unwrap()[0].wait.to_string();
        (scene, run, wait)
    };
    let is_late = |answered: &Result<_, DecideError>| {
        matches!(answered, Ok(_) | Err(DecideError::Late { .. } | DecideError::RunEnded(_)))
    };
    let (scene, run, wait) = waiting().await;
    scene.runtime.cancel(&run, "ada", "enough").await.unwrap();
    assert!(is_late(&scene.runtime.decide(&wait, Decision::approve("grace")).await));
    let done = scene.runtime.outcome(&run).await.unwrap();
    assert_eq!((done.status, scene.ledger.entries()), (RunStatus::Cancelled, vec![]));
    assert_eq!(results(&done), ["call-1-1 Not run: ada cancelled the run first."]);

    let (scene, run, wait) = waiting().await;
    scene.runtime.say(&run, "ada", "Leave it.").await.unwrap();
    assert!(is_late(&scene.runtime.decide(&wait, Decision::approve("grace")).await));
    let done = scene.runtime.outcome(&run).await.unwrap();
    assert_eq!((done.status, scene.ledger.entries()), (RunStatus::Completed, vec![]));
    assert!(results(&done)[0].contains("new message"), "{:?}", results(&done));

    let (scene, ..) = waiting().await;
    let done = decide(&scene, 0, Decision::approve("grace")).await;
    assert_eq!((done.status, scene.ledger.entries()), (RunStatus::Completed, vec!["write a".to_owned()]));
}

/// Rules by what is written: `a` asks by one rule, `secret` by another; and refuses `poison` outright.
struct ByText;

impl provost::port::PolicyProvider for ByText {
    fn rule<'a>(
        &'a self,
        call: provost::port::MediatedCall<'a>,
    ) -> provost::port::Boxed<'a, provost_policy::HookAnswer<provost::port::Ruling>> {
        let text = call.parameters.get("text").and_then(|text| text.as_str()).unwrap_or_default();
        let (policy, rule) = match text {
            "poison" => (ActionPolicy::Forbidden, "no-poison"),
            "secret" => (ActionPolicy::Preview, "secrets"),
            _ => (ActionPolicy::Preview, "writes"),
        };
        let ruling = provost::port::Ruling::new(policy, rule, format!("rule {rule}"));
        Box::pin(async move { Ok(Some(ruling)) })
    }
}

fn ruled(texts: &[&str]) -> (provost::Runtime, Ledger) {
    let ledger = Ledger::default();
    let noted = ledger.clone();
    let put = provost::Tool::new("note/put", "Puts.", move |text: Text| {
        noted.note(text.text);
        async { Ok(()) }
    });
    let script =
        texts.iter().fold(Script::new(), |script, text| script.call("note/put", json!({ "text": text })));
    let builder = provost::Runtime::builder().model(script.say("Done.")).tool(put);
    (builder.policy(std::sync::Arc::new(ByText)).build().unwrap(), ledger)
}

#[tokio::test]
async fn a_remembered_yes_holds_for_its_rule_and_no_other() {
    let (runtime, ledger) = ruled(&["a", "b", "secret"]);
    runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let action = runtime.pending().await.unwrap()[0].wait.to_string();
    let decision = Decision { remember: Remember::Run, ..Decision::approve("grace") };
    let next = runtime.decide(&action, decision).await.unwrap().outcome().await.unwrap();
    assert_eq!(next.status, RunStatus::Waiting, "another rule asks");
    assert_eq!(ledger.entries(), ["a", "b"], "the same rule did not ask again");
}

#[tokio::test]
async fn arguments_changed_to_what_is_forbidden_do_not_run() {
    let edit = async |text: &str| {
        let (runtime, ledger) = ruled(&["a"]);
        runtime.start("Go.").await.unwrap().outcome().await.unwrap();
        let action = runtime.pending().await.unwrap()[0].wait.to_string();
        let parameters = json!({ "text": text }).as_object().cloned();
        let decision = Decision { parameters, ..Decision::approve("grace") };
        let done = runtime.decide(&action, decision).await.unwrap().outcome().await.unwrap();
        (results(&done), ledger.entries())
    };
    assert_eq!(edit("poison").await, (vec!["call-1-1 Not allowed: rule no-poison.".to_owned()], vec![]));
    assert_eq!(edit("fine").await, (vec!["call-1-1 ok".to_owned()], vec!["fine".to_owned()]));
}

/// What the model reads of a call as text, when a person allowed it with these arguments, or as it was.
async fn read_by_the_model(parameters: Option<serde_json::Value>) -> String {
    let (runtime, _) = ruled(&["a"]);
    runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let action = runtime.pending().await.unwrap()[0].wait.to_string();
    let parameters = parameters.map(|parameters| parameters.as_object().cloned().unwrap());
    let decision = Decision { parameters, ..Decision::approve("user:grace") };
    let done = runtime.decide(&action, decision).await.unwrap().outcome().await.unwrap();
    let messages = done.result["messages"].as_array().unwrap();
    let result = messages.iter().find(|message| message["type"] == "tool_result").unwrap();
    result["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_model_reads_which_arguments_a_person_changed() {
    let changed = read_by_the_model(Some(json!({ "text": "fine" }))).await;
    let told = "user:grace changed the arguments of this call. It ran with {\"text\":\"fine\"}.\n";
    assert!(changed.starts_with(told), "{changed}");
    let unchanged = read_by_the_model(None).await;
    assert!(!unchanged.contains("changed"), "{unchanged}");
}

/// Refuses one text, whoever wrote it.
struct NoPoison;

impl provost::port::Mediator for NoPoison {
    fn decide<'a>(
        &'a self,
        call: provost::port::MediatedCall<'a>,
    ) -> provost::port::Boxed<'a, provost_policy::HookAnswer<provost::port::Mediation>> {
        use provost::port::{Mediation, Rejection};
        let poison = call.parameters.get("text").is_some_and(|text| text == "poison");
        let refused = || {
            Mediation::Reject(Box::new(Rejection { error: Some("No.".to_owned()), ..Rejection::default() }))
        };
        Box::pin(async move { Ok(poison.then(refused)) })
    }
}

#[tokio::test]
async fn the_mediator_sees_changed_arguments_too() {
    for (text, expected, ran) in [("poison", "call-1-1 No.", false), ("fine", "call-1-1 ok", true)] {
        let ledger = Ledger::default();
        let noted = ledger.clone();
        let put = provost::Tool::new("note/put", "Puts.", move |text: Text| {
            noted.note(text.text);
            async { Ok(()) }
        });
        let script = Script::new().call("note/put", json!({ "text": "a" })).say("Done.");
        let builder = provost::Runtime::builder().model(script).tool(put.asks());
        let runtime = builder.mediator(std::sync::Arc::new(NoPoison)).build().unwrap();
        runtime.start("Go.").await.unwrap().outcome().await.unwrap();
        let action = runtime.pending().await.unwrap()[0].wait.to_string();
        let parameters = json!({ "text": text }).as_object().cloned();
        let decision = Decision { parameters, ..Decision::approve("grace") };
        let done = runtime.decide(&action, decision).await.unwrap().outcome().await.unwrap();
        assert_eq!(results(&done), [expected]);
        assert_eq!(!ledger.entries().is_empty(), ran);
    }
}

/// Calls the work done, or lets it go on, at `b`.
struct EndsAtB(bool);

impl provost::port::Mediator for EndsAtB {
    fn decide<'a>(
        &'a self,
        call: provost::port::MediatedCall<'a>,
    ) -> provost::port::Boxed<'a, provost_policy::HookAnswer<provost::port::Mediation>> {
        let (is_b, completes) = (call.parameters.get("text").is_some_and(|text| text == "b"), self.0);
        let result = json!({ "success": true, "result": "done" }).as_object().cloned().unwrap();
        Box::pin(async move { Ok(is_b.then_some(provost::port::Mediation::Replace { result, completes })) })
    }
}

#[tokio::test]
async fn what_the_mediator_left_out_does_not_begin_with_a_later_yes() {
    for (completes, expected) in [(true, vec!["write a"]), (false, vec!["write a", "put c"])] {
        let ledger = Ledger::default();
        let tool = |name: &str, verb: &'static str| {
            let noted = ledger.clone();
            provost::Tool::new(name, "Notes.", move |text: Text| {
                noted.note(format!("{verb} {}", text.text));
                async { Ok(()) }
            })
        };
        let texts = [("note/write", "a"), ("note/put", "b"), ("note/put", "c")];
        let calls = texts.map(|(name, text)| (name, json!({ "text": text })));
        let builder = provost::Runtime::builder().model(Script::new().calls(calls).say("Done."));
        let builder = builder.tool(tool("note/write", "write").asks()).tool(tool("note/put", "put"));
        let runtime = builder.mediator(std::sync::Arc::new(EndsAtB(completes))).build().unwrap();
        runtime.start("Go.").await.unwrap().outcome().await.unwrap();
        let action = runtime.pending().await.unwrap()[0].wait.to_string();
        let decided = runtime.decide(&action, Decision::approve("grace")).await.unwrap();
        let done = decided.outcome().await.unwrap();
        assert_eq!(
            (done.status, ledger.entries()),
            (RunStatus::Completed, expected.iter().map(|entry| (*entry).to_owned()).collect())
        );
    }
}

/// Asks about one call, for 250 ms.
async fn asked_for_a_moment() -> (provost::Runtime, Arc<ManualClock>, Ledger, Outcome) {
    // Records know whole seconds, and this one is nearly over.
    let clock = Arc::new(ManualClock::at(1_780_000_000_700));
    let ledger = Ledger::default();
    let noted = ledger.clone();
    let write = Tool::new("note/write", "Writes.", move |text: Text| {
        noted.note(text.text);
        async { Ok("written") }
    });
    let script = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
    let runtime = Runtime::builder().model(script).tool(write.asks()).clock(clock.clone()).build().unwrap();
    let request = Request::new("Go.").option("limits", json!({ "approval_ms_max": 250 }));
    let waiting = runtime.start(request).await.unwrap().outcome().await.unwrap();
    assert_eq!(waiting.status, RunStatus::Waiting);
    (runtime, clock, ledger, waiting)
}

#[tokio::test]
async fn an_approval_in_time_counts() {
    let (runtime, clock, ledger, waiting) = asked_for_a_moment().await;
    // The record says 20:26:41, so a person has until then.
    clock.advance(299);
    assert_eq!(runtime.pending().await.unwrap().len(), 1);
    let decided = runtime.decide(&waiting.waits[0].wait, Decision::approve("grace")).await.unwrap();
    assert_eq!(decided.outcome().await.unwrap().status, RunStatus::Completed);
    assert_eq!(ledger.entries(), ["a"]);
}

#[tokio::test]
async fn an_expired_approval_is_not_pending_and_the_run_goes_on_by_itself() {
    let (runtime, clock, ledger, waiting) = asked_for_a_moment().await;
    let mut events = runtime.events(&waiting.run, Seq(0)).await.unwrap();
    clock.advance(300);
    assert_eq!(runtime.pending().await.unwrap(), []);
    let late = runtime.decide(&waiting.waits[0].wait, Decision::approve("grace")).await;
    assert!(matches!(late, Err(DecideError::Late { ref how, .. }) if how == "expired"), "{:?}", late.err());
    let mut seen = Vec::new();
    while let Some(event) = events.next_event().await {
        seen.push(event.event.kind.name());
    }
    assert_eq!(seen.last(), Some(&"run_ended"), "{seen:?}");
    let done = runtime.outcome(&waiting.run).await.unwrap();
    assert_eq!((done.status, done.text(), ledger.entries().len()), (RunStatus::Completed, "Done.", 0));
    assert_eq!(results(&done), ["call-1-1 Not run: no approval came in time."]);
}

/// A request brings no policy of its own: what the agent's policy forbids stays so. Beside it, a start without one.
#[tokio::test]
async fn a_request_of_its_own_policy_lifts_no_refusal_of_the_agent() {
    let start = async |own: Option<serde_json::Value>, of_agent: ActionPolicy| {
        let ledger = Ledger::default();
        let noted = ledger.clone();
        let write = Tool::new("note/write", "Writes.", move |text: Text| {
            noted.note(text.text);
            async { Ok(()) }
        });
        let script = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
        let agent = Agent::new("scribe").policy("note/write", of_agent);
        let runtime = Runtime::builder().model(script).tool(write).agent(agent).build().unwrap();
        let request = own.into_iter().fold(Request::new("Go."), |request, own| request.option("policy", own));
        (runtime.start(request).await, ledger)
    };
    let own = json!({ "action_policy": { "tools": { "note/write": "direct" } }, "agent_config": {} });
    let (refused, ledger) = start(Some(own), ActionPolicy::Forbidden).await;
    assert!(matches!(refused, Err(provost::StartError::Ignored(_))));
    assert!(ledger.entries().is_empty());
    for (of_agent, written) in [(ActionPolicy::Forbidden, 0), (ActionPolicy::Direct, 1)] {
        let (started, ledger) = start(None, of_agent).await;
        started.unwrap().outcome().await.unwrap();
        assert_eq!(ledger.entries().len(), written, "{of_agent:?}");
    }
}

/// Asks about every call, and about `secret` a person alone.
struct PersonOnly;

impl provost::port::PolicyProvider for PersonOnly {
    fn rule<'a>(
        &'a self,
        call: provost::port::MediatedCall<'a>,
    ) -> provost::port::Boxed<'a, provost_policy::HookAnswer<provost::port::Ruling>> {
        let ruling =
            provost::port::Ruling::new(ActionPolicy::Preview, "secrets", "it may be secret".to_owned());
        let alone = call.parameters.get("text").is_some_and(|text| text == "secret");
        Box::pin(async move { Ok(Some(if alone { ruling.person_only() } else { ruling })) })
    }
}

/// Where no person can be asked about exactly one call, it is refused at once and the run goes on. Ordinary questions
/// wait, and an attended runtime asks.
#[tokio::test]
async fn an_unattended_runtime_refuses_what_only_a_person_may_allow() {
    let run = async |text: &str, attended: bool| {
        let ledger = Ledger::default();
        let noted = ledger.clone();
        let put = Tool::new("note/put", "Puts.", move |text: Text| {
            noted.note(text.text);
            async { Ok(()) }
        });
        let script = Script::new().call("note/put", json!({ "text": text })).say("Done.");
        let builder = Runtime::builder().model(script).tool(put).policy(Arc::new(PersonOnly));
        let builder = if attended { builder } else { builder.unattended() };
        let outcome = builder.build().unwrap().start("Go.").await.unwrap().outcome().await.unwrap();
        assert!(ledger.entries().is_empty());
        outcome
    };
    let refused = run("secret", false).await;
    let told = "call-1-1 Not allowed: it may be secret; only a person may allow exactly this call, and none can be asked.";
    assert_eq!((refused.status, results(&refused)), (RunStatus::Completed, vec![told.to_owned()]));
    let decision = &refused.result["tool_execution_results"][0]["result"]["metadata"]["decision"];
    assert_eq!((&decision["verdict"], &decision["rule"]), (&json!("deny"), &json!("secrets")));
    for (text, attended, person_only) in [("secret", true, true), ("a", false, false), ("a", true, false)] {
        let asked = run(text, attended).await;
        assert_eq!(waits_for(&asked), ["approval call-1-1"], "{text}");
        assert_eq!(asked.waits[0].person_only, person_only, "{text}");
    }
}

/// What only a person may allow is about exactly this call: the answer is not remembered.
#[tokio::test]
async fn an_answer_about_exactly_one_call_is_not_remembered() {
    let put = Tool::new("note/put", "Puts.", |_: Text| async { Ok(()) });
    let script = Script::new().call("note/put", json!({ "text": "secret" })).say("Done.");
    let runtime = Runtime::builder().model(script).tool(put).policy(Arc::new(PersonOnly)).build().unwrap();
    let asked = runtime.start("Go.").await.unwrap().outcome().await.unwrap();
    let wait = asked.waits[0].wait.to_string();
    let remembered = Decision { remember: Remember::Run, ..Decision::approve("grace") };
    let refused = runtime.decide(&wait, remembered).await.err();
    assert!(matches!(refused, Some(DecideError::ExactlyThisCall(_))), "{refused:?}");
    let done = runtime.decide(&wait, Decision::approve("grace")).await.unwrap().outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Completed);
}
