//! What a new worker makes of each kind of open effect, row by row, and of journals whose words are erased.

use provost_engine::event::*;
use provost_engine::{Covers, Digest, Event, Input, RunState, Seq, StandingApproval, Usage, verify};
use serde_json::json;

use crate::codec::erase;
use crate::fixture::records;
use crate::stage::{runs, stages};
use crate::world::{
    RUN, World, agent, cancel, done, given, id, reads, run_spec, step, transactional, writes,
};

const DOUBT: [&str; 2] = ["AttemptEnded 1.0#1 lost, next doubt", "WaitOpened w1 in_doubt [1.0]"];
const AGAIN: [&str; 2] = ["AttemptEnded 1.0#1 lost, next retry", "ActionStarted 1.0#2"];

/// A run with one action under way, after its worker was lost and another one claimed it.
fn orphaned(kind: ExecutorKind, facts: serde_json::Value) -> World {
    let world = World::protocol();
    let graph = world.acts(vec![step("action", kind, facts)]);
    let world = world.after(graph);
    let claim = world.claim();
    given(world).when([claim]).then(["RunClaimed epoch 2"]).due(["Recover 1.0#1"])
}

fn keyed() -> serde_json::Value {
    json!({ "effects": ["write"], "idempotency": "keyed", "takes_key": true })
}

#[test]
fn a_model_request_is_lost_charged_and_retried() {
    let mut world =
        World::new(RunSpec { budgets: [("tokens".to_owned(), 100)].into(), ..run_spec(Mode::Plain) });
    world.now.reserve = Usage::of("tokens", 30);
    let world = world.claimed();
    let claim = world.claim();
    let world = given(world)
        .when([claim])
        .then(["RunClaimed epoch 2", "ModelFailed 1 lost again", "ModelRequested 2"])
        .due(["Model 2"]);
    assert_eq!(world.state.ledger.spent().get("tokens"), 30, "charged as reserved");
    let world = world.claimed();
    let claim = world.claim();
    // The third loss in a row is the last failure that the run is allowed.
    given(world)
        .when([claim])
        .then(["RunClaimed epoch 4", "ModelFailed 3 lost", "RunStopping failed", "RunEnded failed"])
        .due([]);
}

#[test]
fn a_response_that_was_not_read_is_read_and_not_asked_for_again() {
    let world = World::with_hooks(Mode::Plain, HookSet { after_model: true, ..HookSet::default() });
    let calls = world.calls(&["read"]);
    let world = world.after(calls);
    let claim = world.claim();
    let world = given(world).when([claim]).then(["RunClaimed epoch 2"]).due(["Hook after_model"]);
    let (hook, subject, answer) = (Hook::AfterModel, Subject::Turn { turn: 1 }, HookAnswer::NoOpinion);
    world
        .when([Input::Hook { hook, subject, answer }])
        .then(["HookAnswered after_model no_opinion", "DeclarationAccepted +1.0", "ActionStarted 1.0#1"])
        .due(["Execute 1.0#1"]);
}

#[test]
fn hooks_and_previews_are_due_again() {
    for (hooks, operation, due) in [
        (HookSet { mediate: true, ..HookSet::default() }, "read", "Hook mediate"),
        (HookSet { preview: true, ..HookSet::default() }, "test/ask", "Preview 1.0"),
    ] {
        let world = World::with_hooks(Mode::Protocol, hooks);
        let graph = world.acts(vec![step(operation, ExecutorKind::Tool, reads())]);
        let world = world.after(graph);
        assert_eq!(world.due(), [due]);
        let claim = world.claim();
        given(world).when([claim]).then(["RunClaimed epoch 2"]).due([due]);
    }
}

#[test]
fn an_attempt_with_an_open_wait_is_untouched() {
    use ExecutorKind::{Agent, Client, Human, Signal, Timer};
    for kind in [Client, Human, Agent, Timer, Signal] {
        let world = World::protocol();
        let graph = world.acts(vec![step("action", kind, writes())]);
        let world = world.after(graph);
        let claim = world.claim();
        let world = given(world).when([claim]).then(["RunClaimed epoch 2"]).due([]);
        assert_eq!(world.state.action(id("1.0")).unwrap().wait, Some(1));
    }
}

