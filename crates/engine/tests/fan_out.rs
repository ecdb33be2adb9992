//! References that are filled in before an action is judged, and fan-outs over the entries of a list.

use provost_contract::action::OnFailure;
use provost_contract::json::into_object;
use provost_engine::event::*;
use provost_engine::{Args, Fault, Input};
use serde_json::json;

use crate::world::{World, done, failed, given, id, reads, step, verdicts, writes};

/// Two actions: the first is done for each entry of a list, the second depends on it.
fn fan_out(on_failure: OnFailure) -> World {
    let mut each = step("read", ExecutorKind::Tool, reads());
    each.spec.each = Some(Each { list: "action:list.output".into(), max: 3 });
    each.spec.on_failure = on_failure.into();
    let mut behind = step("write", ExecutorKind::Tool, writes());
    behind.depends_on = vec![0];
    World::executes(Limits::default(), vec![each, behind]).claimed()
}

fn args(n: u64) -> Args {
    Args::open(into_object(json!({ "n": n })))
}

fn answers(action: &str, answer: HookAnswer) -> Input {
    Input::Hook { hook: Hook::Resolve, subject: Subject::Action { action: id(action) }, answer }
}

fn resolved(action: &str, items: u64) -> Input {
    answers(action, HookAnswer::Resolved { args: args(0), items: (0..items).map(args).collect() })
}

/// The fan-out over two entries, of which the second has ended by an outcome.
fn with_second(on_failure: OnFailure, outcome: Outcome) -> World {
    let world = fan_out(on_failure).after(resolved("1.0", 2));
    let second = world.ends("2.1", outcome);
    world.after(second)
}

#[test]
fn every_entry_is_an_action_of_its_own_and_the_list_of_theirs_is_the_result() {
    let world = given(fan_out(OnFailure::AskModel))
        .when([resolved("1.0", 2)])
        .then([
            "HookAnswered resolve resolved",
            "ActionStarted 1.0#1",
            "DeclarationAccepted +2.0 +2.1 pipeline",
            "ActionStarted 2.0#1",
            "ActionStarted 2.1#1",
        ])
        .due(["Execute 2.0#1", "Execute 2.1#1"]);
    let labels: Vec<&str> =
        ["2.0", "2.1"].map(|part| world.state.action(id(part)).unwrap().spec.label.as_str()).into();
    assert_eq!(labels, ["0.0[0]", "0.0[1]"]);
    assert_eq!(world.state.action(id("2.1")).unwrap().args, args(1));
    let second = world.ends("2.1", done());
    let world =
        world.when([second]).then(["ActionEnded 2.1 completed (ok), effect none"]).due(["Execute 2.0#1"]);
    let first = world.ends("2.0", done());
    world
        .when([first])
        .then([
            "ActionEnded 2.0 completed (ok), effect none",
            "ActionEnded 1.0 completed (ok), effect none",
            "ActionStarted 1.1#1",
        ])
        .due(["Execute 1.1#1"]);
}

#[test]
fn an_empty_list_completes_at_once() {
    given(fan_out(OnFailure::AskModel))
        .when([resolved("1.0", 0)])
        .then([
            "HookAnswered resolve resolved",
            "ActionStarted 1.0#1",
            "ActionEnded 1.0 completed (ok), effect none",
            "ActionStarted 1.1#1",
        ])
        .due(["Execute 1.1#1"]);
}

#[test]
fn a_failed_entry_fails_the_whole_once_the_others_have_ended() {
    let world = with_second(OnFailure::AskModel, failed());
    assert_eq!(world.due(), ["Execute 2.0#1"]);
    let first = world.ends("2.0", done());
    let world = given(world)
        .when([first])
        .then([
            "ActionEnded 2.0 completed (ok), effect none",
            "ActionEnded 1.0 failed (failed), effect none",
            "ActionEnded 1.1 blocked (dependency), effect none",
            "RunEnded failed",
        ])
        .due([]);
    let status = |action: &str| world.state.action(id(action)).unwrap().status();
    assert_eq!(status("2.0"), provost_contract::action::ActionStatus::Completed);
}

#[test]
fn a_failed_fan_out_that_continues_unlocks_what_depends_on_it() {
    let world = with_second(OnFailure::Continue, failed());
    let first = world.ends("2.0", done());
    given(world)
        .when([first])
        .then([
            "ActionEnded 2.0 completed (ok), effect none",
            "ActionEnded 1.0 failed (failed), effect none",
            "ActionStarted 1.1#1",
        ])
        .due(["Execute 1.1#1"]);
}

