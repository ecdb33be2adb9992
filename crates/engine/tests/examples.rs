//! The worked examples of the engine's specification, and how a run goes on from each.

use provost_contract::action::{FailurePolicy, OnFailure};
use provost_engine::Verdict::{Allow, Ask, Deny};
use provost_engine::event::*;
use provost_engine::{Args, Input, Payload};
use serde_json::json;

use crate::world::{
    World, cancel, done, failed, given, id, proposed, reads, result, step, transactional, verdicts, writes,
};

#[test]
fn a_two_reads_and_a_write_that_asks() {
    let world = given(World::new(crate::world::run_spec(Mode::Plain)));
    let claim = world.claim();
    let world = world.when([claim]).then(["RunClaimed epoch 1", "ModelRequested 1"]).due(["Model 1"]);
    let calls = world.calls(&["read", "read", "ask"]);
    let world = world
        .when([calls])
        .then([
            "ModelResponded 1",
            "DeclarationAccepted +1.0 +1.1 +1.2",
            "ActionStarted 1.0#1",
            "ActionStarted 1.1#1",
        ])
        .due(["Execute 1.0#1", "Execute 1.1#1"]);
    let outcomes = [world.ends("1.1", done()), world.ends("1.0", done())];
    let mut world = world
        .when(outcomes)
        .then([
            "ActionEnded 1.1 completed (ok), effect none",
            "ActionEnded 1.0 completed (ok), effect none",
            "WaitOpened w1 approval [1.2]",
        ])
        .due([]);
    let edit = Some(Args::open(serde_json::Map::from_iter([("edited".to_owned(), true.into())])));
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, verdicts("1.2", Decision::Approve { edit }, binding));
    let world = world
        .when([answer])
        .then(["WaitSettled w1 answered verdicts", "ActionStarted 1.2#1 by wait"])
        .due(["Execute 1.2#1"]);
    assert_eq!(world.state.action(id("1.2")).unwrap().args.redacted["edited"], true);
    let outcome = world.ends("1.2", done());
    let world = world
        .when([outcome])
        .then(["ActionEnded 1.2 completed (ok), effect done", "ModelRequested 2"])
        .due(["Model 2"]);
    let shown = world.state.transcript.messages().map(|line| line.to_value().to_string()).collect::<String>();
    assert!(shown.contains("changed the arguments"), "the model reads who changed its arguments");
    let says = world.says("Done.");
    world.when([says]).then(["ModelResponded 2", "DeclarationAccepted answer", "RunEnded completed"]).due([]);
}

#[test]
fn b_crash_in_a_tool_that_cannot_be_repeated() {
    let world = World::plain();
    let calls = world.calls(&["write"]);
    let world = world.after(calls);
    let claim = world.claim();
    let world = given(world).when([claim]).then(["RunClaimed epoch 2"]).due(["Recover 1.0#1"]);
    let recovered = world.recovers("1.0", true, Probe::Unknown);
    let mut world = world
        .when([recovered])
        .then(["AttemptEnded 1.0#1 lost, next doubt", "WaitOpened w1 in_doubt [1.0]"])
        .due([]);
    let happened = Answer::Happened { payload: Payload::inline("line 17"), reason: "I looked.".into() };
    let answer = world.reply(1, happened);
    world
        .when([answer])
        .then([
            "WaitSettled w1 answered happened",
            "ActionEnded 1.0 completed (attested), effect done",
            "ModelRequested 2",
        ])
        .due(["Model 2"]);
}

