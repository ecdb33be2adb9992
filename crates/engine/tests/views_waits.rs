//! What a run waits for, what it used of its limits, and its messages with their turns.

use provost_contract::json::into_object;
use provost_engine::Verdict::Ask;
use provost_engine::event::*;
use provost_engine::view::{Limit, Pending, active_ms, open_waits, transcript, usage, waits};
use provost_engine::{Agent, AskStyle, Input, ModelResponse, Payload, RunState, Time, Usage};
use serde_json::json;
use std::sync::Arc;

use crate::world::{World, agent, done, id, proposed, run_spec, step, transactional, writes};

fn called(tools: &[&str]) -> World {
    let world = World::plain();
    let calls = world.calls(tools);
    world.after(calls)
}

fn pending(world: &World) -> Vec<Pending> {
    let pending = waits(&world.state.agent, &[], &world.events).unwrap();
    assert_eq!(pending, open_waits(&world.state, &world.events));
    pending
}

fn one(world: &World) -> Pending {
    let mut pending = pending(world);
    assert_eq!(pending.len(), 1);
    pending.remove(0)
}

#[test]
fn an_approval_has_everything_that_a_person_is_shown() {
    let mut spec = run_spec(Mode::Plain);
    spec.hooks.preview = true;
    spec.limits.wait_ms = Some(5_000);
    let world = World::new(spec).claimed();
    let calls = world.calls(&["ask"]);
    let world = world.after(calls);
    assert_eq!(pending(&world), []);
    let diff = json!({ "type": "diff", "path": "a", "diff": "+b" });
    let preview = Ok(Payload::inline(diff.clone()));
    let world = world.after(Input::Preview { action: id("1.0"), preview, expect: Vec::new() });
    let found = one(&world);
    assert_eq!((found.wait.to_string().as_str(), found.kind.as_str()), ("run/1", "approval"));
    assert_eq!((found.action, found.label.as_str(), found.turn), (id("1.0"), "call_0", 1));
    assert_eq!((found.tool.as_str(), found.preview), ("test/ask", diff));
    assert_eq!(found.arguments, into_object(json!({ "n": 0, "turn": 1 })));
    assert_eq!(found.summary, "agent wants to run test/ask: the tool's default says ask");
    assert_eq!(found.rule, Some(("tool_default".to_owned(), "preview".to_owned())));
    assert_eq!((found.in_doubt, found.person_only, found.asked_by_tool), (false, false, false));
    assert_eq!(found.binding, world.state.waits[&1].binding);
    assert_eq!((found.asked_at, found.due), (Time(1_000), Some(Time(6_000))));
    assert_eq!(found.envelope["payload"]["action_id"], "run/1");
}

#[test]
fn one_question_about_several_calls_is_one_for_each_with_its_own_rule() {
    let spec = provost_engine::AgentSpec { ask: AskStyle::Together, ..agent().spec.clone() };
    let agent = Arc::new(Agent::new(spec).unwrap());
    let mut world = World::new(run_spec(Mode::Protocol));
    world.state = RunState::begin(agent, Vec::new(), &world.events[0]).unwrap();
    let world = world.claimed();
    let ask = || step("test/ask", ExecutorKind::Tool, writes());
    let graph = world.acts(vec![ask(), ask()]);
    let found = pending(&world.after(graph));
    let seen: Vec<_> = found.iter().map(|found| (found.wait.number, found.action)).collect();
    assert_eq!(seen, [(1, id("1.0")), (1, id("1.1"))]);
    assert!(found.iter().all(|found| found.rule.is_some()), "{found:?}");
}

#[test]
fn a_doubt_says_so_and_shows_the_call() {
    let world = called(&["write"]).claimed();
    let lost = world.recovers("1.0", true, Probe::Unknown);
    let found = one(&world.after(lost));
    assert_eq!((found.in_doubt, found.rule), (true, None));
    assert_eq!(
        found.summary,
        "test/write was running when the process died, and it is not known whether it took effect."
    );
    assert_eq!(found.preview, json!({ "tool_name": "test/write", "parameters": { "n": 0, "turn": 1 } }));
}

#[test]
fn a_change_set_is_its_own_preview() {
    let world = World::protocol();
    let graph = world.acts(vec![step("program", ExecutorKind::Program, transactional())]);
    let world = world.after(graph);
    let ends = world.ends("1.0", proposed(&[Ask]));
    let found = one(&world.after(ends));
    assert!(matches!(found.kind, WaitKind::Approval { change_set: Some(_) }));
    assert_eq!(found.preview["paths"][0]["ruling"]["verdict"], "ask");
    assert_eq!(found.rule, Some(("policy".to_owned(), "rule".to_owned())));
}

