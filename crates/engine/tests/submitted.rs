//! Declarations from outside, decisions about ended actions, and what a new worker drops.

use provost_contract::action::{ConditionStatus, OnFailure};
use provost_engine::event::*;
use provost_engine::view::graph_status;
use provost_protocol::transcript::GraphStatus;
use serde_json::json;

use crate::world::{World, cancel, done, failed, given, id, reads, run_spec, step, writes};

fn reader() -> Step {
    step("read", ExecutorKind::Tool, reads())
}

fn behind(mut step: Step, dependency: u32) -> Step {
    step.depends_on.push(dependency);
    step
}

fn when(mut step: Step, dependency: u32, statuses: &[ConditionStatus]) -> Step {
    step.depends_on.push(dependency);
    step.when.extend(statuses.iter().map(|status| (dependency, *status)));
    step
}

fn run(steps: Vec<Step>) -> World {
    World::executes(Limits::default(), steps).claimed()
}

fn adds(add: Vec<Step>) -> Declaration {
    Declaration { intent: "act".into(), add, ..Declaration::default() }
}

fn decides(action: &str, choice: Choice) -> Declaration {
    let decide = vec![(id(action), choice)];
    Declaration { intent: "decide".into(), decide, ..Declaration::default() }
}

fn submit(declaration: Declaration) -> Signal {
    Signal::Submit { declaration: Box::new(declaration) }
}

fn resume(declaration: Declaration) -> Signal {
    let declaration = Some(Box::new(declaration));
    Signal::Resume { budgets: [].into(), reason: String::new(), declaration }
}

fn after_outcome(world: World, action: &str, outcome: Outcome) -> World {
    let input = world.ends(action, outcome);
    world.after(input)
}

#[test]
fn a_submitted_declaration_adds_to_a_running_graph() {
    let mut world = run(vec![reader()]);
    let mut more = reader();
    more.earlier = vec![id("1.0")];
    let signal = world.signal(submit(adds(vec![more, reader()])));
    let world = given(world)
        .when([signal])
        .then(["SignalTaken submit", "DeclarationAccepted +2.0 +2.1", "ActionStarted 2.1#1"])
        .due(["Execute 1.0#1", "Execute 2.1#1"]);
    let first = world.ends("1.0", done());
    world
        .when([first])
        .then(["ActionEnded 1.0 completed (ok), effect none", "ActionStarted 2.0#1"])
        .due(["Execute 2.0#1", "Execute 2.1#1"]);
}

#[test]
fn a_revision_replaces_what_has_not_begun() {
    let mut world = run(vec![reader(), behind(reader(), 0)]);
    let revise = |replaced: &str| Declaration {
        intent: "revise".into(),
        replace: vec![(id(replaced), 0)],
        ..adds(vec![reader()])
    };
    let begun = world.signal(submit(revise("1.0")));
    let mut world = given(world)
        .when([begun])
        .then(["SignalTaken submit, ignored: not_acceptable"])
        .due(["Execute 1.0#1"]);
    let pending = world.signal(submit(revise("1.1")));
    given(world)
        .when([pending])
        .then([
            "SignalTaken submit",
            "DeclarationAccepted +2.0",
            "ActionEnded 1.1 cancelled (revised), effect none",
            "ActionStarted 2.0#1",
        ])
        .due(["Execute 1.0#1", "Execute 2.0#1"]);
}

