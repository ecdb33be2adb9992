//! Every decision of a run, as people read it.

use provost_contract::json::into_object;
use provost_engine::Verdict::{Allow, Ask, Deny};
use provost_engine::event::*;
use provost_engine::view::{Decided, decisions};
use provost_engine::{
    Actor, ActorKind, ActorOrigin, Agent, Args, Covers, Input, Payload, StandingApproval, Time,
};
use serde_json::json;
use std::sync::Arc;

use crate::world::{
    World, agent, cancel, done, failed, id, message, person, proposed, run_spec, step, transactional,
    verdicts, writes,
};

/// One decision in a line: event, turn, call, decision, reason, layer and rule.
fn line(decided: &Decided) -> String {
    let Decided { seq, turn, tool, call, what, layer, rule, reason, .. } = decided;
    let about = if tool.is_empty() { "the run".to_owned() } else { format!("{tool} {call}") };
    let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let by = match (layer.as_str(), rule.as_str()) {
        ("", "") => String::new(),
        (layer, "") => format!(" [{layer}]"),
        (layer, rule) => format!(" [{layer}: {rule}]"),
    };
    format!("{seq} t{turn} {about} {what}{reason}{by}")
}

fn lines(world: &World) -> Vec<String> {
    for upto in 1..world.events.len() {
        assert!(decisions(&world.state.agent, &[], &world.events[..upto]).is_ok(), "{upto}");
    }
    decisions(&world.state.agent, &[], &world.events).unwrap().iter().map(line).collect()
}

#[track_caller]
fn check(world: &World, expected: &[&str]) {
    same(&lines(world), expected);
}

#[track_caller]
fn same(lines: &[String], expected: &[&str]) {
    assert_eq!(lines, expected, "\n{}", lines.join("\n"));
}

fn called(tools: &[&str]) -> World {
    let world = World::plain();
    let calls = world.calls(tools);
    world.after(calls)
}

fn ended(world: World, action: &str, outcome: Outcome) -> World {
    let input = world.ends(action, outcome);
    world.after(input)
}

fn answered(mut world: World, number: u32, answer: Answer) -> World {
    let input = world.reply(number, answer);
    world.after(input)
}

fn said(world: World, text: &str) -> World {
    let input = world.says(text);
    world.after(input)
}

fn approve(world: &World, action: &str, edit: Option<Args>) -> Answer {
    verdicts(action, Decision::Approve { edit }, world.state.waits[&1].binding)
}

fn lost(world: World) -> World {
    let world = world.claimed();
    let input = world.recovers("1.0", true, Probe::Unknown);
    world.after(input)
}

#[test]
fn a_rule_lets_run_a_person_allows_and_the_run_ends() {
    let world = ended(called(&["read", "ask"]), "1.0", done());
    let yes = approve(&world, "1.1", None);
    let world = said(ended(answered(world, 1, yes), "1.1", done()), "Done.");
    check(
        &world,
        &[
            "6 t1 test/read call_0 runs: no rule says otherwise [default: nothing_else_said]",
            "8 t1 test/ask call_1 asks: the tool's default says ask [tool_default: preview]",
            "8 t1 the run waits for a person",
            "9 t1 the run resumed",
            "9 t1 test/ask call_1 allowed by user:ada [person]",
            "10 t1 test/ask call_1 runs: allowed by user:ada [person]",
            "15 t2 the run ended: completed",
        ],
    );
}

#[test]
fn a_run_that_rests_is_parked_and_another_process_resumes_it() {
    let world = called(&["ask"]);
    check(
        &world,
        &[
            "6 t1 test/ask call_0 asks: the tool's default says ask [tool_default: preview]",
            "6 t1 the run waits for a person",
        ],
    );
    let yes = approve(&world, "1.0", None);
    check(
        &answered(world.claimed(), 1, yes),
        &[
            "6 t1 test/ask call_0 asks: the tool's default says ask [tool_default: preview]",
            "6 t1 the run waits for a person",
            "7 t1 the run resumed",
            "8 t1 test/ask call_0 allowed by user:ada [person]",
            "9 t1 test/ask call_0 runs: allowed by user:ada [person]",
        ],
    );
}

