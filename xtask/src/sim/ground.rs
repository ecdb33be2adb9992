//! What really happened outside: effects, counted, and processes that outlive their worker.

use std::collections::{BTreeMap, BTreeSet};

use provost_engine::event::{EventKind, Phase};
use provost_engine::{ActionId, Epoch, Event, RunId};

use super::Violation;

/// One attempt of an action.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Attempt {
    pub(super) run: RunId,
    pub(super) action: ActionId,
    pub(super) attempt: u32,
    pub(super) phase: Phase,
}

/// The ground truth.
#[derive(Debug, Default)]
pub(super) struct Ground {
    executed: BTreeMap<Attempt, u32>,
    gone: BTreeSet<(Attempt, Epoch)>,
    /// Processes whose worker is dead, with its epoch. Their effect may still happen.
    pub(super) orphans: Vec<(Attempt, Epoch)>,
}

impl Ground {
    /// The effect of an attempt happens, unless its process is proved to be gone.
    pub(super) fn perform(
        &mut self,
        attempt: &Attempt,
        epoch: Epoch,
        journal: &[Event],
    ) -> Result<(), Violation> {
        if self.gone.contains(&(attempt.clone(), epoch)) {
            return Ok(());
        }
        let is_start = |event: &&Event| match &event.kind {
            EventKind::ActionStarted(started) => {
                started.action == attempt.action
                    && started.attempt == attempt.attempt
                    && started.phase == attempt.phase
                    && event.epoch == epoch
            }
            _ => false,
        };
        if journal.iter().rev().find(is_start).is_none() {
            return Err(Violation::new(&attempt.run, format!("an effect before its event: {attempt:?}")));
        }
        let times = self.executed.entry(attempt.clone()).or_default();
        *times += 1;
        if *times > 1 {
            return Err(Violation::new(&attempt.run, format!("one attempt was executed twice: {attempt:?}")));
        }
        Ok(())
    }

    /// From now on it is certain that nothing of an attempt runs any more.
    pub(super) fn prove_gone(&mut self, attempt: &Attempt, before: Epoch) {
        self.orphans.retain(|(orphan, _)| orphan != attempt);
        self.gone.extend((0..before.0).map(|epoch| (attempt.clone(), Epoch(epoch))));
    }

    /// Returns whether the effect of an attempt happened.
    pub(super) fn happened(&self, attempt: &Attempt) -> bool {
        self.executed.contains_key(attempt)
    }

    /// Returns how often the world saw something of an action in a phase.
    pub(super) fn seen(&self, run: &RunId, action: ActionId, phase: Phase) -> u32 {
        let own = self
            .executed
            .iter()
            .filter(|(attempt, _)| attempt.run == *run && attempt.action == action && attempt.phase == phase);
        own.map(|(_, times)| times).sum()
    }
}
