//! What must hold in every journal and in the rows beside it, however often workers died.

use std::collections::{BTreeMap, BTreeSet};

use provost_engine::event::{Event, EventKind, HookAnswer, Signal};
use provost_engine::{Digest, Effect, EffectId, Now, RunId, RunState, Seq, SignalId, due};
use provost_runtime::actor::LoadedRun;
use provost_runtime::store::{EntrySource, RunRow, SessionFilter, WaitFilter, WaitState};

use super::agents::Known;
use super::world::World;
use crate::Failure;

/// Reads a journal and verifies its chain.
pub(super) async fn read(world: &World, row: &RunRow) -> Result<Vec<Event>, Failure> {
    let records = world.store.journal(row.run.clone(), Seq(0), 100_000).await?;
    provost_engine::verify(&row.run, (Seq(0), Digest::ZERO), &records)?;
    records.iter().map(|record| Ok(Event::from_record(record)?)).collect()
}

/// Says what contradicts itself in a run.
pub(super) async fn problems(world: &World, row: &RunRow, events: &[Event]) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let agents = Known::of(&world.scenario)?;
    // The fold of the actor reads the session too.
    if let Err(error) = LoadedRun::load(&*world.store, &*agents, &row.run).await {
        found.push(format!("the run cannot be loaded: {error}"));
        return Ok(found);
    }
    found.extend(epochs(events));
    found.extend(attempts(events));
    found.extend(signals(world, row, events).await?);
    found.extend(waits(world, row, events).await?);
    found.extend(recovery(world, events)?);
    Ok(found.into_iter().map(|problem| format!("{}: {problem}", row.run)).collect())
}

/// Epochs never decrease, and each begins with a claim.
fn epochs(events: &[Event]) -> Option<String> {
    let wrong = events.windows(2).find(|pair| match pair {
        [before, after] => {
            let claims = matches!(after.kind, EventKind::RunClaimed(_));
            after.epoch < before.epoch || (after.epoch > before.epoch) != claims
        }
        _ => false,
    })?;
    Some(format!("the epochs are out of order at {:?}", wrong.last().map(|event| event.seq)))
}

/// Each attempt that began has exactly one end, and each action ends once.
fn attempts(events: &[Event]) -> Vec<String> {
    let (mut open, mut ended, mut found) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for event in events {
        match &event.kind {
            EventKind::ActionStarted(started) if !open.insert((started.action, started.attempt)) => {
                found.push(format!("{} began twice", started.action));
            }
            EventKind::AttemptEnded(attempt) if !open.remove(&(attempt.action, attempt.attempt)) => {
                found.push(format!("an attempt of {} ended and had not begun", attempt.action));
            }
            EventKind::ActionEnded(action) => {
                if action.attempt.is_some_and(|attempt| !open.remove(&(action.action, attempt))) {
                    found.push(format!("{} ended an attempt that had not begun", action.action));
                }
                if !ended.insert(action.action) {
                    found.push(format!("{} ended twice", action.action));
                }
            }
            EventKind::DeclarationAccepted(accepted) => {
                accepted.decide.iter().for_each(|(action, _)| {
                    ended.remove(action);
                });
            }
            _ => {}
        }
    }
    found.extend(open.into_iter().map(|(action, attempt)| format!("{action}#{attempt} never ended")));
    found
}

/// Every signal is named by exactly one event, in the order of the queue.
async fn signals(world: &World, row: &RunRow, events: &[Event]) -> Result<Option<String>, Failure> {
    let named: Vec<SignalId> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::SignalTaken(taken) => Some(taken.signal),
            EventKind::WaitSettled(settled) => settled.signal,
            _ => None,
        })
        .collect();
    let queue = world.store.signals(row.run.clone(), SignalId(0), 10_000).await?;
    let posted: Vec<SignalId> = queue.iter().map(|signal| signal.id).collect();
    let agrees = named == posted && row.inbox == row.taken;
    Ok((!agrees).then(|| format!("signals {posted:?} were posted, events name {named:?}")))
}

/// Wait rows and events agree, and none is open when the run is over.
async fn waits(world: &World, row: &RunRow, events: &[Event]) -> Result<Vec<String>, Failure> {
    let (mut opened, mut settled) = (BTreeSet::new(), BTreeMap::new());
    let mut found = Vec::new();
    for event in events {
        match &event.kind {
            EventKind::WaitOpened(wait) if !opened.insert(wait.wait.clone()) => {
                found.push(format!("wait {} was opened twice", wait.wait));
            }
            EventKind::WaitSettled(wait) => {
                let how: &'static str = wait.how.into();
                if settled.insert(wait.wait.clone(), how).is_some() {
                    found.push(format!("wait {} was settled twice", wait.wait));
                }
            }
            _ => {}
        }
    }
    let filter = WaitFilter { run: Some(row.run.clone()), state: WaitState::Any, ..WaitFilter::default() };
    let rows = world.store.waits(filter, None, 10_000).await?.items;
    let stored: BTreeSet<_> = rows.iter().map(|wait| wait.row.wait.clone()).collect();
    if stored != opened {
        found.push(format!("rows of waits {stored:?}, events open {opened:?}"));
    }
    for wait in rows {
        let how = wait.settled.as_ref().map(|settled| settled.how.as_str());
        if how != settled.get(&wait.row.wait).copied() {
            found.push(format!("wait {} is settled as {how:?} in its row", wait.row.wait));
        }
        if how.is_none() && row.ended.is_some() {
            found.push(format!("wait {} is open behind the end of its run", wait.row.wait));
        }
    }
    Ok(found)
}