#[test]
fn an_approval_may_change_the_arguments_and_be_remembered() {
    let world = called(&["ask"]);
    let edit = Some(Args::open(into_object(json!({ "other": 1 }))));
    let Answer::Verdicts { verdicts, binding, .. } = approve(&world, "1.0", edit) else { panic!() };
    let remember = Some(Remember { lasts: Lasts::Run, covers: Covers::Tool });
    let answer = Answer::Verdicts { verdicts, remember, binding, reason: "Fine.".into() };
    let world = ended(answered(world, 1, answer), "1.0", done());
    let calls = world.calls(&["ask"]);
    check(
        &world.after(calls),
        &[
            "6 t1 test/ask call_0 asks: the tool's default says ask [tool_default: preview]",
            "6 t1 the run waits for a person",
            "7 t1 the run resumed",
            "7 t1 test/ask call_0 allowed by user:ada with other arguments, for the rest of the run: Fine. [person]",
            "8 t1 test/ask call_0 runs: allowed by user:ada [person]",
            "13 t2 test/ask call_0 runs, by a standing approval of user:ada: the tool's default says ask [tool_default: preview]",
        ],
    );
}

#[test]
fn a_standing_approval_of_an_earlier_run_spares_the_question() {
    let world = called(&["ask"]);
    let scope = json!(["workspace:1", [null, null], 1, "agent", "test/ask", "tool_default", "preview"]);
    let grant = StandingApproval {
        scope: scope.to_string(),
        tool: "test/ask".into(),
        covers: Covers::Tool,
        until: None,
        action: None,
        by: person(),
        at: Time(1_780_000_000_000),
        run: "run_before".parse().unwrap(),
        reason: None,
    };
    let granted = Signal::Standing { scope: scope.to_string(), grant: Some(Box::new(grant)) };
    let world = world.signalled(granted);
    check(
        &world,
        &[
            "6 t1 test/ask call_0 asks: the tool's default says ask [tool_default: preview]",
            "6 t1 the run waits for a person",
            "7 t1 the run resumed",
            "7 t1 test/ask  has a standing approval of user:ada [person]",
            "8 t1 test/ask call_0 is not asked any more: what was asked is no longer the question [engine]",
            "9 t1 test/ask call_0 runs, by a standing approval of user:ada: granted at 2026-05-28T20:26:40Z in run_before: the tool's default says ask [standing_approval: preview]",
        ],
    );
    let revoked = Signal::Standing { scope: scope.to_string(), grant: None };
    same(
        &lines(&world.signalled(revoked)).split_off(6),
        &["10 t1 test/ask  its standing approval is revoked by user:ada [person]"],
    );
}

#[test]
fn refusals_name_their_layer_and_their_reason() {
    let world = called(&["deny", "ask"]);
    let binding = world.state.waits[&1].binding;
    let no = verdicts("1.1", Decision::Reject { reason: "not now".into() }, binding);
    check(
        &answered(world, 1, no),
        &[
            "6 t1 test/deny call_0 forbidden: the tool's default says deny [tool_default: forbidden]",
            "7 t1 test/ask call_1 asks: the tool's default says ask [tool_default: preview]",
            "7 t1 the run waits for a person",
            "8 t1 the run resumed",
            "9 t1 test/ask call_1 rejected: Not run: user:ada said no: not now [person]",
        ],
    );
    check(
        &answered(called(&["ask"]), 1, Answer::Expired),
        &[
            "6 t1 test/ask call_0 asks: the tool's default says ask [tool_default: preview]",
            "6 t1 the run waits for a person",
            "7 t1 the run resumed",
            "8 t1 test/ask call_0 expired: Not run: no approval came in time.",
        ],
    );
    check(
        &called(&["ask"]).signalled(message(MessageMode::Supersede, false)),
        &[
            "6 t1 test/ask call_0 asks: the tool's default says ask [tool_default: preview]",
            "6 t1 the run waits for a person",
            "7 t1 the run resumed",
            "9 t1 test/ask call_0 superseded: Not run: the user sent a new message while this waited for an answer.",
        ],
    );
}

#[test]
fn where_a_decision_came_from_stands_beside_it() {
    let origin = ActorOrigin { uid: Some(1), process: Some("host/7/8".into()), ..ActorOrigin::default() };
    let ada = Actor::new(ActorKind::Person, "user:ada").from_origin(origin);
    for decision in [Decision::Approve { edit: None }, Decision::Reject { reason: String::new() }] {
        let mut world = called(&["ask"]);
        let answer = verdicts("1.0", decision, world.state.waits[&1].binding);
        let wait = world.state.wait_id(1);
        let input = world.signal_by(ada.clone(), Signal::Answer { wait, answer });
        let world = world.after(input);
        let decided = decisions(&agent(), &[], &world.events).unwrap();
        let found: Vec<_> = decided.iter().filter_map(|decided| decided.origin.clone()).collect();
        assert_eq!(found, [json!({ "uid": 1, "terminal": null, "process": "host/7/8" })]);
    }
}