#[test]
fn a_tool_that_asks_in_the_middle_of_its_work_has_its_own_words() {
    let world = called(&["write"]);
    let proposal = json!({
        "type": "approval_required", "role": "assistant", "content": "",
        "payload": { "action_id": "own", "kind": "tool_call", "summary": "Really?", "preview": { "a": 1 },
            "apply_input": {}, "metadata": { "person_only": true } },
    });
    let asks = Outcome::Waits { on: WaitsOn::Person, ask: Payload::inline(proposal) };
    let asks = world.ends("1.0", asks);
    let found = one(&world.after(asks));
    assert_eq!((found.kind.as_str(), found.summary.as_str()), ("question", "Really?"));
    assert_eq!((found.asked_by_tool, found.person_only), (true, true));
    assert_eq!(found.preview, json!({ "a": 1 }));
}

#[test]
fn every_other_kind_of_wait_is_listed() {
    let kinds = [
        (ExecutorKind::Client, "client", "built waits for a client."),
        (ExecutorKind::Human, "question", "built"),
        (ExecutorKind::Agent, "child", ""),
        (ExecutorKind::Timer, "timer", ""),
        (ExecutorKind::Signal, "signal", ""),
    ];
    for (executor, kind, summary) in kinds {
        let world = World::protocol();
        let graph = world.acts(vec![step("built", executor, writes())]);
        let found = one(&world.after(graph));
        assert_eq!((found.kind.as_str(), found.summary.as_str()), (kind, summary));
        assert_eq!(found.tool, "built");
    }
}

fn limit(name: &str, used: u64, ceiling: Option<u64>) -> Limit {
    Limit { name: name.to_owned(), used, ceiling }
}

#[test]
fn what_was_used_of_each_limit() {
    let mut spec = run_spec(Mode::Plain);
    spec.budgets =
        [("tool_calls", 5), ("tool_calls_test/read", 3), ("wall_clock_seconds", 60), ("tokens", 100)]
            .map(|(name, limit)| (name.to_owned(), limit))
            .into();
    spec.budgets_used = [("tool_calls".to_owned(), 1)].into();
    spec.limits.turns = 7;
    let mut world = World::new(spec).claimed();
    let Input::Model { request, answer: provost_engine::ModelAnswer::Responded(response) } =
        world.calls(&["read"])
    else {
        panic!("calls are a response")
    };
    let spent = Usage([("tokens".to_owned(), 12), ("cost_microusd".to_owned(), 34)].into());
    let response = ModelResponse { usage: Some(spent), ..*response };
    let answer = provost_engine::ModelAnswer::Responded(Box::new(response));
    world = world.after(Input::Model { request, answer });
    world.now.active_ms = 2_500;
    let ends = world.ends("1.0", done());
    let world = world.after(ends);
    assert_eq!(active_ms(&world.events), 2_500);
    assert_eq!(
        usage(&world.state, 2_500),
        [
            limit("turns", 2, Some(7)),
            limit("cost_microusd", 34, None),
            limit("tokens", 12, Some(100)),
            limit("tool_calls", 2, Some(5)),
            limit("tool_calls_test/read", 1, Some(3)),
            limit("wall_clock_seconds", 2, Some(60)),
        ]
    );
}

#[test]
fn a_run_without_limits_still_counts_turns_and_tokens() {
    let mut spec = run_spec(Mode::Plain);
    spec.budgets.clear();
    let world = World::new(spec);
    assert_eq!(usage(&world.state, 0), [limit("turns", 0, Some(10)), limit("tokens", 0, None)]);
}

#[test]
fn messages_stand_in_the_turn_that_they_came_in() {
    let world = called(&["read"]);
    let ends = world.ends("1.0", done());
    let world = world.after(ends);
    let calls = world.calls(&["ask"]);
    let world = world.after(calls);
    let entries = transcript(&agent(), &[], &world.events).unwrap();
    let seen: Vec<_> = entries.iter().map(|entry| (entry.seq.0, entry.turn, entry.message.kind)).collect();
    use provost_contract::message::MessageType::{ApprovalRequired, Text, ToolCall, ToolResult};
    let expected =
        [(1, 0, Text), (7, 1, ToolCall), (7, 1, ToolResult), (11, 2, ToolCall), (11, 2, ApprovalRequired)];
    assert_eq!(seen, expected);
}
