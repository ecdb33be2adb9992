//! What must hold of the fold, the store and the world.

use std::collections::BTreeSet;

use provost_engine::event::{ExecutorKind, HookAnswer, Phase, RunClaimed, Signal};
use provost_engine::{
    Actor as By, EffectId, Epoch, Event, EventKind, Input, RunId, RunState, Seq, WaitId, WorldEffect, due,
    react,
};
use provost_runtime::store::{EntrySource, RunFilter, SessionFilter, WaitFilter, WaitState};

use super::Ended;
use crate::sim::Violation;
use crate::sim::actor::Actor;
use crate::sim::dice::chance;
use crate::sim::world::World;

impl World {
    /// Compares what an actor holds with what is stored.
    pub(in crate::sim) fn look_at(&mut self, actor: &Actor) -> Result<(), Violation> {
        let run = &actor.run;
        if chance(&mut self.rng, 20) {
            let filter =
                WaitFilter { run: Some(run.clone()), state: WaitState::Unsettled, ..WaitFilter::default() };
            let rows: BTreeSet<WaitId> = self
                .tables
                .list_waits(&filter, None, 1_000)
                .items
                .into_iter()
                .map(|wait| wait.row.wait)
                .collect();
            let open: BTreeSet<WaitId> =
                actor.state.waits.keys().map(|number| actor.state.wait_id(*number)).collect();
            if rows != open {
                return Err(Violation::new(run, format!("waits are {open:?}, the rows say {rows:?}")));
            }
        }
        if chance(&mut self.rng, 15) {
            let folded = self.fold(run, actor.strict)?;
            same(&actor.state, &folded)?;
            let now = self.now_of(run, actor.draining);
            if due(&folded, &now) != due(&actor.state, &now) {
                return Err(Violation::new(run, "the fold and the live state have other effects due"));
            }
            let (mut live, mut folded) = (actor.state.clone(), folded);
            let later = provost_engine::Now { wall: now.wall.plus_ms(5_000), ..now.clone() };
            let (one, other) =
                (react(&mut live, &later, vec![Input::Tick]), react(&mut folded, &later, vec![Input::Tick]));
            if one != other {
                return Err(Violation::new(run, "the fold and the live state react differently"));
            }
            // A worker that shuts down leaves hooks to the next one.
            let now = provost_engine::Now { draining: false, ..now };
            let rests = due(&actor.state, &now).is_empty() && actor.state.waits.is_empty();
            if rests && actor.state.ended.is_none() && !provost_engine::would_advance(&actor.state, &now) {
                return Err(Violation::new(run, "nothing will ever wake it"));
            }
        }
        Ok(())
    }

    /// Looks at a world in which everything has ended.
    pub(in crate::sim) fn finale(&mut self) -> Result<(), Violation> {
        if let Some(problem) = self.tables.verify_rows().first() {
            return Err(Violation::new(&problem.run, format!("{:?}", problem.problem)));
        }
        for listed in self.tables.list_runs(&RunFilter::default(), None, 10_000).items {
            let row = listed.row;
            let named = self.checker.runs.get(&row.run).map(|seen| seen.signal);
            if row.inbox != row.taken || named != Some(row.inbox) {
                return Err(Violation::new(&row.run, "it ended with signals in its queue"));
            }
            let records = self.tables.journal(&row.run, Seq(0), usize::MAX);
            provost_engine::verify(&row.run, (Seq(0), provost_engine::Digest::ZERO), &records)
                .map_err(|error| Violation::new(&row.run, error.to_string()))?;
            let state = self.fold(&row.run, self.strict)?;
            if !state.waits.is_empty() || state.ledger.reserved().next().is_some() || state.ended.is_none() {
                return Err(Violation::new(&row.run, "a wait or a reservation is left"));
            }
            self.honest(&row.run)?;
            self.erased(&row.run, &state, records)?;
        }
        let filter = WaitFilter { state: WaitState::Unsettled, ..WaitFilter::default() };
        if let Some(wait) = self.tables.list_waits(&filter, None, 1).items.first() {
            return Err(Violation::new(&wait.row.wait.run, "a wait is not settled"));
        }
        self.sessions_agree()
    }

    /// A journal without words folds to the same stages.
    fn erased(
        &self,
        run: &RunId,
        whole: &RunState,
        records: Vec<provost_engine::Record>,
    ) -> Result<(), Violation> {
        let fail = |problem: String| Violation::new(run, format!("without words: {problem}"));
        let erase = |mut record: provost_engine::Record| {
            record.words = None;
            Event::from_record(&record)
        };
        let events: Result<Vec<Event>, _> = records.into_iter().map(erase).collect();
        let events = events.map_err(|error| fail(error.to_string()))?;
        let state = RunState::fold(whole.agent.clone(), Vec::new(), &events)
            .map_err(|illegal| fail(illegal.to_string()))?;
        let stages = |state: &RunState| {
            let actions = state.actions.iter().map(|(id, action)| {
                let end = action.end.as_ref().map(|end| (end.status, end.reason.clone(), end.satisfying));
                (*id, action.stage, action.attempt, action.effect, end)
            });
            actions.collect::<Vec<_>>()
        };
        let facts = |state: &RunState| (state.ended, state.seq, state.unseen, state.policy, state.claims);
        if stages(&state) != stages(whole) || facts(&state) != facts(whole) || state.ledger != whole.ledger {
            let (here, there) = ((facts(&state), stages(&state)), (facts(whole), stages(whole)));
            return Err(fail(format!("{here:?} instead of {there:?}")));
        }
        Ok(())
    }