#[test]
fn what_is_in_doubt_is_asked_and_answered() {
    let world = lost(called(&["write"]));
    check(
        &world,
        &[
            "6 t1 test/write call_0 runs: no rule says otherwise [default: nothing_else_said]",
            "7 t1 the run resumed",
            "9 t1 test/write call_0 asks: it was running when the process died, and may have taken effect [recovery: never_repeat_an_effect]",
            "9 t1 the run waits for a person",
        ],
    );
    let ends = |answer| lines(&answered(world.clone(), 1, answer)).split_off(4);
    same(
        &ends(Answer::Again { reason: "It did not.".into() }),
        &[
            "10 t1 the run resumed",
            "10 t1 test/write call_0 allowed by user:ada: It did not. [person]",
            "11 t1 test/write call_0 runs again: allowed by user:ada [person]",
        ],
    );
    same(
        &ends(Answer::Leave { reason: "I do not know.".into() }),
        &[
            "10 t1 the run resumed",
            "11 t1 test/write call_0 in doubt: The process died while this ran, and it is not known whether it took effect. It was not repeated: user:ada was asked and left it: I do not know.. Look before you try again. [person]",
        ],
    );
    let happened = Answer::Happened { payload: Payload::inline(1), reason: "I looked.".into() };
    same(
        &ends(happened),
        &[
            "10 t1 the run resumed",
            "11 t1 test/write call_0 happened, as a person says: user:ada: I looked. [person]",
        ],
    );
}

#[test]
fn a_lost_read_runs_again_and_its_process_is_named() {
    let world = called(&["read"]);
    let note = Note::Process { host: "host".into(), pid: 7, start: 8, handle: String::new() };
    let world = world.after(Input::Note { action: id("1.0"), attempt: 1, note });
    let world = lost(world);
    check(
        &world,
        &[
            "6 t1 test/read call_0 runs: no rule says otherwise [default: nothing_else_said]",
            "8 t1 the run resumed",
            "9 t1 test/read call_0 is to run again: its worker was lost, and to repeat it is safe [recovery]",
            "10 t1 test/read call_0 runs again: no rule says otherwise [default: nothing_else_said]",
        ],
    );
    let decided = decisions(&agent(), &[], &world.events).unwrap();
    assert_eq!(decided[0].process.as_deref(), Some("host/7/8"));
}

#[test]
fn time_limits_cancels_and_what_changes_nothing() {
    check(
        &ended(called(&["read"]), "1.0", Outcome::TimedOut { ms: 5 }),
        &[
            "6 t1 test/read call_0 runs: no rule says otherwise [default: nothing_else_said]",
            "7 t1 test/read call_0 stopped for its time: Stopped: no answer within 5 ms.",
        ],
    );
    let reason = "Ctrl-C".to_owned();
    let stop = Signal::Cancel { actions: None, reason };
    let world = ended(called(&["write"]).signalled(stop), "1.0", Outcome::Stopped);
    check(
        &world.signalled(cancel()),
        &[
            "6 t1 test/write call_0 runs: no rule says otherwise [default: nothing_else_said]",
            "7 t1 the run cancelled by user:ada: Ctrl-C [person]",
            "9 t1 test/write call_0 cancelled: Stopped while it ran: user:ada cancelled the run. It may have taken effect in part or in full.",
            "10 t1 the run ended: cancelled",
            "11 t1 the run the cancel of user:ada changes nothing: the run is over [person]",
        ],
    );
}

#[test]
fn limits_and_failures_stop_a_run_and_a_person_resumes_it() {
    let mut spec = run_spec(Mode::Plain);
    spec.budgets.insert("turns".into(), 1);
    let world = World::new(spec).claimed();
    let calls = world.calls(&["read"]);
    let world = ended(world.after(calls), "1.0", done());
    check(
        &world,
        &[
            "6 t1 test/read call_0 runs: no rule says otherwise [default: nothing_else_said]",
            "8 t1 the run stops: 1 of 1 used [budget: turns]",
            "9 t1 the run ended: budget_exceeded",
        ],
    );
    let resume = Signal::Resume {
        budgets: [("turns".to_owned(), 9)].into(),
        reason: "More.".into(),
        declaration: None,
    };
    same(
        &lines(&world.claimed().signalled(resume)).split_off(3),
        &["11 t1 the run resumed by user:ada: turns=9, More. [person]"],
    );
    let world = World::plain();
    let fails = world.fails(None);
    check(
        &world.after(fails),
        &[
            "5 t1 the run stops: The provider is overloaded. [failure: overloaded]",
            "6 t1 the run ended: failed",
        ],
    );
}