fn applying() -> World {
    let world = World::protocol();
    let graph = world.acts(vec![step("program", ExecutorKind::Program, transactional())]);
    let world = world.after(graph);
    let proposed = world.ends("1.0", crate::world::proposed(&[provost_engine::Verdict::Allow]));
    world.after(proposed)
}

#[test]
fn an_apply_is_rolled_forward_even_after_a_cancel_and_under_another_policy() {
    let forward = ["AttemptEnded 1.0#2 lost, next retry", "ActionStarted 1.0#3 apply by roll_forward"];
    let world = applying().signalled(cancel()).claimed();
    let recovered = world.recovers("1.0", true, Probe::Unknown);
    given(world).when([recovered]).then(forward).due(["Execute 1.0#3 apply"]);
    let world = applying();
    let Input::Claimed { epoch, worker, compiled, standing, .. } = world.claim() else { panic!("a claim") };
    let policy = Digest::of(b"another policy");
    let world = world.after(Input::Claimed { epoch, worker, compiled, policy, standing });
    let recovered = world.recovers("1.0", true, Probe::Unknown);
    given(world).when([recovered]).then(forward).due(["Execute 1.0#3 apply"]);
}

#[test]
fn an_apply_is_in_doubt_after_three_losses_or_if_its_process_may_live() {
    let world = applying().claimed();
    let recovered = world.recovers("1.0", false, Probe::Unknown);
    given(world)
        .when([recovered])
        .then(["AttemptEnded 1.0#2 lost, next doubt", "WaitOpened w1 in_doubt [1.0]"])
        .due([]);
    let mut world = applying();
    for _ in 0..2 {
        world = world.claimed();
        let recovered = world.recovers("1.0", true, Probe::Unknown);
        world = world.after(recovered);
    }
    let world = world.claimed();
    let recovered = world.recovers("1.0", true, Probe::Unknown);
    given(world)
        .when([recovered])
        .then(["AttemptEnded 1.0#4 lost, next doubt", "WaitOpened w1 in_doubt [1.0]"])
        .due([]);
}

#[test]
fn a_read_runs_again_even_if_its_process_may_live() {
    for gone in [true, false] {
        let world = orphaned(ExecutorKind::Tool, reads());
        let recovered = world.recovers("1.0", gone, Probe::Unknown);
        given(world).when([recovered]).then(AGAIN).due(["Execute 1.0#2"]);
    }
}

#[test]
fn what_is_pure_keyed_or_transactional_runs_again_once_its_process_is_gone() {
    let pure = json!({ "effects": ["write"], "idempotency": "pure" });
    let rows =
        [(ExecutorKind::Tool, keyed()), (ExecutorKind::Tool, pure), (ExecutorKind::Program, transactional())];
    for (kind, facts) in rows {
        let world = orphaned(kind, facts);
        let recovered = world.recovers("1.0", true, Probe::Unknown);
        given(world.clone()).when([recovered]).then(AGAIN).due(["Execute 1.0#2"]);
        let recovered = world.recovers("1.0", false, Probe::Unknown);
        given(world).when([recovered]).then(DOUBT).due([]);
    }
}

#[test]
fn a_program_that_made_a_bridged_write_is_not_transactional() {
    let world = World::protocol();
    let graph = world.acts(vec![step("program", ExecutorKind::Program, transactional())]);
    let world = world.after(graph);
    let call = step("test/write", ExecutorKind::Tool, writes()).spec;
    let bridge = Input::Bridge { action: id("1.0"), attempt: 1, number: 1, call: Box::new(call) };
    let world = given(world)
        .when([bridge.clone()])
        .then(["DeclarationAccepted +2.0 bridge", "ActionStarted 2.0#1"])
        .due(["Execute 1.0#1", "Execute 2.0#1"]);
    let world = world.when([bridge]).then([]).due(["Execute 1.0#1", "Execute 2.0#1"]);
    let bridged = world.ends("2.0", done());
    let world = world.after(bridged).claimed();
    let recovered = world.recovers("1.0", true, Probe::Unknown);
    given(world).when([recovered]).then(DOUBT).due([]);
}

