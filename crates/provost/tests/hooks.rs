//! Hooks around models and tools, policies between turns, call rules and tiers; each beside its control.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use provost::{
    Agent, Builder, CallRule, Completion, FinishedCall, Guard, NextTurn, Outcome, ProposedCall, Recorder,
    RunStatus, Runtime, Script, SpokenResponse, Tool, ToolGuard, ToolTiers,
};
use serde_json::json;

use crate::scene::{Ledger, Text, results};

fn tools(builder: Builder) -> (Ledger, Builder) {
    let ledger = Ledger::default();
    let tool = |name: &'static str| {
        let ledger = ledger.clone();
        Tool::new(name, "Works.", move |text: Text| {
            ledger.note(format!("{name} {}", text.text));
            async { Ok("done") }
        })
    };
    let builder = builder.tool(tool("note/put")).tool(tool("note/read").reads());
    (ledger, builder)
}

fn script() -> Script {
    Script::new().call("note/put", json!({ "text": "a" })).say("Done.").say("Done again.").say("Still done.")
}

async fn run(builder: Builder) -> (Outcome, Vec<String>) {
    let (ledger, builder) = tools(builder);
    let outcome = builder.build().unwrap().start("Go.").await.unwrap().outcome().await.unwrap();
    (outcome, ledger.entries())
}

fn builder() -> (Recorder, Builder) {
    let recorder = Recorder::new(script());
    (recorder.clone(), Runtime::builder().model(recorder))
}

#[tokio::test]
async fn without_hooks_the_run_completes() {
    let (recorder, builder) = builder();
    let (outcome, ledger) = run(builder).await;
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Done."));
    assert_eq!((ledger, recorder.asked().len()), (vec!["note/put a".to_owned()], 2));
}

#[tokio::test]
async fn before_the_model_something_is_said_or_the_run_fails() {
    let (recorder, plain) = builder();
    let said = plain.before_model(|turn: NextTurn| async move {
        if turn.turn == 1 { Guard::Say("It is Monday.".to_owned()) } else { Guard::Pass }
    });
    let (outcome, _) = run(said).await;
    assert_eq!(outcome.status, RunStatus::Completed);
    assert_eq!(recorder.asked()[0].texts(), ["Go.", "It is Monday."]);
    let (recorder, plain) = builder();
    let refused = plain.before_model(|turn: NextTurn| async move {
        if turn.turn == 2 { Guard::Refuse("Enough.".to_owned()) } else { Guard::Pass }
    });
    let (outcome, ledger) = run(refused).await;
    assert_eq!((outcome.status, outcome.failure().unwrap().message.as_str()), (RunStatus::Failed, "Enough."));
    assert_eq!((ledger.len(), recorder.asked().len()), (1, 1), "the second call was never made");
}

#[tokio::test]
async fn after_the_model_a_response_is_refused_before_its_calls_begin() {
    let (recorder, plain) = builder();
    let once = Arc::new(AtomicU32::new(0));
    let guarded = plain.after_model(move |said: SpokenResponse| {
        let first = once.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            let no = first && said.tools == ["note/put"];
            if no { Guard::Refuse("Do not put anything.".to_owned()) } else { Guard::Pass }
        }
    });
    let (outcome, ledger) = run(guarded).await;
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Done."));
    assert!(ledger.is_empty(), "{ledger:?}");
    assert_eq!(recorder.asked()[1].last_text(), "Do not put anything.");
    let (_, plain) = builder();
    let (outcome, ledger) = run(plain.after_model(|_| async { Guard::Refuse("No.".to_owned()) })).await;
    assert_eq!((outcome.status, outcome.failure().unwrap().code.as_str()), (RunStatus::Failed, "guardrail"));
    assert!(ledger.is_empty());
}

#[tokio::test]
async fn before_a_tool_a_call_is_refused_or_answered() {
    let guarded = |guard: ToolGuard| {
        let (_, plain) = builder();
        plain
            .before_tool(|_| async { ToolGuard::Pass })
            .before_tool(move |call: ProposedCall| {
                assert_eq!((call.tool.as_str(), &call.arguments["text"]), ("note/put", &json!("a")));
                let guard = guard.clone();
                async move { guard }
            })
            .before_tool(|_| async { ToolGuard::Pass })
    };
    let (outcome, ledger) = run(guarded(ToolGuard::Refuse("Not today.".to_owned()))).await;
    assert_eq!((results(&outcome), ledger), (vec!["call-1-1 Not today.".to_owned()], vec![]));
    let (outcome, ledger) = run(guarded(ToolGuard::Answer(json!("known")))).await;
    assert_eq!(outcome.result["tool_execution_results"][0]["result"]["result"], "known");
    assert!(ledger.is_empty());
    let (_, ledger) = run(guarded(ToolGuard::Pass)).await;
    assert_eq!(ledger, ["note/put a"]);
}