#[test]
fn change_sets_are_judged_path_by_path() {
    let program = || {
        let world = World::protocol();
        let graph = world.acts(vec![step("program", ExecutorKind::Program, transactional())]);
        world.after(graph)
    };
    let world = ended(program(), "1.0", proposed(&[Allow, Ask]));
    check(
        &world,
        &[
            "6 t1 program 0.0 runs [engine: not_a_tool]",
            "7 t1 program 0.0 proposes changes to 2 paths [policy: rule]",
            "8 t1 program 0.0 asks whether its changes become real [policy: rule]",
            "8 t1 the run waits for a person",
        ],
    );
    let edited = approve(&world, "1.0", Some(Args::open(into_object(json!({})))));
    same(
        &lines(&answered(world.clone(), 1, edited)).split_off(4),
        &[
            "9 t1 the run resumed",
            "10 t1 program 0.0 rejected: Not run: user:ada said no: A change set has no arguments to edit. [person]",
        ],
    );
    let yes = approve(&world, "1.0", None);
    same(
        &lines(&answered(world, 1, yes)).split_off(4),
        &[
            "9 t1 the run resumed",
            "9 t1 program 0.0 allowed by user:ada [person]",
            "10 t1 program 0.0 its changes are made real: allowed by user:ada [person]",
        ],
    );
    check(
        &ended(program(), "1.0", proposed(&[Deny])),
        &[
            "6 t1 program 0.0 runs [engine: not_a_tool]",
            "7 t1 program 0.0 proposes changes to 1 path [policy: rule]",
            "8 t1 program 0.0 forbidden: Not allowed: rule. [policy: rule]",
        ],
    );
}

#[test]
fn waits_that_ask_no_approval_say_what_they_wait_for() {
    let one = |kind| {
        let world = World::protocol();
        let graph = world.acts(vec![step("built", kind, writes())]);
        lines(&world.after(graph)).split_off(1)
    };
    same(
        &one(ExecutorKind::Client),
        &["7 t1 built 0.0 waits for a client", "7 t1 the run waits for a client"],
    );
    same(&one(ExecutorKind::Human), &["7 t1 built 0.0 asks a question", "7 t1 the run waits for a person"]);
    same(
        &one(ExecutorKind::Agent),
        &["7 t1 built 0.0 waits for run_375b2636bc8976d5978b8ecc06", "7 t1 the run waits"],
    );
    same(&one(ExecutorKind::Timer), &["7 t1 built 0.0 waits for the clock", "7 t1 the run waits"]);
    same(&one(ExecutorKind::Signal), &["7 t1 built 0.0 waits for the signal built", "7 t1 the run waits"]);
}

#[test]
fn an_answer_of_a_person_is_a_decision_and_one_too_late_changes_nothing() {
    let world = World::protocol();
    let graph = world.acts(vec![step("built", ExecutorKind::Human, writes())]);
    let world = world.after(graph);
    let result = || Answer::Result {
        payload: Payload::inline("Blue."),
        status: ActionEnd::Completed,
        satisfying: true,
        effect: provost_engine::WorldEffect::None,
        usage: provost_engine::Usage::default(),
    };
    let world = answered(answered(world, 1, result()), 1, result());
    same(
        &lines(&world).split_off(2),
        &[
            "7 t1 the run waits for a person",
            "8 t1 the run resumed",
            "8 t1 built 0.0 answered by user:ada [person]",
            "11 t2 the run the answer of user:ada changes nothing: the run had settled the question before [person]",
        ],
    );
}