    /// What an action says of its effect is what the world saw.
    fn honest(&self, run: &RunId) -> Result<(), Violation> {
        let Some(seen) = self.checker.runs.get(run) else { return Ok(()) };
        for (id, action) in &seen.actions {
            let ran = self.ground.seen(run, *id, Phase::Run);
            let applied = self.ground.seen(run, *id, Phase::Apply);
            let Some(Ended { reason, .. }) = &action.end else {
                return Err(Violation::new(run, format!("{id} is open at the end of the world")));
            };
            if ran + applied > 0 && action.effect == WorldEffect::None {
                return Err(Violation::new(run, format!("{id} ({reason}) says that nothing happened")));
            }
            if ran + applied > action.attempts {
                return Err(Violation::new(run, format!("{id} has more effects than attempts")));
            }
            let tool = matches!(action.spec.executor.kind, ExecutorKind::Tool | ExecutorKind::Service);
            let waited = seen.spec.hooks.mediate;
            if tool && !waited && reason == "ok" && action.touches_world() && ran == 0 {
                return Err(Violation::new(run, format!("{id} says that it is done, and nothing happened")));
            }
        }
        Ok(())
    }

    /// The entries of a session are the session lines of its runs, run after run.
    fn sessions_agree(&self) -> Result<(), Violation> {
        for session in self.tables.list_sessions(&SessionFilter::default(), None, 100).items {
            let id = &session.about.session;
            let mut entries: Vec<(RunId, Seq)> = Vec::new();
            for entry in self.tables.session_entries(id, 0, usize::MAX) {
                if let EntrySource::Event { run, seq } = entry.source {
                    entries.push((run, seq));
                }
            }
            let mut order: Vec<RunId> = entries.iter().map(|(run, _)| run.clone()).collect();
            order.dedup();
            let lines = |run: &RunId| {
                let journal = self.journals.get(run).map(Vec::as_slice).unwrap_or_default();
                let run = run.clone();
                journal.iter().filter(|event| is_line(event)).map(move |event| (run.clone(), event.seq))
            };
            let expected: Vec<(RunId, Seq)> = order.iter().flat_map(lines).collect();
            if entries != expected {
                let problem = format!("session {id} is {entries:?}, the journals say {expected:?}");
                return Err(Violation::new(id, problem));
            }
        }
        Ok(())
    }
}

fn is_line(event: &Event) -> bool {
    match &event.kind {
        EventKind::RunAccepted(_)
        | EventKind::ModelResponded(_)
        | EventKind::HistoryCompacted(_)
        | EventKind::ActionEnded(_)
        | EventKind::ResponseRefused(_) => true,
        EventKind::SignalTaken(taken) => {
            taken.ignored.is_none() && matches!(taken.body, Signal::Message { .. })
        }
        EventKind::HookAnswered(answered) => matches!(answered.answer, HookAnswer::Message { .. }),
        _ => false,
    }
}

/// Two states are the same.
fn same(live: &RunState, folded: &RunState) -> Result<(), Violation> {
    if live == folded {
        return Ok(());
    }
    let (live_text, folded_text) = (format!("{live:?}"), format!("{folded:?}"));
    let at = live_text.bytes().zip(folded_text.bytes()).take_while(|(one, other)| one == other).count();
    let near = |text: &str| {
        text.get(at.saturating_sub(120)..).map(|rest| rest.chars().take(240).collect::<String>())
    };
    let problem =
        format!("the fold is not the live state: {:?} / {:?}", near(&live_text), near(&folded_text));
    Err(Violation::new(&live.spec.run, problem))
}

/// After a crash the same is due, with what was executed turned into a recovery.
pub(in crate::sim) fn after_crash(world: &World, actor: &Actor) -> Result<(), Violation> {
    let run = &actor.run;
    let durable = world.journals.get(run).map_or(Seq(0), |journal| Seq(journal.len() as u64));
    if actor.zombie || actor.state.seq != durable {
        return Ok(());
    }
    let mut folded = world.fold(run, actor.strict)?;
    same(&actor.state, &folded)?;
    let now = world.now_of(run, false);
    let claimed = RunClaimed {
        worker: actor.worker.clone(),
        compiled: folded.spec.compiled,
        policy: folded.policy,
        standing: folded.standing.values().cloned().collect(),
    };
    let event = Event {
        seq: folded.seq.plus(1),
        at: world.now,
        epoch: Epoch(folded.epoch.0 + 1),
        actor: By::runtime(),
        kind: claimed.into(),
        erased: false,
    };
    if folded.ended.is_some() {
        return Ok(());
    }
    folded.apply(&event).map_err(|illegal| Violation::new(run, illegal.to_string()))?;
    let recovered = |id: EffectId| match id {
        EffectId::Execute(action, attempt, _) | EffectId::Stop(action, attempt) => {
            EffectId::Recover(action, attempt)
        }
        id => id,
    };
    let before: Vec<EffectId> = due(&actor.state, &now).iter().map(|effect| recovered(effect.id())).collect();
    let after: Vec<EffectId> = due(&folded, &now).iter().map(provost_engine::Effect::id).collect();
    if before == after {
        return Ok(());
    }
    Err(Violation::new(run, format!("before the crash {before:?} was due, after it {after:?}")))
}
