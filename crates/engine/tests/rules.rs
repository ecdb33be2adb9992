//! Rules of order, waits and limits that need more than one action or one input to show.

use std::sync::Arc;

use provost_contract::action::{OnFailure, Repeat, Resource};
use provost_engine::Verdict::{Allow, Ask};
use provost_engine::event::*;
use provost_engine::{Agent, AskStyle, Digest, Input, OnWait, Payload, Ruling, Verdict};
use serde_json::json;

use crate::world::{
    World, agent, cancel, done, failed, given, id, message, proposed, reads, run_spec, step, transactional,
    verdicts, writes,
};

fn tool(name: &str) -> Step {
    step(name, ExecutorKind::Tool, writes())
}

fn reader() -> Step {
    step("read", ExecutorKind::Tool, reads())
}

fn with(world: World, steps: Vec<Step>) -> World {
    let graph = world.acts(steps);
    world.after(graph)
}

#[test]
fn one_question_for_two_actions_is_asked_again_when_one_is_cancelled() {
    let mut world = World::protocol();
    let spec = provost_engine::AgentSpec { ask: AskStyle::Together, ..agent().spec.clone() };
    world.state.agent = Arc::new(Agent::new(spec).unwrap());
    let graph = world.acts(vec![tool("test/ask"), tool("test/ask")]);
    let mut world = given(world)
        .when([graph])
        .then(["ModelResponded 1", "DeclarationAccepted +1.0 +1.1", "WaitOpened w1 approval [1.0 1.1]"])
        .due([]);
    let cancel = world.signal(Signal::Cancel { actions: Some(vec![id("1.0")]), reason: String::new() });
    world
        .when([cancel])
        .then([
            "SignalTaken cancel",
            "WaitSettled w1 withdrawn",
            "ActionEnded 1.0 cancelled (cancelled), effect none",
            "WaitOpened w2 approval [1.1]",
        ])
        .due([]);
}

#[test]
fn a_retry_by_the_model_of_an_effect_that_may_have_happened_asks_a_person() {
    let mut write = tool("write");
    write.spec.on_failure = OnFailure::AskModel.into();
    let world = with(World::protocol(), vec![write]);
    let outcome = world.ends("1.0", failed());
    let world = world.after(outcome);
    let decide = vec![(id("1.0"), Choice::Retry)];
    let input = world.declares(Declaration { intent: "decide".into(), decide, ..Declaration::default() });
    let mut world = given(world)
        .when([input])
        .then(["ModelResponded 2", "DeclarationAccepted decide", "WaitOpened w1 approval [1.0]"])
        .due([]);
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, verdicts("1.0", Decision::Approve { edit: None }, binding));
    world
        .when([answer])
        .then(["WaitSettled w1 answered verdicts", "ActionStarted 1.0#2 by wait"])
        .due(["Execute 1.0#2"]);
}

#[test]
fn a_timeout_asks_only_where_the_tool_says_so() {
    let asks = step("write", ExecutorKind::Tool, json!({ "effects": ["write"], "on_timeout": "ask" }));
    let world = with(World::protocol(), vec![asks]);
    let outcome = world.ends("1.0", Outcome::TimedOut { ms: 5 });
    given(world)
        .when([outcome])
        .then(["AttemptEnded 1.0#1 timed_out, next doubt", "WaitOpened w1 in_doubt [1.0]"])
        .due([]);
}

#[test]
fn input_is_asked_for_three_times_at_most() {
    let input = || Outcome::InputRequired { request: Payload::inline("Which?"), state: Payload::default() };
    let mut world = with(World::protocol(), vec![reader()]);
    for number in 1..=3 {
        let outcome = world.ends("1.0", input());
        world = world.after(outcome);
        let answer = world.reply(number, crate::world::result(ActionEnd::Completed));
        world = world.after(answer);
    }
    let outcome = world.ends("1.0", input());
    given(world)
        .when([outcome])
        .then(["ActionEnded 1.0 failed (too_many_inputs), effect none", "ModelRequested 2"])
        .due(["Model 2"]);
}

#[test]
fn an_approval_that_is_out_of_date_is_asked_for_three_times_at_most() {
    let mut world = with(World::protocol(), vec![tool("test/ask")]);
    for number in 1..=4 {
        let binding = world.state.waits[&number].binding;
        let answer = world.reply(number, verdicts("1.0", Decision::Approve { edit: None }, binding));
        world = world.after(answer);
        let outcome = world.ends("1.0", Outcome::Stale { what: "file".into() });
        world = world.after(outcome);
    }
    let end = world.state.action(id("1.0")).unwrap().end.clone().unwrap();
    assert_eq!((end.status, end.reason.as_str()), (ActionEnd::Failed, "stale"));
    assert_eq!(world.state.world_effect(), provost_engine::WorldEffect::None);
}

