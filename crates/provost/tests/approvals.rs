//! Asking first: yes, no, another way, once and for all, too late, and something else instead.

use std::sync::Arc;

use provost::{
    ActionPolicy, Agent, DecideError, Decision, Remember, Request, RunStatus, Runtime, Script, Tool,
};
use provost_runtime::memory::ManualClock;
use serde_json::json;

use crate::scene::{Ledger, Scene, Text, results, transcript};

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
    let going_on = scene.runtime.decide(pending[place].action_id(), decision).await.unwrap();
    going_on.expect("it belongs to a run").outcome().await.unwrap()
}

#[tokio::test]
async fn decisions_may_come_one_by_one_and_in_any_order() {
    let scene = Scene::new(two_writes());
    let waiting = scene.run().await;
    assert_eq!(waiting.status, RunStatus::ApprovalRequired);
    assert_eq!(scene.ledger.entries(), ["read b"], "what only reads does not wait for the others");

    let still = decide(&scene, 1, Decision::accept("grace")).await;
    assert_eq!(still.status, RunStatus::ApprovalRequired);
    assert_eq!(scene.ledger.entries(), ["read b", "write c"]);

    let next = decide(&scene, 0, Decision::reject("grace", "not a")).await;
    assert_eq!(next.status, RunStatus::ApprovalRequired, "the next turn asks again");
    let done = decide(&scene, 0, Decision::accept("grace")).await;
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(scene.ledger.entries(), ["read b", "write c", "write d"]);
    let expected = ["call-1-1 Not run: grace said no: not a", "call-1-2 ok", "call-1-3 ok", "call-2-1 ok"];
    assert_eq!(results(&done), expected, "in the model's order, whatever order they ended in");
}

#[tokio::test]
async fn every_call_has_exactly_one_result_in_the_transcript() {
    let scene = Scene::new(two_writes());
    scene.run().await;
    decide(&scene, 1, Decision::accept("grace")).await;
    decide(&scene, 0, Decision::accept("grace")).await;
    let done = decide(&scene, 0, Decision::accept("grace")).await;
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
    runtime.start("Go.").unwrap().outcome().await.unwrap();
    let pending = runtime.pending().await.unwrap();
    assert_eq!(pending.len(), 2);
    let answer = async |place: usize, decision: Decision| {
        let going_on = runtime.decide(pending[place].action_id(), decision).await.unwrap();
        going_on.unwrap().outcome().await.unwrap()
    };
    let still = answer(0, Decision::accept("grace")).await;
    assert_eq!((still.status, ledger.entries()), (RunStatus::ApprovalRequired, vec!["a".to_owned()]));
    let done = answer(1, Decision::reject("grace", "")).await;
    assert_eq!(results(&done), ["same ok", "same-2 Not run: grace said no."]);
    assert_eq!(ledger.entries(), ["a"]);
}

#[tokio::test]
async fn the_last_call_of_a_budget_may_be_asked_about() {
    let script = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
    let scene = Scene::with(script, Agent::new("scribe").budget("tool_calls", 1), Vec::new());
    scene.run().await;
    let done = decide(&scene, 0, Decision::accept("grace")).await;
    assert_eq!(scene.ledger.entries(), ["write a"]);
    assert_eq!((done.status, results(&done)), (RunStatus::BudgetExceeded, vec!["call-1-1 ok".to_owned()]));
}

#[tokio::test]
async fn a_budget_that_others_used_up_meanwhile_is_refused_before_the_call() {
    use provost_runtime::driver::{Reopen, Resume};
    use provost_runtime::engine::BudgetSpec;
    let script = Script::new()
        .calls([("note/write", json!({ "text": "a" })), ("note/read", json!({ "text": "b" }))])
        .say("Done.");
    let scene = Scene::with(script, Agent::new("scribe").budget("tool_calls", 1), Vec::new());
    scene.run().await;
    let stopped = decide(&scene, 0, Decision::accept("grace")).await;
    assert_eq!(stopped.status, RunStatus::BudgetExceeded);
    assert_eq!(scene.ledger.entries(), ["read b"]);
    let more = BudgetSpec { name: "tool_calls".to_owned(), ceiling: 3, current: 0 };
    let resume = Resume { reopen: Reopen::Yes, budgets: vec![more], ..Resume::default() };
    let done = scene.runtime.resume_with(stopped.run, resume).outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(scene.ledger.entries(), ["read b", "write a"], "the yes is still there");
    assert_eq!(results(&done), ["call-1-1 ok", "call-1-2 ok"]);
}

#[tokio::test]
async fn changed_arguments_are_the_ones_that_run() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    scene.run().await;
    let parameters = json!({ "text": "better" }).as_object().cloned();
    let done = decide(&scene, 0, Decision { parameters, ..Decision::accept("grace") }).await;
    assert_eq!(done.status, RunStatus::Completed);
    assert_eq!(scene.ledger.entries(), ["write better"]);
}