/// What a run does with declarations that it cannot take.
#[test]
fn what_cannot_be_changed_any_more_is_not_taken() {
    let unknown = || {
        let mut step = reader();
        step.earlier = vec![id("9.9")];
        adds(vec![step])
    };
    let running = || run(vec![reader(), reader()]);
    let ended = || after_outcome(run(vec![reader()]), "1.0", done());
    let open = Declaration { cancel: vec![id("1.0")], ..Declaration::default() };
    let table: Vec<(World, Signal, &str)> = vec![
        (running(), submit(unknown()), "not_acceptable"),
        (running(), submit(decides("1.0", Choice::Retry)), "not_acceptable"),
        (running(), submit(decides("9.9", Choice::Skip)), "not_acceptable"),
        (running(), resume(adds(vec![reader()])), "not_resumable"),
        (ended(), submit(adds(vec![reader()])), "ended"),
        (ended(), submit(open), "ended"),
        (ended(), resume(adds(vec![reader()])), "not_resumable"),
        (World::plain(), submit(adds(vec![reader()])), "not_acceptable"),
    ];
    for (mut world, signal, code) in table {
        let (before, signal) = (world.state.actions.clone(), world.signal(signal));
        let events = world.feed(vec![signal]);
        let EventKind::SignalTaken(taken) = &events[0].kind else { panic!("{events:?}") };
        assert_eq!(<&str>::from(taken.ignored.unwrap()), code);
        assert_eq!(world.state.actions, before);
    }
}

#[test]
fn a_failed_run_goes_on_with_a_decision_in_the_same_step() {
    let ended = || after_outcome(run(vec![reader(), behind(reader(), 0)]), "1.0", failed());
    let decided = |choice| {
        let mut world = ended();
        assert_eq!(world.state.ended, Some(EndStatus::Failed));
        let signal = world.signal(resume(decides("1.0", choice)));
        given(world).when([signal])
    };
    let accepted = "DeclarationAccepted decide";
    decided(Choice::Retry)
        .then(["SignalTaken resume", accepted, "ActionStarted 1.0#2"])
        .due(["Execute 1.0#2"]);
    decided(Choice::Skip)
        .then([
            "SignalTaken resume",
            accepted,
            "ActionEnded 1.1 cancelled (condition_not_met), effect none",
            "RunEnded completed",
        ])
        .due([]);
    decided(Choice::Accept)
        .then(["SignalTaken resume", accepted, "ActionStarted 1.1#1"])
        .due(["Execute 1.1#1"]);
}

#[test]
fn a_run_that_is_resumed_without_a_decision_ends_as_before() {
    let mut world = after_outcome(run(vec![reader()]), "1.0", failed());
    let signal =
        world.signal(Signal::Resume { budgets: [].into(), reason: String::new(), declaration: None });
    given(world).when([signal]).then(["SignalTaken resume", "RunEnded failed"]).due([]);
}

#[test]
fn a_decision_to_go_on_unlocks_dependents_and_leaves_the_failure() {
    let mut aborts = reader();
    aborts.spec.on_failure = OnFailure::Abort.into();
    let world = after_outcome(run(vec![aborts, behind(reader(), 0)]), "1.0", failed());
    assert_eq!(world.state.action(id("1.1")).unwrap().end.as_ref().unwrap().reason, "aborted");
    let mut world = world;
    let signal = world.signal(resume(decides("1.0", Choice::Accept)));
    given(world)
        .when([signal])
        .then(["SignalTaken resume", "DeclarationAccepted decide", "RunEnded failed"])
        .due([]);
    let world = after_outcome(run(vec![reader(), behind(reader(), 0)]), "1.0", failed());
    let world = world.signalled(resume(decides("1.0", Choice::Accept)));
    let world = after_outcome(world, "1.1", done());
    assert_eq!(world.state.ended, Some(EndStatus::Failed));
    assert_eq!(graph_status(&world.state), GraphStatus::Failed);
}

/// A model may pass over a failure; what is in doubt is a person's to judge.
#[test]
fn a_model_goes_on_past_a_failure_and_not_past_a_doubt() {
    let graph = |facts: serde_json::Value| {
        let world = World::protocol();
        let steps = vec![step("write", ExecutorKind::Tool, facts), behind(reader(), 0)];
        let graph = world.acts(steps);
        world.after(graph)
    };
    let world = after_outcome(graph(writes()), "1.0", failed());
    let accepted = world.declares(decides("1.0", Choice::Accept));
    given(world)
        .when([accepted])
        .then(["ModelResponded 2", "DeclarationAccepted decide", "ActionStarted 1.1#1"])
        .due(["Execute 1.1#1"]);
    let world = after_outcome(graph(writes()), "1.0", Outcome::TimedOut { ms: 5 });
    let accepted = world.declares(decides("1.0", Choice::Accept));
    given(world)
        .when([accepted])
        .then([
            "ModelResponded 2",
            "DeclarationAccepted decide",
            "ActionEnded 1.1 blocked (dependency), effect none",
            "ModelRequested 3",
        ])
        .due(["Model 3"]);
}