#[test]
fn a_fan_out_whose_entries_are_retried_is_not_retried_itself() {
    let world = with_second(OnFailure::Retry, failed());
    assert_eq!(world.due(), ["Execute 2.0#1", "WakeAt 2000"]);
    let world = world.later(1_000).after(Input::Tick);
    let inputs = [world.ends("2.0", done()), world.ends("2.1", failed())];
    given(world)
        .when(inputs)
        .then([
            "ActionEnded 2.0 completed (ok), effect none",
            "ActionEnded 2.1 failed (failed), effect none",
            "ActionEnded 1.0 failed (failed), effect none",
            "ActionEnded 1.1 blocked (dependency), effect none",
            "RunEnded failed",
        ])
        .due([]);
}

#[test]
fn an_entry_that_needs_an_approval_waits_and_the_others_go_on() {
    let mut each = step("test/ask", ExecutorKind::Tool, writes());
    each.spec.each = Some(Each { list: "action:list.output".into(), max: 3 });
    let world = World::executes(Limits::default(), vec![each]).claimed().after(resolved("1.0", 2));
    assert_eq!(world.due(), [""; 0]);
    let mut world = world;
    let binding = world.state.waits[&1].binding;
    let no = world.reply(1, verdicts("2.0", Decision::Reject { reason: "No.".into() }, binding));
    let binding = world.state.waits[&2].binding;
    let yes = world.reply(2, verdicts("2.1", Decision::Approve { edit: None }, binding));
    let world = given(world)
        .when([no, yes])
        .then([
            "WaitSettled w1 answered verdicts",
            "WaitSettled w2 answered verdicts",
            "ActionEnded 2.0 blocked (rejected), effect none",
            "ActionStarted 2.1#1 by wait",
        ])
        .due(["Execute 2.1#1"]);
    let second = world.ends("2.1", done());
    world
        .when([second])
        .then([
            "ActionEnded 2.1 completed (ok), effect done",
            "ActionEnded 1.0 failed (failed), effect done",
            "RunEnded failed",
        ])
        .due([]);
}

#[test]
fn references_are_looked_up_once_the_action_is_ready_and_before_it_is_judged() {
    let mut refers = step("test/ask", ExecutorKind::Tool, writes());
    (refers.spec.resolves, refers.depends_on) = (true, vec![0]);
    let steps = vec![step("read", ExecutorKind::Tool, reads()), refers];
    let world = World::executes(Limits::default(), steps).claimed();
    assert_eq!(world.due(), ["Execute 1.0#1"]);
    let first = world.ends("1.0", done());
    let world = given(world)
        .when([first])
        .then(["ActionEnded 1.0 completed (ok), effect none"])
        .due(["Hook resolve"]);
    let world = world
        .when([resolved("1.1", 0)])
        .then(["HookAnswered resolve resolved", "WaitOpened w1 approval [1.1]"])
        .due([]);
    assert_eq!(world.state.action(id("1.1")).unwrap().args, args(0));
    world.when([resolved("1.1", 0)]).then([]).due([]);
}

#[test]
fn a_reference_without_a_value_blocks_its_action_and_nothing_else() {
    let mut refers = step("read", ExecutorKind::Tool, reads());
    refers.spec.resolves = true;
    let steps = || vec![refers.clone(), step("read", ExecutorKind::Tool, reads())];
    let missing = HookAnswer::Failed { fault: Fault::new("unresolved_input", "There is no such value.") };
    for (answer, word) in [(missing, "failed"), (HookAnswer::NoOpinion, "failed")] {
        let world = World::executes(Limits::default(), steps()).claimed();
        given(world)
            .when([answers("1.0", answer)])
            .then([
                &format!("HookAnswered resolve {word}"),
                "ActionEnded 1.0 blocked (unresolved_input), effect none",
            ])
            .due(["Execute 1.1#1"]);
    }
}

#[test]
fn a_cancel_ends_the_entries_that_have_not_begun_and_stops_the_others() {
    let mut each = step("read", ExecutorKind::Tool, reads());
    each.spec.each = Some(Each { list: "action:list.output".into(), max: 3 });
    let limits = Limits { parallel: 1, ..Limits::default() };
    let world = World::executes(limits, vec![each]).claimed().after(resolved("1.0", 2));
    assert_eq!(world.due(), ["Execute 2.0#1"]);
    let world = world.signalled(crate::world::cancel());
    assert_eq!(world.due(), ["Stop 2.0#1"]);
    let stopped = world.ends("2.0", Outcome::Stopped);
    let row = given(world).when([stopped]);
    row.then([
        "ActionEnded 2.0 cancelled (cancelled), effect none",
        "ActionEnded 1.0 cancelled (cancelled), effect none",
        "RunEnded cancelled",
    ])
    .due([]);
}
