//! Given events, the next step: each stop beside the run that goes on.

use std::sync::Arc;

use provost_contract::Message;
use provost_runtime::engine::{
    Asks, BudgetSpec, CompletionEffect, CompletionJudged, Continuation, ContinueJudged, FailureSource,
    InterruptAction, InterruptHeard, Kind, Reservation, RunBroken, RunEnded, RunResumed, RunStatus,
    SessionContended, SessionLocked, SessionSpec, Spec, Step, Stops, Subject, TurnFailed, TurnStarted,
    decide, next,
};
use serde_json::json;

use super::sample::{called, opened, settled, spec, started, state, turn};

fn step(spec: Spec, kinds: Vec<Kind>) -> Step {
    next(&state(spec, kinds))
}

fn budget(name: &str, ceiling: i64) -> Spec {
    Spec { budgets: vec![BudgetSpec { name: name.to_owned(), ceiling, current: 0 }], ..spec() }
}

fn names(step: &Step) -> Vec<&'static str> {
    match step {
        Step::Record(kinds) => kinds.iter().map(|kind| kind.stored_as().0).collect(),
        other => panic!("expected something to record, got {other:?}"),
    }
}

#[test]
fn a_turn_walks_from_the_model_to_the_next_turn() {
    assert_eq!(step(spec(), vec![]), Step::StartTurn);
    assert_eq!(step(spec(), vec![started(1)]), Step::CallModel);
    let opening = step(spec(), vec![started(1), called(&["ferns"])]);
    assert_eq!(names(&opening), ["call_opened", "action_started"]);
    let Step::Record(kinds) = opening else { unreachable!("it is something to record") };
    let executing = [vec![started(1), called(&["ferns"])], kinds].concat();
    assert_eq!(step(spec(), executing), Step::Execute(vec![0]));
    assert_eq!(step(spec(), turn(1, "ferns")), Step::StartTurn);
}

#[test]
fn a_mediator_is_asked_between_a_call_and_its_execution() {
    let asked = Spec { asks: Asks { mediator: true, ..Asks::default() }, ..spec() };
    let call = vec![started(1), called(&["ferns"])];
    assert_eq!(names(&step(asked.clone(), call.clone())), ["call_opened"]);
    assert_eq!(step(asked, [call, vec![opened(0)]].concat()), Step::Authorise(0));
}

#[test]
fn a_turn_nobody_heard_the_end_of_is_not_tried_again_without_the_means() {
    let asked = |tokens| TurnStarted { turn: 1, reserved: Reservation { tokens, cost_microusd: 0 } }.into();
    let resumed = || RunResumed { epoch: 1, budgets: Vec::new() }.into();
    let limited = || budget("tokens", 100);
    assert_eq!(step(limited(), vec![asked(100)]), Step::CallModel, "exactly the rest may be spent");
    assert_eq!(names(&step(limited(), vec![asked(100), resumed()])), ["budget_exceeded"]);
    assert_eq!(step(limited(), vec![asked(99), resumed()]), Step::CallModel);
}

#[test]
fn the_last_allowed_turn_ends_the_run_and_a_budget_of_turns_replaces_it() {
    let last = Spec { max_turns: 1, ..spec() };
    assert_eq!(names(&step(last, turn(1, "ferns"))), ["budget_exceeded"], "the work was not done");
    let replaced = Spec { max_turns: 1, ..budget("turns", 2) };
    assert_eq!(step(replaced.clone(), turn(1, "ferns")), Step::StartTurn);
    let spent = step(replaced, [turn(1, "ferns"), turn(2, "moss")].concat());
    assert_eq!(names(&spent), ["budget_exceeded"]);
}

#[test]
fn a_spent_budget_of_calls_leaves_the_rest_of_the_turn_out() {
    let two_calls = vec![started(1), called(&["ferns", "moss"]), opened(0), settled(0)];
    assert_eq!(names(&step(budget("tool_calls", 1), two_calls.clone())), ["budget_exceeded"]);
    assert_eq!(names(&step(budget("tool_calls_kb/find", 1), two_calls.clone())), ["budget_exceeded"]);
    assert_eq!(
        names(&step(budget("tool_calls_kb/other", 1), two_calls.clone())),
        ["call_opened", "action_started"]
    );
    let Step::Record(exceeded) = step(budget("tool_calls", 1), two_calls.clone()) else {
        unreachable!("just seen")
    };
    assert_eq!(
        step(budget("tool_calls", 1), [two_calls, exceeded].concat()),
        Step::Finish(RunStatus::BudgetExceeded)
    );
}

#[test]
fn time_is_looked_at_before_a_turn() {
    let waiting = state(budget("wall_clock_seconds", 30), vec![]);
    assert_eq!(
        decide::started(&waiting, 1_000 + 29_999, Reservation::default()).stored_as().0,
        "turn_started"
    );
    assert_eq!(
        decide::started(&waiting, 1_000 + 30_000, Reservation::default()).stored_as().0,
        "budget_exceeded"
    );
    assert_eq!(
        decide::started(&waiting, 0, Reservation::default()).stored_as().0,
        "turn_started",
        "a clock set back spends nothing"
    );
}

#[test]
fn the_same_call_too_often_stalls_and_another_one_does_not() {
    let watched = Spec { spin_threshold: Some(2), ..spec() };
    let stalled = step(watched.clone(), [turn(1, "ferns"), turn(2, "ferns")].concat());
    assert_eq!(names(&stalled), ["loop_stalled"]);
    let moving = step(watched, [turn(1, "ferns"), turn(2, "moss")].concat());
    assert_eq!(moving, Step::StartTurn);
}