#[tokio::test]
async fn changed_arguments_that_do_not_fit_run_nothing() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    scene.run().await;
    let parameters = json!({ "text": 7 }).as_object().cloned();
    let done = decide(&scene, 0, Decision { parameters, ..Decision::accept("grace") }).await;
    assert_eq!(done.status, RunStatus::Completed);
    assert!(scene.ledger.entries().is_empty());
    assert!(results(&done)[0].contains("do not fit"), "{:?}", results(&done));
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
    let done = decide(&scene, 0, Decision { remember: Remember::Run, ..Decision::accept("grace") }).await;
    assert_eq!(done.status, RunStatus::Completed);
    let control = Scene::new(script());
    control.run().await;
    let asked_again = decide(&control, 0, Decision::accept("grace")).await;
    assert_eq!(asked_again.status, RunStatus::ApprovalRequired);
}

#[tokio::test]
async fn the_second_answer_is_told_who_was_first() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
    scene.run().await;
    let action = scene.runtime.pending().await.unwrap()[0].action_id().to_owned();
    scene.runtime.decide(&action, Decision::reject("grace", "no")).await.unwrap();
    let late = scene.runtime.decide(&action, Decision::accept("alan")).await;
    assert!(
        matches!(&late, Err(DecideError::Late { decision: "rejected", by: Some(by), .. }) if by == "grace"),
        "{:?}",
        late.err()
    );
    let unknown = scene.runtime.decide("act_none", Decision::accept("alan")).await;
    assert!(matches!(unknown, Err(DecideError::Unknown(_))));
    scene.runtime.idle().await;
    assert!(scene.ledger.entries().is_empty());
}

#[tokio::test]
async fn only_those_named_may_decide_and_nobody_about_their_own() {
    let script = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
    let scene = Scene::with(script, Agent::new("scribe").approvers(["grace"]), Vec::new());
    scene.run().await;
    let action = scene.runtime.pending().await.unwrap()[0].action_id().to_owned();
    let stranger = scene.runtime.decide(&action, Decision::accept("mallory")).await;
    assert!(matches!(stranger, Err(DecideError::NotAllowed { .. })));
    let own = scene.runtime.decide(&action, Decision::accept("agent:scribe")).await;
    assert!(matches!(own, Err(DecideError::OwnProposal { .. })));
    assert!(scene.ledger.entries().is_empty());
    let allowed = scene.runtime.decide(&action, Decision::accept("grace")).await.unwrap();
    assert_eq!(allowed.unwrap().outcome().await.unwrap().status, RunStatus::Completed);
    assert_eq!(scene.ledger.entries(), ["write a"]);
}

#[tokio::test]
async fn a_message_instead_of_an_answer_takes_the_question_back() {
    let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("As you wish."));
    let waiting = scene.run().await;
    let action = scene.runtime.pending().await.unwrap()[0].action_id().to_owned();
    scene.runtime.say(&waiting.run, "ada", "Leave it.").await.unwrap();
    let done = scene.runtime.resume(waiting.run).outcome().await.unwrap();
    assert_eq!(done.status, RunStatus::Completed);
    assert!(scene.ledger.entries().is_empty());
    assert!(results(&done)[0].contains("new message"), "{:?}", results(&done));
    let late = scene.runtime.decide(&action, Decision::accept("grace")).await;
    assert!(matches!(late, Err(DecideError::Late { decision: "withdrawn", .. })), "{:?}", late.err());
    insta::assert_snapshot!(transcript(&done).join("\n"), @"
    user text  Go.
    assistant tool_call call-1-1 
    user tool_result call-1-1 Not run: the user sent a new message while this waited for an answer.
    user text  Leave it.
    assistant text  As you wish.
    ");
}

/// Nobody works on a run that waits: what came for it is heard in the order that harms nobody.
#[tokio::test]
async fn a_yes_after_a_cancel_or_a_message_lets_nothing_run() {
    let waiting = async || {
        let scene = Scene::new(Script::new().call("note/write", json!({ "text": "a" })).say("Done."));
        let run = scene.run().await.run;
        (scene, run)
    };
    let (scene, run) = waiting().await;
    scene.runtime.cancel(&run, "ada", "enough").await.unwrap();
    let done = decide(&scene, 0, Decision::accept("grace")).await;
    assert_eq!((done.status, scene.ledger.entries()), (RunStatus::Cancelled, vec![]));
    assert_eq!(results(&done), ["call-1-1 Not run: ada cancelled the run first."]);

    let (scene, run) = waiting().await;
    scene.runtime.say(&run, "ada", "Leave it.").await.unwrap();
    let done = decide(&scene, 0, Decision::accept("grace")).await;
    assert_eq!((done.status, scene.ledger.entries()), (RunStatus::Completed, vec![]));
    assert!(results(&done)[0].contains("new message"), "{:?}", results(&done));

    let (scene, _) = waiting().await;
    let done = decide(&scene, 0, Decision::accept("grace")).await;
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
    runtime.start("Go.").unwrap().outcome().await.unwrap();
    let action = runtime.pending().await.unwrap()[0].action_id().to_owned();
    let decision = Decision { remember: Remember::Run, ..Decision::accept("grace") };
    let next = runtime.decide(&action, decision).await.unwrap().unwrap().outcome().await.unwrap();
    assert_eq!(next.status, RunStatus::ApprovalRequired, "another rule asks");
    assert_eq!(ledger.entries(), ["a", "b"], "the same rule did not ask again");
}