#[test]
fn people_and_models_decide_about_ended_and_open_actions() {
    let world = World::protocol();
    let ask_model = || {
        let mut step = step("write", ExecutorKind::Tool, writes());
        step.spec.on_failure = provost_contract::action::OnFailure::AskModel.into();
        step
    };
    let graph = world.acts(vec![ask_model(), step("write", ExecutorKind::Tool, writes())]);
    let world = ended(world.after(graph), "1.0", failed());
    let decide = Signal::Decide { action: id("1.0"), choice: Choice::Retry, reason: "Again.".into() };
    same(
        &lines(&world.clone().signalled(decide)).split_off(2),
        &[
            "9 t1 write 0.0 is tried again, as user:ada decided: Again. [person]",
            "10 t1 write 0.0 runs again [engine: not_a_tool]",
        ],
    );
    let some = Signal::Cancel { actions: Some(vec![id("1.1")]), reason: "Not that.".into() };
    same(
        &lines(&world.clone().signalled(some)).split_off(2),
        &["9 t1 write 0.0 cancelled by user:ada: Not that. [person]"],
    );
    let world = ended(world, "1.1", failed());
    let (cancel, decide) = (Vec::new(), vec![(id("1.0"), Choice::Skip)]);
    let declared = Declaration { intent: "decide".into(), cancel, decide, ..Declaration::default() };
    let declared = world.declares(declared);
    same(
        &lines(&world.after(declared)).split_off(2),
        &["12 t2 write 0.0 is left out, as the model decided [model]"],
    );
}

#[test]
fn another_worker_and_another_policy_are_named() {
    let world = called(&["write"]);
    let claimed = Input::Claimed {
        epoch: provost_engine::Epoch(2),
        worker: "other".parse().unwrap(),
        compiled: provost_engine::Digest::of(b"agent"),
        policy: provost_engine::Digest::of(b"stricter"),
        standing: Vec::new(),
    };
    same(
        &lines(&world.after(claimed)).split_off(1),
        &[
            "7 t1 the run resumed: worker other goes on with what worker began",
            "7 t1 the run goes on under another policy: what has not started is judged again [policy]",
        ],
    );
}

#[test]
fn which_tools_the_model_sees_is_decided_at_the_start() {
    let mut spec = agent().spec.clone();
    spec.policy = into_object(json!({ "mode": "chat" }));
    spec.tools = json!({ "accepted": [
        { "name": "test/read", "source": "test", "description": "read", "executor": "host" },
        { "name": "client/see", "source": "client", "description": "client", "executor": "client" },
    ] });
    let events = World::plain().events;
    let of = |spec| {
        let agent = Arc::new(Agent::new(spec).unwrap());
        let decided = decisions(&agent, &[], &events[..1]).unwrap();
        decided.iter().map(line).collect::<Vec<_>>()
    };
    same(
        &of(spec.clone()),
        &[
            "1 t0 test/read  is shown to the model: no layer hides the tool [declaration: nothing_hides_it]",
            "1 t0 client/see  is shown to the model: the agent was compiled with the tool [agent]",
        ],
    );
    spec.visibility = vec![json!({ "tool_name": "test/gone", "decision": {
        "verdict": "hidden", "layer": "mode", "rule": "not_in_mode", "reason": "not in this mode" } })];
    same(&of(spec), &["1 t0 test/gone  hidden: not in this mode [mode: not_in_mode]"]);
}

fn gated(rules: serde_json::Value) -> World {
    let serde_json::Value::Array(call_rules) = rules else { panic!("rules are a list") };
    let spec = provost_engine::AgentSpec { call_rules, ..agent().spec.clone() };
    let mut world = World::new(run_spec(Mode::Plain));
    let agent = Arc::new(Agent::new(spec).unwrap());
    world.state = provost_engine::RunState::begin(agent, Vec::new(), &world.events[0]).unwrap();
    world.claimed()
}

#[test]
fn rules_about_the_order_of_calls_refuse_calls_and_answers() {
    let rules = json!([{ "id": "one", "after_tool": "test/read", "limited_tools": ["test/keyed"], "max_calls": 1,
        "require_one_of": ["test/write"] }]);
    let world = gated(rules);
    let calls = world.calls(&["read", "keyed", "keyed"]);
    let world = ended(ended(world.after(calls), "1.0", done()), "1.1", done());
    let refused = decisions(&world.state.agent, &[], &world.events).unwrap().pop().unwrap();
    assert_eq!((refused.what.as_str(), refused.layer.as_str()), ("refused by the gate", "gate"));
    assert!(refused.reason.starts_with("TOOL CALL BLOCKED: after test/read"), "{}", refused.reason);
    let world = gated(json!([{ "id": "use", "require_tool_use": true }]));
    let world = said(world, "Done.");
    let refused = decisions(&world.state.agent, &[], &world.events).unwrap().pop().unwrap();
    assert_eq!((refused.what.as_str(), refused.layer.as_str()), ("may not end yet", "gate"));
    assert!(refused.reason.starts_with("COMPLETION BLOCKED"), "{}", refused.reason);
}