#[test]
fn any_other_attempt_is_what_its_probe_says_or_in_doubt() {
    let world = orphaned(ExecutorKind::Tool, writes());
    let recovered = world.recovers("1.0", true, Probe::Done);
    given(world.clone())
        .when([recovered])
        .then(["ActionEnded 1.0 completed (probed), effect done", "ModelRequested 2"])
        .due(["Model 2"]);
    let recovered = world.recovers("1.0", true, Probe::NotDone);
    given(world.clone()).when([recovered]).then(AGAIN).due(["Execute 1.0#2"]);
    for gone in [true, false] {
        let recovered = world.recovers("1.0", gone, Probe::Unknown);
        given(world.clone()).when([recovered]).then(DOUBT).due([]);
    }
}

#[test]
fn what_was_cancelled_meanwhile_does_not_run_again() {
    let rows = [
        (reads(), "ActionEnded 1.0 cancelled (cancelled), effect none"),
        (keyed(), "ActionEnded 1.0 cancelled (cancelled), effect maybe"),
        (writes(), "ActionEnded 1.0 blocked (in_doubt), effect maybe"),
    ];
    for (facts, end) in rows {
        let world = orphaned(ExecutorKind::Tool, facts).signalled(cancel());
        let recovered = world.recovers("1.0", true, Probe::Unknown);
        given(world).when([recovered]).then([end, "RunEnded cancelled"]).due([]);
    }
}

#[test]
fn an_attempt_whose_secrets_were_lost_fails_and_did_nothing() {
    let world = orphaned(ExecutorKind::Tool, keyed());
    let recovered = world.recovers("1.0", true, Probe::Unknown);
    let world = world.after(recovered);
    let lost = world.ends("1.0", Outcome::NotStarted { code: "secrets_lost".into() });
    // The first attempt may have taken effect; only the second did nothing.
    given(world)
        .when([lost])
        .then(["ActionEnded 1.0 failed (secrets_lost), effect maybe", "ModelRequested 2"])
        .due(["Model 2"]);
}

#[test]
fn an_action_that_is_lost_three_times_in_a_row_fails() {
    let mut world = orphaned(ExecutorKind::Tool, reads());
    for _ in 0..2 {
        let recovered = world.recovers("1.0", true, Probe::Unknown);
        world = world.after(recovered).claimed();
    }
    let recovered = world.recovers("1.0", true, Probe::Unknown);
    let row = given(world).when([recovered]);
    row.then(["ActionEnded 1.0 failed (lost), effect none", "ModelRequested 2"]).due(["Model 2"]);
}

/// Three claims without progress: the next one ends the run.
#[test]
fn claims_without_progress_end_a_run_and_a_resume_clears_them() {
    let world = orphaned(ExecutorKind::Tool, writes());
    let world = world.claimed().claimed();
    let claim = world.claim();
    let world = given(world)
        .when([claim])
        .then(["RunClaimed epoch 5", "RunStopping interrupted"])
        .due(["Recover 1.0#1"]);
    let recovered = world.recovers("1.0", true, Probe::Done);
    let mut world = given(world)
        .when([recovered])
        .then(["ActionEnded 1.0 completed (probed), effect done", "RunEnded interrupted"])
        .due([]);
    let resume =
        world.signal(Signal::Resume { budgets: [].into(), reason: String::new(), declaration: None });
    given(world).when([resume]).then(["SignalTaken resume", "ModelRequested 2"]).due(["Model 2"]);
}

#[test]
fn an_approval_that_is_not_needed_any_more_is_withdrawn() {
    let world = World::plain();
    let calls = world.calls(&["ask"]);
    let world = world.after(calls);
    let Input::Claimed { epoch, worker, compiled, policy, .. } = world.claim() else { panic!("a claim") };
    let scope = standing_scope(&world);
    let run = RUN.parse().unwrap();
    let at = provost_engine::Time(1);
    let by = crate::world::person();
    let standing = vec![StandingApproval {
        scope,
        tool: "test/ask".into(),
        covers: Covers::Tool,
        until: None,
        by,
        at,
        run,
        action: None,
        reason: None,
    }];
    let claim = Input::Claimed { epoch, worker, compiled, policy, standing };
    given(world)
        .when([claim])
        .then(["RunClaimed epoch 2", "WaitSettled w1 withdrawn", "ActionStarted 1.0#1 by standing"])
        .due(["Execute 1.0#1"]);
}

