//! The fold: what each event does to the state. It refuses what cannot follow, and changes nothing then.

mod action;
mod run;
mod turn;
mod wait;

use std::sync::Arc;

use provost_contract::Message;

use super::{Illegal, RunState};
use crate::event::{Event, EventKind, Outcome};
use crate::{Agent, Seq};

pub(super) use run::begin;

/// What speaks against an event.
type Problem = Result<(), String>;

/// Refuses an event unless something holds.
fn need(holds: bool, problem: impl Into<String>) -> Problem {
    if holds { Ok(()) } else { Err(problem.into()) }
}

pub(super) fn apply(state: &mut RunState, event: &Event) -> Result<(), Illegal> {
    check_order(state, event).and_then(|()| dispatch(state, event)).map_err(|problem| Illegal {
        seq: event.seq,
        kind: event.kind.name(),
        problem,
    })?;
    state.seq = event.seq;
    state.reindex(&event.kind);
    count_claims(state, &event.kind);
    Ok(())
}

fn check_order(state: &RunState, event: &Event) -> Problem {
    need(event.seq == state.seq.plus(1), format!("it does not follow event {}", state.seq))?;
    let claims = matches!(event.kind, EventKind::RunClaimed(_));
    need(
        if claims { event.epoch > state.epoch } else { event.epoch == state.epoch },
        format!("epoch {} does not fit epoch {}", event.epoch, state.epoch),
    )?;
    let may_follow_end = claims || matches!(event.kind, EventKind::SignalTaken(_));
    need(state.ended.is_none() || may_follow_end, "the run is over")
}

fn dispatch(state: &mut RunState, event: &Event) -> Problem {
    match &event.kind {
        EventKind::RunAccepted(_) => Err("a run is accepted once".into()),
        EventKind::RunClaimed(claimed) => run::claimed(state, event.epoch, claimed),
        EventKind::SignalTaken(taken) => run::signal_taken(state, event.seq, taken),
        EventKind::RunStopping(stopping) => {
            run::stopping(state, stopping);
            Ok(())
        }
        EventKind::RunEnded(ended) => run::ended(state, ended),
        EventKind::ModelRequested(requested) => turn::requested(state, requested),
        EventKind::ModelResponded(responded) => turn::responded(state, event.seq, responded),
        EventKind::ModelFailed(failed) => turn::failed(state, failed),
        EventKind::DeclarationAccepted(accepted) => turn::declared(state, event, accepted),
        EventKind::ResponseRefused(refused) => turn::refused(state, event.seq, refused),
        EventKind::HistoryCompacted(compacted) => turn::compacted(state, event.seq, compacted),
        EventKind::HookAnswered(answered) => turn::hook_answered(state, event, answered),
        EventKind::ActionStarted(started) => action::started(state, started),
        EventKind::ActionNoted(noted) => action::noted(state, noted),
        EventKind::AttemptEnded(ended) => action::attempt_ended(state, ended),
        EventKind::ActionEnded(ended) => action::ended(state, event.seq, ended),
        EventKind::WaitOpened(opened) => wait::opened(state, opened),
        EventKind::WaitSettled(settled) => wait::settled(state, settled),
    }
}

/// Claims in a row without progress. What a worker merely begins, or loses again, is none.
fn count_claims(state: &mut RunState, kind: &EventKind) {
    match kind {
        EventKind::RunClaimed(_) => state.claims += 1,
        EventKind::ActionStarted(_) | EventKind::ModelRequested(_) => {}
        EventKind::AttemptEnded(ended) if matches!(ended.outcome, Outcome::Lost { .. }) => {}
        EventKind::ModelFailed(failed) if failed.fault.code == "lost" => {}
        _ => state.claims = 0,
    }
}

/// What the transcript begins with, before the run's own input.
fn opening(agent: &Agent, history: Vec<Arc<Message>>) -> impl Iterator<Item = (Seq, Arc<Message>)> {
    let before = agent.spec.instructions.clone().into_iter().chain(history);
    before.map(|message| (Seq(0), message))
}