#[test]
fn c_a_graph_with_a_retry_and_a_failure() {
    let keyed = json!({ "effects": ["write"], "idempotency": "keyed", "takes_key": true });
    let a = step("a", ExecutorKind::Tool, reads());
    let mut b = step("b", ExecutorKind::Tool, keyed.clone());
    b.spec.on_failure = OnFailure::Retry.into();
    let mut c = step("c", ExecutorKind::Tool, keyed);
    let once = json!({ "on_failure": "retry", "max_attempts": 1 });
    c.spec.on_failure = FailurePolicy::parse(&once).unwrap();
    let mut d = step("d", ExecutorKind::Tool, reads());
    (b.depends_on, c.depends_on, d.depends_on) = (vec![0], vec![0], vec![1, 2]);
    let world = World::protocol();
    let graph = world.acts(vec![a, b, c, d]);
    let world = given(world)
        .when([graph])
        .then(["ModelResponded 1", "DeclarationAccepted +1.0 +1.1 +1.2 +1.3", "ActionStarted 1.0#1"])
        .due(["Execute 1.0#1"]);
    let outcome = world.ends("1.0", done());
    let world = world
        .when([outcome])
        .then(["ActionEnded 1.0 completed (ok), effect none", "ActionStarted 1.1#1", "ActionStarted 1.2#1"])
        .due(["Execute 1.1#1", "Execute 1.2#1"]);
    let outcome = world.ends("1.1", failed());
    let world = world
        .when([outcome])
        .then(["AttemptEnded 1.1#1 failed, next retry"])
        .due(["Execute 1.2#1", "WakeAt 2000"]);
    let world = world
        .later(1_000)
        .when([Input::Tick])
        .then(["ActionStarted 1.1#2"])
        .due(["Execute 1.1#2", "Execute 1.2#1"]);
    let outcome = world.ends("1.1", done());
    let world =
        world.when([outcome]).then(["ActionEnded 1.1 completed (ok), effect done"]).due(["Execute 1.2#1"]);
    let outcome = world.ends("1.2", failed());
    world
        .when([outcome])
        .then([
            "ActionEnded 1.2 failed (failed), effect maybe",
            "ActionEnded 1.3 blocked (dependency), effect none",
            "ModelRequested 2",
        ])
        .due(["Model 2"]);
}

/// What depends on a failure that the model decides about stays open until then.
#[test]
fn c_with_a_decision_of_the_model() {
    let mut c = step("c", ExecutorKind::Tool, writes());
    c.spec.on_failure = OnFailure::AskModel.into();
    let mut d = step("d", ExecutorKind::Tool, reads());
    d.depends_on = vec![0];
    let world = World::protocol();
    let graph = world.acts(vec![c, d]);
    let world = world.after(graph);
    let outcome = world.ends("1.0", failed());
    let world = given(world)
        .when([outcome])
        .then(["ActionEnded 1.0 failed (failed), effect maybe", "ModelRequested 2"])
        .due(["Model 2"]);
    let decide = vec![(id("1.0"), Choice::Skip)];
    let decided = world.declares(Declaration { intent: "decide".into(), decide, ..Declaration::default() });
    world
        .when([decided])
        .then([
            "ModelResponded 2",
            "DeclarationAccepted decide",
            "ActionEnded 1.1 cancelled (condition_not_met), effect none",
            "ModelRequested 3",
        ])
        .due(["Model 3"]);
}

#[test]
fn c_with_a_failure_that_aborts() {
    let mut c = step("c", ExecutorKind::Tool, writes());
    c.spec.on_failure = OnFailure::Abort.into();
    let mut d = step("d", ExecutorKind::Tool, reads());
    d.depends_on = vec![0];
    let world = World::protocol();
    let graph = world.acts(vec![c, d]);
    let world = world.after(graph);
    let outcome = world.ends("1.0", failed());
    let row = given(world).when([outcome]);
    row.then([
        "ActionEnded 1.0 failed (failed), effect maybe",
        "ActionEnded 1.1 cancelled (aborted), effect none",
        "ModelRequested 2",
    ])
    .due(["Model 2"]);
}

#[test]
fn d_delegation_and_the_cancel_of_a_tree() {
    let world = World::protocol();
    let mut delegated = step("delegate", ExecutorKind::Agent, reads());
    delegated.spec.share = provost_engine::Usage::of("tokens", 100);
    let graph = world.acts(vec![delegated]);
    let mut world = given(world)
        .when([graph])
        .then([
            "ModelResponded 1",
            "DeclarationAccepted +1.0",
            "ActionStarted 1.0#1",
            "WaitOpened w1 child [1.0]",
        ])
        .due([]);
    assert_eq!(provost_engine::view::status(&world.state, &world.now).as_str(), "waiting");
    let signal = world.signal(cancel());
    let mut world = world.when([signal]).then(["SignalTaken cancel", "RunStopping cancelled"]).due([]);
    assert_eq!(provost_engine::view::status(&world.state, &world.now).as_str(), "cancelling");
    let step = provost_engine::view::step(
        &world.state,
        &world.now,
        provost_engine::Digest::ZERO,
        &world.events[5..],
    );
    assert_eq!(step.unwrap().commit.signals_posted.len(), 1, "the child is cancelled in the same commit");
    let answer = world.reply(1, result(ActionEnd::Failed));
    world
        .when([answer])
        .then([
            "WaitSettled w1 answered result",
            "ActionEnded 1.0 cancelled (cancelled), effect none",
            "RunEnded cancelled",
        ])
        .due([]);
}