#[tokio::test]
async fn arguments_changed_to_what_is_forbidden_do_not_run() {
    let edit = async |text: &str| {
        let (runtime, ledger) = ruled(&["a"]);
        runtime.start("Go.").unwrap().outcome().await.unwrap();
        let action = runtime.pending().await.unwrap()[0].action_id().to_owned();
        let parameters = json!({ "text": text }).as_object().cloned();
        let decision = Decision { parameters, ..Decision::accept("grace") };
        let done = runtime.decide(&action, decision).await.unwrap().unwrap().outcome().await.unwrap();
        (results(&done), ledger.entries())
    };
    assert_eq!(edit("poison").await, (vec!["call-1-1 Not allowed: rule no-poison.".to_owned()], vec![]));
    assert_eq!(edit("fine").await, (vec!["call-1-1 ok".to_owned()], vec!["fine".to_owned()]));
}

/// What the model reads of a call as text, when a person allowed it with these arguments, or as it was.
async fn read_by_the_model(parameters: Option<serde_json::Value>) -> String {
    let (runtime, _) = ruled(&["a"]);
    runtime.start("Go.").unwrap().outcome().await.unwrap();
    let action = runtime.pending().await.unwrap()[0].action_id().to_owned();
    let parameters = parameters.map(|parameters| parameters.as_object().cloned().unwrap());
    let decision = Decision { parameters, ..Decision::accept("user:grace") };
    let done = runtime.decide(&action, decision).await.unwrap().unwrap().outcome().await.unwrap();
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
        runtime.start("Go.").unwrap().outcome().await.unwrap();
        let action = runtime.pending().await.unwrap()[0].action_id().to_owned();
        let parameters = json!({ "text": text }).as_object().cloned();
        let decision = Decision { parameters, ..Decision::accept("grace") };
        let done = runtime.decide(&action, decision).await.unwrap().unwrap().outcome().await.unwrap();
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
    for (completes, expected) in [(true, vec!["write a"]), (false, vec!["put c", "write a"])] {
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
        runtime.start("Go.").unwrap().outcome().await.unwrap();
        let action = runtime.pending().await.unwrap()[0].action_id().to_owned();
        let decided = runtime.decide(&action, Decision::accept("grace")).await.unwrap();
        let done = decided.unwrap().outcome().await.unwrap();
        assert_eq!(
            (done.status, ledger.entries()),
            (RunStatus::Completed, expected.iter().map(|entry| (*entry).to_owned()).collect())
        );
    }
}

#[tokio::test]
async fn nobody_has_less_time_to_decide_than_was_said() {
    for (later_ms, in_time) in [(250, true), (2_000, false)] {
        // Records know whole seconds, and this one is nearly over.
        let clock = Arc::new(ManualClock::at(1_780_000_000_700));
        let write = Tool::new("note/write", "Writes.", |text: Text| async move { Ok(text.text) });
        let script = Script::new().call("note/write", json!({ "text": "a" })).say("Done.");
        let runtime =
            Runtime::builder().model(script).tool(write.asks()).clock(clock.clone()).build().unwrap();
        let request = Request::new("Go.").option("limits", json!({ "approval_ms_max": 250 }));
        let waiting = runtime.start(request).unwrap().outcome().await.unwrap();
        assert_eq!(waiting.status, RunStatus::ApprovalRequired);
        clock.advance(later_ms);
        let action = runtime.pending().await.unwrap().remove(0);
        let decided = runtime.decide(action.action_id(), Decision::accept("grace")).await;
        assert_eq!(decided.is_ok(), in_time, "{later_ms} ms later");
    }
}

/// A request brings no policy of its own: what the agent's policy forbids stays so. Beside it, a start without one.
#[tokio::test]
async fn a_request_of_its_own_policy_lifts_no_refusal_of_the_agent() {
    let start = |own: Option<serde_json::Value>, of_agent: ActionPolicy| {
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
        (runtime.start(request), ledger)
    };
    let own = json!({ "action_policy": { "tools": { "note/write": "direct" } }, "agent_config": {} });
    let (refused, ledger) = start(Some(own), ActionPolicy::Forbidden);
    assert!(matches!(refused, Err(provost::StartError::Ignored(_))));
    assert!(ledger.entries().is_empty());
    for (of_agent, written) in [(ActionPolicy::Forbidden, 0), (ActionPolicy::Direct, 1)] {
        let (started, ledger) = start(None, of_agent);
        started.unwrap().outcome().await.unwrap();
        assert_eq!(ledger.entries().len(), written, "{of_agent:?}");
    }
}