fn mediated(answer: HookAnswer) -> World {
    let world = World::with_hooks(Mode::Plain, HookSet { mediate: true, ..HookSet::default() });
    let calls = world.calls(&["write"]);
    let subject = Subject::Action { action: id("1.0") };
    world.after(calls).after(Input::Hook { hook: Hook::Mediate, subject, answer })
}

#[test]
fn a_mediator_refuses_answers_or_ends_the_work() {
    let fault = provost_engine::Fault::new("outside", "Not outside.");
    let reject = HookAnswer::Reject { fault, result: None, completes: false };
    check(&mediated(reject), &["7 t1 test/write call_0 refused by the mediator: Not outside."]);
    let payload = Payload::inline(json!({ "success": true, "result": 1 }));
    check(
        &mediated(HookAnswer::Replace { payload, completes: true }),
        &[
            "7 t1 test/write call_0 answered by the mediator",
            "8 t1 the run stops: the work is done [mediator]",
            "9 t1 the run ended: completed",
        ],
    );
}

#[test]
fn what_is_out_of_date_or_needs_input_is_asked_again() {
    let world = called(&["ask"]);
    let yes = approve(&world, "1.0", None);
    let world = answered(world, 1, yes);
    let world = ended(world, "1.0", Outcome::Stale { what: "notes.md".into() });
    same(
        &lines(&world).split_off(5),
        &[
            "9 t1 test/ask call_0 must be asked about again: what its approval was about has changed: notes.md",
            "10 t1 test/ask call_0 asks: the tool's default says ask [tool_default: preview]",
            "10 t1 the run waits for a person",
        ],
    );
    let input = Outcome::InputRequired { request: Payload::inline("Which?"), state: Payload::default() };
    let world = ended(called(&["read"]), "1.0", input);
    let world = answered(world, 1, crate::world::result(ActionEnd::Completed));
    same(
        &lines(&world).split_off(1),
        &[
            "8 t1 test/read call_0 asks for more input",
            "8 t1 the run waits for a person",
            "9 t1 the run resumed",
            "9 t1 test/read call_0 answered by user:ada [person]",
            "10 t1 test/read call_0 runs again: no rule says otherwise [default: nothing_else_said]",
        ],
    );
}

#[test]
fn a_process_that_dies_each_time_is_given_up_and_one_that_knows_is_believed() {
    let mut world = called(&["read"]);
    for _ in 0..3 {
        world = lost(world);
    }
    same(
        &lines(&world).split_off(7),
        &["13 t1 the run resumed", "14 t1 test/read call_0 lost: The process died each time this ran."],
    );
    let world = called(&["write"]).claimed();
    let knows = world.recovers("1.0", true, Probe::Done);
    same(
        &lines(&world.after(knows)).split_off(2),
        &["8 t1 test/write call_0 had happened, as its executor knows"],
    );
}

/// Every view can be made of every beginning of every kind of run.
#[test]
fn every_stage_of_an_action_and_every_state_of_a_run_has_its_views() {
    use provost_engine::view::{story, transcript, waits};
    for (name, world) in crate::stage::stages().into_iter().chain(crate::stage::runs()) {
        let agent = &world.state.agent;
        for upto in 0..=world.events.len() {
            let events = &world.events[..upto];
            assert!(decisions(agent, &[], events).is_ok(), "{name}: {upto}");
            assert!(story(agent, &[], events).is_ok(), "{name}: {upto}");
            assert!(transcript(agent, &[], events).is_ok(), "{name}: {upto}");
            assert_eq!(waits(agent, &[], events).is_ok(), upto > 0, "{name}: {upto}");
        }
        let open: usize = world.state.waits.values().map(|wait| wait.actions.len()).sum();
        assert_eq!(waits(agent, &[], &world.events).unwrap().len(), open, "{name}");
        let decided = decisions(agent, &[], &world.events).unwrap();
        assert!(decided.iter().all(|decided| !decided.what.is_empty()), "{name}");
        assert!(decided.is_sorted_by_key(|decided| decided.seq), "{name}");
    }
}