#[test]
fn only_a_cancel_stops_for_an_interrupt() {
    let interruptible = || Spec { asks: Asks { interrupts: true, ..Asks::default() }, ..spec() };
    assert_eq!(step(interruptible(), turn(1, "ferns")), Step::AskInterrupt);
    let heard = |action| {
        let message = Arc::new(Message::text("user", "Stop."));
        let heard = InterruptHeard::Received { action, message, record: serde_json::Map::new() };
        [turn(1, "ferns"), vec![heard.into()]].concat()
    };
    assert_eq!(step(interruptible(), heard(InterruptAction::Cancel)), Step::Finish(RunStatus::Interrupted));
    assert_eq!(step(interruptible(), heard(InterruptAction::Redirect)), Step::StartTurn);
    assert_eq!(
        step(interruptible(), [turn(1, "ferns"), vec![InterruptHeard::Nothing.into()]].concat()),
        Step::StartTurn
    );
}

#[test]
fn a_completion_policy_ends_the_run_after_the_turn() {
    let judged = || Spec { asks: Asks { completion: true, ..Asks::default() }, ..spec() };
    assert_eq!(step(judged(), turn(1, "ferns")), Step::AskCompletion(Subject::Call(0)));
    let opinion = |effect| {
        let judged = CompletionJudged { subject: Subject::Call(0), effect, record: serde_json::Map::new() };
        [turn(1, "ferns"), vec![judged.into()]].concat()
    };
    assert_eq!(step(judged(), opinion(CompletionEffect::Stop)), Step::Finish(RunStatus::Completed));
    assert_eq!(step(judged(), opinion(CompletionEffect::Nothing)), Step::StartTurn);
}

#[test]
fn a_model_that_calls_nothing_is_done_unless_a_rule_wants_work() {
    let silent = vec![started(1), called(&[])];
    assert_eq!(step(spec(), silent.clone()), Step::Finish(RunStatus::Completed));
    let working = Spec { tool_call_rules: vec![json!({ "require_tool_use": true })], ..spec() };
    assert_eq!(names(&step(working, silent)), ["completion_blocked"]);
}

#[test]
fn the_host_has_the_last_word_on_another_turn_when_it_is_asked() {
    let asked = || Spec { asks: Asks { continuation: Continuation::Asked, ..Asks::default() }, ..spec() };
    assert_eq!(step(asked(), turn(1, "ferns")), Step::AskContinue);
    let said = |go_on| [turn(1, "ferns"), vec![ContinueJudged { go_on }.into()]].concat();
    assert_eq!(step(asked(), said(true)), Step::StartTurn);
    assert_eq!(step(asked(), said(false)), Step::Finish(RunStatus::Completed));
}

#[test]
fn a_session_is_locked_first_and_a_contended_one_ends_the_run() {
    let session = SessionSpec { id: "s-1".to_owned(), lock_ttl_seconds: 300 };
    let locking =
        || Spec { session: Some(session.clone()), asks: Asks { lock: true, ..Asks::default() }, ..spec() };
    assert_eq!(step(locking(), vec![]), Step::LockSession(session.clone()));
    assert_eq!(step(locking(), vec![SessionLocked { session: "s-1".to_owned() }.into()]), Step::StartTurn);
    let contended = vec![SessionContended { session: "s-1".to_owned() }.into()];
    assert_eq!(step(locking(), contended), Step::Finish(RunStatus::TranscriptLockContention));
    let unlocked = Spec { session: Some(session.clone()), ..spec() };
    assert_eq!(step(unlocked, vec![]), Step::StartTurn);
}

#[test]
fn a_failed_or_broken_run_ends_at_once_and_an_ended_one_stays_so() {
    let failed = TurnFailed {
        source: FailureSource::Raised,
        failure: serde_json::Map::new(),
        provider_diagnostics: None,
    };
    assert_eq!(step(spec(), vec![started(1), failed.into()]), Step::Finish(RunStatus::Failed));
    let broken = RunBroken { code: "c".to_owned(), message: "m".to_owned(), fields: vec![] };
    assert_eq!(
        step(spec(), vec![started(1), called(&["ferns"]), broken.into()]),
        Step::Finish(RunStatus::Failed)
    );
    let ended = [turn(1, "ferns"), vec![RunEnded { status: RunStatus::Completed }.into()]].concat();
    assert_eq!(step(spec(), ended), Step::Done);
}

#[test]
fn the_weightiest_reason_names_the_status() {
    let record = || Some(Box::new(serde_json::Map::new()));
    let mut stops = Stops::default();
    assert_eq!(stops.status(), None);
    stops.budget = Some("turns".to_owned());
    assert_eq!(stops.status(), Some(RunStatus::BudgetExceeded));
    stops.stalled = record();
    assert_eq!(stops.status(), Some(RunStatus::Stalled));
    stops.approval = Some(Box::new(json!({})));
    assert_eq!(stops.status(), Some(RunStatus::ApprovalRequired));
    stops.client = Some(Box::new(json!({})));
    assert_eq!(stops.status(), Some(RunStatus::RuntimeToolPending));
    stops.interrupted = record();
    assert_eq!(stops.status(), Some(RunStatus::Interrupted));
}