/// What a remembered approval of the open question covers.
fn standing_scope(world: &World) -> String {
    let mut world = world.clone();
    let verdicts = [(id("1.0"), Decision::Approve { edit: None })].into();
    let binding = world.state.waits[&1].binding;
    let (remember, reason) = (Some(Remember { lasts: Lasts::Always, covers: Covers::Tool }), String::new());
    let answer = world.reply(1, Answer::Verdicts { verdicts, remember, binding, reason });
    let world = world.after(answer);
    world.state.standing.keys().next().unwrap().clone()
}

/// What a fold of erased records must reach: everything but the words.
fn stages_of(state: &RunState) -> serde_json::Value {
    let actions: Vec<String> = state
        .actions
        .iter()
        .map(|(id, action)| {
            let end = action.end.as_ref().map(|end| (end.status, end.reason.clone(), end.satisfying));
            let (stage, wait, attempt, round) = (action.stage, action.wait, action.attempt, action.round);
            let (effect, holds, cancel) = (action.effect, action.holds, action.cancel);
            format!("{id} {stage:?} {wait:?} {attempt} {round} {effect:?} {holds} {cancel} {end:?}")
        })
        .collect();
    let waits: Vec<String> = state.waits.iter().map(|(n, wait)| format!("{n} {:?}", wait.kind)).collect();
    let statuses: Vec<EndStatus> = state.stops.iter().map(Stop::status).collect();
    json!({
        "seq": state.seq, "epoch": state.epoch, "ended": state.ended, "stops": statuses, "cancel": state.cancel,
        "actions": actions, "waits": waits, "spent": state.ledger.spent(), "turns": state.ledger.turns(),
        "calls": state.ledger.calls(), "unseen": state.unseen, "owed": state.owed, "steer": state.steer,
    })
}

#[test]
fn a_journal_without_its_words_folds_to_the_same_stages() {
    let run = RUN.parse().unwrap();
    for (name, world) in stages().into_iter().chain(runs()) {
        let mut records = records(&run, &world.events);
        records.iter_mut().for_each(erase);
        verify(&run, (Seq(0), Digest::ZERO), &records).unwrap();
        let events: Vec<Event> = records.iter().map(|record| Event::from_record(record).unwrap()).collect();
        let folded = RunState::fold(agent(), Vec::new(), &events).unwrap();
        assert_eq!(stages_of(&folded), stages_of(&world.state), "{name}");
    }
}

#[test]
fn messages_of_a_hook_count_as_unseen_after_they_were_erased() {
    let run = RUN.parse().unwrap();
    let mut world = World::with_hooks(Mode::Plain, HookSet { on_stop: true, ..HookSet::default() });
    let says = world.says("Done.");
    world.feed(vec![says]);
    let messages = vec![std::sync::Arc::new(provost_contract::Message::text("user", "And this."))];
    let answer = HookAnswer::Message { messages, record: serde_json::Map::new() };
    let (hook, subject) = (Hook::OnStop, Subject::Run);
    world.feed(vec![Input::Hook { hook, subject, answer }]);
    // The journal up to the answer of the hook, as if the worker had died then.
    let upto = world.events.iter().position(|event| event.kind.name() == "hook_answered").unwrap();
    let fold = |erased: bool| {
        let mut records = records(&run, &world.events[..=upto]);
        if erased {
            records.iter_mut().for_each(erase);
        }
        let events: Vec<Event> = records.iter().map(|record| Event::from_record(record).unwrap()).collect();
        RunState::fold(agent(), Vec::new(), &events).unwrap().unseen
    };
    assert_eq!(fold(true), fold(false));
}

#[test]
fn an_action_whose_arguments_are_erased_before_it_started_fails() {
    let run = RUN.parse().unwrap();
    let world = World::plain();
    let calls = world.calls(&["ask"]);
    let mut world = world.after(calls);
    let mut records = records(&run, &world.events);
    records.iter_mut().for_each(erase);
    world.events = records.iter().map(|record| Event::from_record(record).unwrap()).collect();
    world.state = RunState::fold(agent(), Vec::new(), &world.events).unwrap();
    let binding = world.state.waits[&1].binding;
    let answer = world.reply(1, crate::world::verdicts("1.0", Decision::Approve { edit: None }, binding));
    world
        .when([answer])
        .then([
            "WaitSettled w1 answered verdicts",
            "ActionEnded 1.0 failed (erased), effect none",
            "ModelRequested 2",
        ])
        .due(["Model 2"]);
}