/// What is due after a takeover is what was due before it, with the attempts of the dead as `Recover`.
fn recovery(world: &World, events: &[Event]) -> Result<Vec<String>, Failure> {
    let Some(EventKind::RunAccepted(accepted)) = events.first().map(|event| &event.kind) else {
        return Ok(vec!["it has no beginning".to_owned()]);
    };
    let agent = Known::of(&world.scenario)?.get(&accepted.spec.agent)?;
    let (mut state, mut found): (Option<RunState>, Vec<String>) = (None, Vec::new());
    for event in events {
        let Some(state) = &mut state else {
            state = Some(RunState::begin(agent.clone(), Vec::new(), event)?);
            continue;
        };
        let claims = matches!(event.kind, EventKind::RunClaimed(_));
        let takes_over = claims && state.claimed && state.ended.is_none();
        let now = Now { wall: event.at, ..Now::default() };
        let before = takes_over.then(|| due(state, &now));
        state.apply(event)?;
        if let Some(before) = before {
            let (before, after) = (orphaned(&before), orphaned(&due(state, &now)));
            if before != after {
                found.push(format!("before the claim {before:?} was due, after it {after:?}"));
            }
        }
    }
    Ok(found)
}

/// The identities of effects as the next worker must have them. Which hooks are wanted may follow from policy,
/// and the model is asked anew.
fn orphaned(effects: &[Effect]) -> Vec<EffectId> {
    let as_next = |effect: &Effect| match effect {
        Effect::Execute(execute) => Some(EffectId::Recover(execute.action, execute.attempt)),
        Effect::Stop { action, attempt } | Effect::Recover { action, attempt, .. } => {
            Some(EffectId::Recover(*action, *attempt))
        }
        Effect::Hook { .. } | Effect::Preview { .. } => Some(effect.id()),
        Effect::Model { .. } | Effect::WakeAt(_) => None,
    };
    effects.iter().filter_map(as_next).collect()
}

/// A session's entries are exactly the session lines of its runs' journals, run after run.
pub(super) async fn session_problems(
    world: &World,
    journals: &BTreeMap<RunId, Vec<Event>>,
) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for session in world.store.sessions(SessionFilter::default(), None, 100).await?.items {
        let id = session.about.session.clone();
        if let Some(active) = session.active_run {
            found.push(format!("session {id} is held by {active} when everything is over"));
        }
        let mut said: Vec<(RunId, Vec<Seq>)> = Vec::new();
        for entry in world.store.session_entries(id.clone(), 0, 100_000).await? {
            let EntrySource::Event { run, seq } = entry.source else { continue };
            match said.last_mut() {
                Some((last, seqs)) if *last == run => seqs.push(seq),
                Some(_) | None => said.push((run, vec![seq])),
            }
        }
        let runs: BTreeSet<_> = said.iter().map(|(run, _)| run).collect();
        if runs.len() != said.len() {
            found.push(format!("the runs of session {id} are interleaved"));
        }
        for (run, seqs) in &said {
            let lines = journals.get(run).map(|events| lines(events)).unwrap_or_default();
            if lines != *seqs {
                found.push(format!("session {id} has {seqs:?} of {run}, its journal {lines:?}"));
            }
        }
    }
    Ok(found)
}

/// The events of a run that belong to its session.
fn lines(events: &[Event]) -> Vec<Seq> {
    let is_line = |event: &&Event| match &event.kind {
        EventKind::RunAccepted(accepted) => !accepted.spec.input.is_empty(),
        EventKind::ModelResponded(_)
        | EventKind::HistoryCompacted(_)
        | EventKind::ActionEnded(_)
        | EventKind::ResponseRefused(_) => true,
        EventKind::SignalTaken(taken) => {
            matches!(taken.body, Signal::Message { .. }) && taken.ignored.is_none()
        }
        EventKind::HookAnswered(answered) => matches!(answered.answer, HookAnswer::Message { .. }),
        _ => false,
    };
    events.iter().filter(is_line).map(|event| event.seq).collect()
}