#[test]
fn every_round_of_a_loop_has_a_key_of_its_own() {
    let mut looped = tool("write");
    looped.spec.repeat = Some(Repeat::parse(&json!({ "max": 2 })).unwrap());
    let world = with(World::protocol(), vec![looped]);
    let key = |world: &World| world.state.key(world.state.action(id("1.0")).unwrap());
    let first = key(&world);
    let outcome = world.ends("1.0", done());
    let world = given(world)
        .when([outcome])
        .then(["AttemptEnded 1.0#1 completed, next round", "ActionStarted 1.0#2"])
        .due(["Execute 1.0#2"]);
    assert_ne!(key(&world), first);
    let outcome = world.ends("1.0", done());
    world
        .when([outcome])
        .then(["ActionEnded 1.0 completed (ok), effect done", "ModelRequested 2"])
        .due(["Model 2"]);
}

#[test]
fn resources_are_held_in_the_order_of_declaration() {
    let uses = |access: &str| {
        let mut step = if access == "read" { reader() } else { tool("write") };
        step.spec.resources = Resource::parse_all(&json!([{ "ref": "file:a", "access": access }])).unwrap();
        step
    };
    let world = World::protocol();
    let graph = world.acts(vec![uses("read"), uses("read"), uses("write"), uses("read")]);
    let world = given(world)
        .when([graph])
        .then([
            "ModelResponded 1",
            "DeclarationAccepted +1.0 +1.1 +1.2 +1.3",
            "ActionStarted 1.0#1",
            "ActionStarted 1.1#1",
        ])
        .due(["Execute 1.0#1", "Execute 1.1#1"]);
    let outcomes = [world.ends("1.0", done()), world.ends("1.1", done())];
    let world = world
        .when(outcomes)
        .then([
            "ActionEnded 1.0 completed (ok), effect none",
            "ActionEnded 1.1 completed (ok), effect none",
            "ActionStarted 1.2#1",
        ])
        .due(["Execute 1.2#1"]);
    let outcome = world.ends("1.2", done());
    world
        .when([outcome])
        .then(["ActionEnded 1.2 completed (ok), effect done", "ActionStarted 1.3#1"])
        .due(["Execute 1.3#1"]);
}

#[test]
fn the_parallel_limit_counts_tasks_and_not_waits() {
    let limits = Limits { parallel: 1, ..Limits::default() };
    let world = World::new(RunSpec { limits, ..run_spec(Mode::Protocol) }).claimed();
    let waits = step("ask", ExecutorKind::Human, reads());
    let graph = world.acts(vec![waits, reader(), reader()]);
    given(world)
        .when([graph])
        .then([
            "ModelResponded 1",
            "DeclarationAccepted +1.0 +1.1 +1.2",
            "ActionStarted 1.0#1",
            "WaitOpened w1 question [1.0]",
            "ActionStarted 1.1#1",
        ])
        .due(["Execute 1.1#1"]);
}

#[test]
fn a_pipeline_runs_its_steps_under_its_own_hold() {
    let mut pipeline = step("pipeline", ExecutorKind::Pipeline, writes());
    let mut second = reader();
    second.depends_on = vec![0];
    pipeline.spec.steps = vec![reader(), second];
    let world = World::protocol();
    let graph = world.acts(vec![pipeline]);
    let world = given(world)
        .when([graph])
        .then([
            "ModelResponded 1",
            "DeclarationAccepted +1.0",
            "ActionStarted 1.0#1",
            "DeclarationAccepted +2.0 +2.1 pipeline",
            "ActionStarted 2.0#1",
        ])
        .due(["Execute 2.0#1"]);
    let outcome = world.ends("2.0", done());
    let world = world
        .when([outcome])
        .then(["ActionEnded 2.0 completed (ok), effect none", "ActionStarted 2.1#1"])
        .due(["Execute 2.1#1"]);
    let outcome = world.ends("2.1", done());
    world
        .when([outcome])
        .then([
            "ActionEnded 2.1 completed (ok), effect none",
            "ActionEnded 1.0 completed (ok), effect none",
            "ModelRequested 2",
        ])
        .due(["Model 2"]);
}