#[test]
fn e_a_program_with_a_denied_path_then_an_asked_one_and_a_crash_while_applying() {
    let world = World::protocol();
    let program = || vec![step("program", ExecutorKind::Program, transactional())];
    let graph = world.acts(program());
    let world = world.after(graph);
    let outcome = world.ends("1.0", proposed(&[Allow, Deny]));
    let world = given(world)
        .when([outcome])
        .then([
            "AttemptEnded 1.0#1 proposed, next judge",
            "ActionEnded 1.0 blocked (denied_path), effect none",
            "ModelRequested 2",
        ])
        .due(["Model 2"]);
    let graph = world.acts(program());
    let world = world.after(graph);
    let outcome = world.ends("2.0", proposed(&[Allow, Ask]));
    let mut world = given(world)
        .when([outcome])
        .then(["AttemptEnded 2.0#1 proposed, next judge", "WaitOpened w1 approval [2.0]"])
        .due([]);
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, verdicts("2.0", Decision::Approve { edit: None }, binding));
    let world = world
        .when([answer])
        .then(["WaitSettled w1 answered verdicts", "ActionStarted 2.0#2 apply by wait"])
        .due(["Execute 2.0#2 apply"]);
    let key = |world: &World| world.state.key(world.state.action(id("2.0")).unwrap());
    let before = key(&world);
    let claim = world.claim();
    let world = world.when([claim]).then(["RunClaimed epoch 2"]).due(["Recover 2.0#2"]);
    let recovered = world.recovers("2.0", true, Probe::Unknown);
    let world = world
        .when([recovered])
        .then(["AttemptEnded 2.0#2 lost, next retry", "ActionStarted 2.0#3 apply by roll_forward"])
        .due(["Execute 2.0#3 apply"]);
    assert_eq!(key(&world), before, "the same key");
    let outcome = world.ends("2.0", done());
    world
        .when([outcome])
        .then(["ActionEnded 2.0 completed (ok), effect done", "ModelRequested 3"])
        .due(["Model 3"]);
}

#[test]
fn f_a_client_tool_times_out() {
    let started = |facts| {
        let world = World::protocol();
        let mut client = step("client", ExecutorKind::Client, facts);
        client.spec.wait_ms = Some(500);
        let graph = world.acts(vec![client]);
        given(world)
            .when([graph])
            .then([
                "ModelResponded 1",
                "DeclarationAccepted +1.0",
                "ActionStarted 1.0#1",
                "WaitOpened w1 client [1.0]",
            ])
            .due([])
    };
    let mut world = started(writes());
    assert_eq!(world.state.waits[&1].due.unwrap().0, 1_500);
    let expired = world.reply(1, Answer::Expired);
    world
        .when([expired])
        .then([
            "WaitSettled w1 expired",
            "ActionEnded 1.0 blocked (in_doubt), effect maybe",
            "ModelRequested 2",
        ])
        .due(["Model 2"]);
    let mut world = started(reads());
    let expired = world.reply(1, Answer::Expired);
    world
        .when([expired])
        .then([
            "WaitSettled w1 expired",
            "ActionEnded 1.0 failed (timed_out), effect none",
            "ModelRequested 2",
        ])
        .due(["Model 2"]);
}

/// The part of the example that the engine decides: an outcome of an earlier epoch is nothing, and an event
/// of it cannot follow. The store's part, the fence, is tested where the store is.
#[test]
fn g_a_worker_that_was_replaced_changes_nothing() {
    let world = World::plain();
    let calls = world.calls(&["read"]);
    let world = world.after(calls);
    let late = world.ends("1.0", done());
    let claim = world.claim();
    let world = given(world).when([claim]).then(["RunClaimed epoch 2"]).due(["Recover 1.0#1"]);
    let world = world.when([late.clone()]).then([]).due(["Recover 1.0#1"]);
    let recovered = world.recovers("1.0", false, Probe::Unknown);
    let world = world
        .when([recovered])
        .then(["AttemptEnded 1.0#1 lost, next retry", "ActionStarted 1.0#2"])
        .due(["Execute 1.0#2"]);
    let world = world.when([late]).then([]).due(["Execute 1.0#2"]);
    let mut zombie = world.state.clone();
    let mut event = world.events.last().unwrap().clone();
    event.seq = zombie.seq.plus(1);
    event.epoch = provost_engine::Epoch(1);
    assert!(zombie.apply(&event).is_err(), "an event of an earlier epoch cannot follow");
    let outcome = world.ends("1.0", done());
    let world = world
        .when([outcome])
        .then(["ActionEnded 1.0 completed (ok), effect none", "ModelRequested 2"])
        .due(["Model 2"]);
    let says = world.says("Done.");
    world.when([says]).then(["ModelResponded 2", "DeclarationAccepted answer", "RunEnded completed"]).due([]);
}