#[tokio::test]
async fn after_a_tool_notes_stand_beside_the_result() {
    let (recorder, plain) = builder();
    let noted = plain
        .after_tool(|done: FinishedCall| async move { json!({ "ok": done.success }) })
        .after_tool(|done: FinishedCall| async move { json!({ "tool": done.tool }) });
    let (outcome, _) = run(noted).await;
    let notes = &outcome.result["tool_execution_results"][0]["diagnostics"];
    assert_eq!(*notes, json!({ "ok": true, "tool": "note/put" }));
    assert!(!recorder.asked()[1].texts().concat().contains("ok"), "the model does not read them");
}

#[tokio::test]
async fn a_completion_policy_ends_the_run_or_says_what_is_missing() {
    let judged = |completion: Completion| {
        let (recorder, plain) = builder();
        (
            recorder,
            plain.complete_when(move |_| {
                let completion = completion.clone();
                async move { completion }
            }),
        )
    };
    let (recorder, done) = judged(Completion::Done);
    let (outcome, _) = run(done).await;
    assert_eq!((outcome.status, recorder.asked().len()), (RunStatus::Completed, 1));
    let (recorder, missing) = judged(Completion::Missing("Read it back.".to_owned()));
    run(missing).await;
    assert_eq!(recorder.asked()[1].last_text(), "Read it back.");
    let (recorder, undecided) = judged(Completion::Undecided);
    run(undecided).await;
    assert_eq!(recorder.asked().len(), 2);
}

#[tokio::test]
async fn a_continuation_policy_says_whether_another_turn_follows() {
    for (goes_on, turns) in [(true, 2), (false, 1)] {
        let (recorder, plain) = builder();
        let (outcome, _) = run(plain.continue_while(move |_| async move { goes_on })).await;
        assert_eq!((outcome.status, recorder.asked().len()), (RunStatus::Completed, turns));
    }
}

#[tokio::test]
async fn an_interrupt_is_read_in_the_next_turn() {
    let (recorder, plain) = builder();
    let interrupted =
        plain.interrupt_with(|next: NextTurn| async move { (next.turn == 2).then(|| "Hurry.".to_owned()) });
    run(interrupted).await;
    assert_eq!(recorder.asked()[1].last_text(), "Hurry.");
}

#[tokio::test]
async fn a_call_rule_blocks_completion_until_its_calls_were_made() {
    let lazy = || Script::new().say("Done.").call("note/read", json!({ "text": "a" })).say("Read.");
    let with = |agent: Agent, script: Script| Runtime::builder().model(script).agent(agent);
    let (outcome, ledger) = run(with(Agent::new("clerk").rule(CallRule::at_least(1)), lazy())).await;
    assert_eq!((outcome.status, outcome.text(), ledger.len()), (RunStatus::Completed, "Read.", 1));
    let (outcome, ledger) = run(with(Agent::new("clerk"), lazy())).await;
    assert_eq!((outcome.text(), ledger.len()), ("Done.", 0), "without the rule");

    let puts = || {
        let script = Script::new().call("note/put", json!({ "text": "a" })).say("Done.");
        script.call("note/read", json!({ "text": "a" })).say("Checked.")
    };
    let rule = || CallRule::after("note/put").one_of(["note/read"]);
    let (outcome, _) = run(with(Agent::new("clerk").rule(rule()), puts())).await;
    assert_eq!(outcome.text(), "Checked.");
    let (outcome, _) = run(with(Agent::new("clerk"), puts())).await;
    assert_eq!(outcome.text(), "Done.");
    for (rule, told) in [
        (CallRule::after("note/putt").one_of(["note/read"]), "there is no tool `note/putt`"),
        (CallRule::after("note/put"), "a call rule cannot act"),
    ] {
        let refused =
            tools(with(Agent::new("clerk").rule(rule), lazy())).1.build().err().unwrap().to_string();
        assert!(refused.contains(told), "{refused}");
    }
}