#[test]
fn an_action_that_has_not_begun_can_be_replaced() {
    let mut behind = tool("write");
    behind.depends_on = vec![0];
    let world = with(World::protocol(), vec![reader(), behind]);
    let world = world.signalled(message(MessageMode::Steer, false));
    let (add, replace) = (vec![reader()], vec![(id("1.1"), 0)]);
    let declaration = Declaration { intent: "revise".into(), add, replace, ..Declaration::default() };
    let input = world.declares(declaration);
    given(world)
        .when([input])
        .then([
            "ModelResponded 2",
            "DeclarationAccepted +2.0",
            "ActionEnded 1.1 cancelled (revised), effect none",
            "ActionStarted 2.0#1",
        ])
        .due(["Execute 1.0#1", "Execute 2.0#1"]);
}

#[test]
fn actions_of_one_process_are_dropped_after_an_interruption_only() {
    let mut behind = tool("write");
    (behind.depends_on, behind.spec.persist) = (vec![0], false);
    let world = with(World::protocol(), vec![reader(), behind]);
    let claim = world.claim();
    given(world)
        .when([claim])
        .then(["RunClaimed epoch 2", "ActionEnded 1.1 cancelled (ephemeral_interrupted), effect none"])
        .due(["Recover 1.0#1"]);
    let mut at_rest = tool("test/ask");
    at_rest.spec.persist = false;
    let world = with(World::protocol(), vec![at_rest]);
    let claim = world.claim();
    given(world).when([claim]).then(["RunClaimed epoch 2"]).due([]);
}

#[test]
fn a_spent_limit_ends_open_approvals_and_what_has_not_begun() {
    let budgets = [("tool_calls".to_owned(), 1)].into();
    let world = World::new(RunSpec { budgets, ..run_spec(Mode::Protocol) }).claimed();
    let mut behind = tool("write");
    behind.depends_on = vec![0];
    let graph = world.acts(vec![reader(), behind, tool("test/ask")]);
    let world = world.after(graph);
    let outcome = world.ends("1.0", done());
    let world = given(world)
        .when([outcome])
        .then([
            "ActionEnded 1.0 completed (ok), effect none",
            "RunStopping budget",
            "ActionEnded 1.1 cancelled (left_out), effect none",
            "WaitSettled w1 withdrawn",
            "ActionEnded 1.2 cancelled (left_out), effect none",
            "RunEnded budget_exceeded",
        ])
        .due([]);
    for left_out in ["1.1", "1.2"] {
        let end = world.state.action(id(left_out)).unwrap().end.as_ref().unwrap();
        assert_eq!(end.result.shown()["error"], "Not run: the limit tool_calls = 1 was spent first.");
    }
}

#[test]
fn a_stop_lets_a_judged_change_set_apply_and_ends_the_approval_of_an_asked_one() {
    let begin = |rulings: &[provost_engine::Verdict]| {
        let budgets = [("wall_clock_seconds".to_owned(), 1)].into();
        let world = World::new(RunSpec { budgets, ..run_spec(Mode::Protocol) }).claimed();
        let world = with(world, vec![step("program", ExecutorKind::Program, transactional())]);
        let outcome = world.ends("1.0", proposed(rulings));
        let mut world = world.after(outcome);
        world.now.active_ms = 2_000;
        world
    };
    given(begin(&[Allow])).when([Input::Tick]).then(["RunStopping budget"]).due(["Execute 1.0#2 apply"]);
    given(begin(&[Ask]))
        .when([Input::Tick])
        .then([
            "RunStopping budget",
            "WaitSettled w1 withdrawn",
            "ActionEnded 1.0 cancelled (stopping), effect none",
            "RunEnded budget_exceeded",
        ])
        .due([]);
}

#[test]
fn the_model_is_asked_while_only_waits_are_open_if_the_agent_says_so() {
    let mut world = World::protocol();
    let spec = provost_engine::AgentSpec { on_wait: OnWait::AskModel, ..agent().spec.clone() };
    world.state.agent = Arc::new(Agent::new(spec).unwrap());
    let world = with(world, vec![step("ask", ExecutorKind::Human, reads()), reader()]);
    let outcome = world.ends("1.1", done());
    given(world)
        .when([outcome])
        .then(["ActionEnded 1.1 completed (ok), effect none", "ModelRequested 2"])
        .due(["Model 2"]);
}