/// Conditions on how the first action ended, and whether the second one runs then.
#[test]
fn every_condition_must_hold_and_none_waits_for_the_model() {
    use ConditionStatus::{Blocked, Completed, Failed};
    let table: [(&[ConditionStatus], Outcome, bool); 6] = [
        (&[Completed], done(), true),
        (&[Failed], done(), false),
        (&[Failed], failed(), true),
        (&[Blocked], failed(), false),
        (&[Completed, Failed], done(), false),
        (&[Failed, Failed], failed(), true),
    ];
    for (conditions, outcome, runs) in table {
        let world = World::protocol();
        let graph = world.acts(vec![reader(), when(reader(), 0, conditions)]);
        let world = after_outcome(world.after(graph), "1.0", outcome);
        let second = world.state.action(id("1.1")).unwrap();
        let found = second.end.as_ref().map_or("runs", |end| end.reason.as_str());
        assert_eq!(found, if runs { "runs" } else { "condition_not_met" }, "{conditions:?}");
    }
}

#[test]
fn a_limit_of_no_tasks_is_refused() {
    let error = Limits { parallel: 0, ..Limits::default() }.check().unwrap_err();
    assert_eq!(error.to_value()["code"], "invalid_limit");
    let spec = RunSpec { limits: Limits { parallel: 0, ..Limits::default() }, ..run_spec(Mode::Plain) };
    let mut event = World::plain().events[0].clone();
    event.kind = RunAccepted { spec: std::sync::Arc::new(spec) }.into();
    let begun = provost_engine::RunState::begin(crate::world::agent(), Vec::new(), &event);
    assert!(begun.unwrap_err().problem.contains("at least 1"));
}

/// What a second worker finds of a declaration that lives in one process only, and what becomes of it.
#[test]
fn what_could_start_is_dropped_with_its_process_and_what_rests_is_not() {
    let ephemeral = |mut step: Step| {
        step.spec.persist = false;
        step
    };
    let waits = || step("ask", ExecutorKind::Human, json!({}));
    let one = Limits { parallel: 1, ..Limits::default() };
    let ends = |world: &World, action: &str| {
        world.state.action(id(action)).unwrap().end.as_ref().map(|end| end.reason.clone())
    };
    // One runs, the other could start and has no room.
    let startable = World::executes(one, vec![ephemeral(reader()), ephemeral(reader())]).claimed();
    let again = startable.clone().claimed();
    assert_eq!(again.due(), ["Recover 1.0#1"]);
    assert_eq!(ends(&again, "1.1").as_deref(), Some("ephemeral_interrupted"));
    // The same goes on where it was told to.
    let persistent = World::executes(one, vec![ephemeral(reader()), reader()]).claimed().claimed();
    assert_eq!(ends(&persistent, "1.1"), None);
    // At rest: a person is asked, and the rest waits for the answer.
    let rests = run(vec![ephemeral(waits()), ephemeral(behind(reader(), 0))]);
    let again = rests.claimed();
    assert_eq!((ends(&again, "1.0"), ends(&again, "1.1")), (None, None));
    // Accepted and not claimed before: nothing was interrupted.
    let first = World::executes(one, vec![ephemeral(reader())]).claimed();
    assert_eq!(first.due(), ["Execute 1.0#1"]);
    // Startable only because the first worker was shutting down.
    let mut drained = World::executes(one, vec![ephemeral(reader())]);
    drained.now.draining = true;
    let mut drained = drained.claimed();
    drained.now.draining = false;
    let again = drained.claimed();
    assert_eq!(ends(&again, "1.0").as_deref(), Some("ephemeral_interrupted"));
    assert_eq!(again.state.ended, Some(EndStatus::Completed));
    // A cancel ends it by itself.
    assert_eq!(startable.signalled(cancel()).due(), ["Stop 1.0#1"]);
}