#[tokio::test]
async fn tiers_choose_what_a_model_sees() {
    let shown = async |agent: Agent| {
        let (recorder, plain) = builder();
        let (_, ledger) = run(plain.agent(agent)).await;
        let first = recorder.asked().remove(0);
        (first.tools.clone(), first.texts().concat(), ledger)
    };
    let tiers = ToolTiers::at_most(1).favourites(["note/read"]);
    let (tools, said, ledger) = shown(Agent::new("clerk").tiers(tiers)).await;
    assert_eq!(tools, ["note/read"]);
    assert!(said.contains("- note/put (text): Works."), "{said}");
    assert_eq!(ledger, ["note/put a"], "a tool of the second tier can be called by name");
    let (tools, said, _) = shown(Agent::new("clerk")).await;
    assert_eq!((tools.len(), said.contains("note/put")), (2, false));
}

#[tokio::test]
async fn a_refusal_without_a_reason_has_a_usual_one() {
    let refuses = |reason: &'static str| move |_| async move { Guard::Refuse(reason.to_owned()) };
    let message = async |builder: Builder| {
        let (outcome, _) = run(builder).await;
        assert_eq!(outcome.status, RunStatus::Failed);
        outcome.failure().unwrap().message
    };
    assert_eq!(message(builder().1.before_model(refuses("Enough."))).await, "Enough.");
    assert_eq!(message(builder().1.before_model(refuses(""))).await, "A hook refused the model call.");
    let (recorder, plain) = builder();
    assert!(!message(plain.after_model(|_| async { Guard::Refuse(" ".to_owned()) })).await.is_empty());
    let asked = recorder.asked();
    assert!(asked[1].texts().iter().any(|text| text.contains("A hook refused the response.")), "{asked:?}");
    let (_, plain) = builder();
    let (outcome, ledger) =
        run(plain.before_tool(|_: ProposedCall| async { ToolGuard::Refuse(String::new()) })).await;
    assert_eq!((outcome.status, ledger.len()), (RunStatus::Completed, 0));
    assert!(results(&outcome)[0].contains("rejected by pre-tool mediator"), "{:?}", results(&outcome));
}

#[tokio::test]
async fn several_hooks_complete_when_one_says_so() {
    let says = |opinion: Completion| move |_: FinishedCall| std::future::ready(opinion.clone());
    let missing = |text: &str| Completion::Missing(text.to_owned());
    for (first, second, turns) in [
        (Completion::Done, Completion::Undecided, 1),
        (Completion::Undecided, Completion::Done, 1),
        (missing("the stamp"), missing("the date"), 2),
        (Completion::Undecided, Completion::Undecided, 2),
    ] {
        let (recorder, plain) = builder();
        let missed = [&first, &second].map(|opinion| matches!(opinion, Completion::Missing(_)));
        let (outcome, _) = run(plain.complete_when(says(first)).complete_when(says(second))).await;
        let asked = recorder.asked();
        assert_eq!((outcome.status, asked.len()), (RunStatus::Completed, turns));
        if missed == [true, true] {
            assert!(asked[1].texts().contains(&"the stamp\nthe date"), "{asked:?}");
        }
    }
}

#[tokio::test]
async fn several_hooks_continue_while_all_say_so() {
    for (first, second, turns) in [(false, true, 1), (true, false, 1), (true, true, 2)] {
        let (recorder, plain) = builder();
        let hooks = plain
            .continue_while(move |_| async move { first })
            .continue_while(move |_| async move { second });
        run(hooks).await;
        assert_eq!(recorder.asked().len(), turns, "{first} and {second}");
    }
}

#[tokio::test]
async fn several_hooks_interrupt_with_all_their_messages() {
    let says = |text: Option<&'static str>| move |_: NextTurn| async move { text.map(str::to_owned) };
    for (first, second, said) in [
        (Some("Hurry."), None, Some("Hurry.")),
        (None, Some("Be brief."), Some("Be brief.")),
        (Some("Hurry."), Some("Be brief."), Some("Hurry.\nBe brief.")),
        (None, None, None),
    ] {
        let (recorder, plain) = builder();
        run(plain.interrupt_with(says(first)).interrupt_with(says(second))).await;
        let asked = recorder.asked();
        let texts = asked[1].texts();
        let told = texts.iter().find(|text| text.contains("Hurry.") || text.contains("Be brief."));
        assert_eq!(told.map(|text| text.to_string()).as_deref(), said, "{texts:?}");
    }
}