#[test]
fn an_approval_is_bound_to_the_policy_it_was_given_under() {
    let mut retried = tool("test/ask");
    retried.spec.facts =
        serde_json::from_value(json!({ "effects": ["write"], "idempotency": "pure" })).unwrap();
    let mut world = with(World::protocol(), vec![retried]);
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, verdicts("1.0", Decision::Approve { edit: None }, binding));
    let world = world.after(answer);
    let Input::Claimed { epoch, worker, compiled, standing, .. } = world.claim() else { panic!("a claim") };
    let policy = Digest::of(b"another policy");
    let world = world.after(Input::Claimed { epoch, worker, compiled, policy, standing });
    let recovered = world.recovers("1.0", true, Probe::Unknown);
    given(world)
        .when([recovered])
        .then(["AttemptEnded 1.0#1 lost, next retry", "WaitOpened w2 approval [1.0]"])
        .due([]);
}

/// A run that waits for an approval after its policy hook said that a person must be asked.
fn asked_by_the_policy_hook() -> World {
    let hooks = HookSet { policy: true, ..HookSet::default() };
    let mut world = World::with_hooks(Mode::Plain, hooks);
    let calls = world.calls(&["write"]);
    world.feed(vec![calls]);
    let ruling = Some(Box::new(Ruling::new(Verdict::Ask, "write", "rules")));
    let asks = Input::Hook {
        hook: Hook::Policy,
        subject: Subject::Action { action: id("1.0") },
        answer: HookAnswer::Proceed { ruling },
    };
    world.after(asks)
}

/// The claim of a worker whose policy is another.
fn claim_under(world: &World, policy: &[u8]) -> Input {
    let Input::Claimed { epoch, worker, compiled, standing, .. } = world.claim() else { panic!("a claim") };
    Input::Claimed { epoch, worker, compiled, policy: Digest::of(policy), standing }
}

#[test]
fn a_message_or_cancel_recorded_before_a_claim_wins_under_another_policy_too() {
    for policy in ["the same", "another"] {
        let mut world = asked_by_the_policy_hook();
        let claim = if policy == "another" { claim_under(&world, b"another policy") } else { world.claim() };
        let stop = world.signal(message(MessageMode::Supersede, false));
        let world = given(world)
            .when([claim, stop])
            .then([
                "RunClaimed epoch 2",
                "SignalTaken message",
                "WaitSettled w1 superseded",
                "ActionEnded 1.0 cancelled (superseded), effect none",
                "ModelRequested 2",
            ])
            .due(["Model 2"]);
        assert!(world.state.waits.is_empty(), "{policy}");
    }
    let mut world = asked_by_the_policy_hook();
    let claim = claim_under(&world, b"another policy");
    let stop = world.signal(cancel());
    let world = world.after(claim).after(stop);
    assert!(world.state.ended.is_some() && world.due().is_empty());
}

#[test]
fn an_unchanged_policy_keeps_an_open_approval_and_another_asks_again() {
    let mut world = asked_by_the_policy_hook();
    let claim = world.claim();
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, verdicts("1.0", Decision::Approve { edit: None }, binding));
    let world = given(world).when([claim]).then(["RunClaimed epoch 2"]).due([]);
    given(world)
        .when([answer.clone()])
        .then(["WaitSettled w1 answered verdicts", "ActionStarted 1.0#1 by wait"])
        .due(["Execute 1.0#1"]);

    let world = asked_by_the_policy_hook();
    let claim = claim_under(&world, b"another policy");
    given(world)
        .when([claim, answer])
        .then(["RunClaimed epoch 2", "WaitSettled w1 withdrawn"])
        .due(["Hook policy"]);
}

#[test]
fn a_rejection_counts_under_another_policy_too() {
    let mut world = asked_by_the_policy_hook();
    let claim = claim_under(&world, b"another policy");
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, verdicts("1.0", Decision::Reject { reason: "No.".into() }, binding));
    given(world)
        .when([claim, answer])
        .then([
            "RunClaimed epoch 2",
            "WaitSettled w1 answered verdicts",
            "ActionEnded 1.0 blocked (rejected), effect none",
            "ModelRequested 2",
        ])
        .due(["Model 2"]);
}

#[test]
fn nothing_begins_while_a_worker_drains_and_everything_after() {
    let mut world = World::protocol();
    world.now.draining = true;
    let graph = world.acts(vec![reader()]);
    let world = given(world).when([graph]).then(["ModelResponded 1", "DeclarationAccepted +1.0"]).due([]);
    assert!(provost_engine::would_advance(&world.state, &world.now));
    let claim = world.claim();
    let mut world = world;
    world.now.draining = false;
    world.when([claim]).then(["RunClaimed epoch 2", "ActionStarted 1.0#1"]).due(["Execute 1.0#1"]);
}
