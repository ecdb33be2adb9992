//! Decisions of a model or a person about an action that failed or is blocked.

use std::collections::BTreeSet;
use std::sync::Arc;

use provost_contract::action::OutcomeReason;

use super::event::Illegal;
use super::settle::{count, verdict, waits};
use super::state::{Cell, Schedule, Stop};
use super::transition::Trigger;
use crate::Choice;

impl Schedule {
    pub(super) fn decided(&mut self, at: usize, choice: Choice) -> Result<(), Illegal> {
        let (cell, node) = self.entry(at)?;
        let id = node.id.to_string();
        if self.stop.is_some() {
            return Err(Illegal::Stopped { id });
        }
        if !cell.needs_decision() {
            let trigger = <&str>::from(choice);
            return Err(Illegal::Transition { id, status: cell.status.into(), trigger });
        }
        match choice {
            // Asking the user decides nothing yet.
            Choice::AskUser => {}
            Choice::Abort => self.stop_by(Stop::Aborted),
            Choice::Retry => {
                self.take_back(at);
                self.shift(at, Trigger::Reopen, None);
                self.forget_failures(at);
                self.contention.wait(&self.graph.uses, at, &mut self.startable);
            }
            Choice::Skip => {
                self.take_back(at);
                self.shift(at, Trigger::Skip, Some(OutcomeReason::Skipped));
                self.untold.push(at);
            }
            Choice::Continue => {
                self.take_back(at);
                if let Some(cell) = self.cells.get_mut(at) {
                    cell.passed_over = true;
                }
                self.untold.push(at);
            }
        }
        Ok(())
    }

    fn forget_failures(&mut self, at: usize) {
        if let Some(cell) = self.cells.get_mut(at) {
            cell.failures = 0;
            cell.interruptions = 0;
            cell.passed_over = false;
        }
    }

    /// Reverts the effect of an ending on its dependents, and reopens those that ended only
    /// because of it.
    fn take_back(&mut self, at: usize) {
        let graph = Arc::clone(&self.graph);
        // A set: two reopened dependencies may share a dependent, which is reverted once.
        let mut open = BTreeSet::from([at]);
        while let Some(dependency) = open.pop_first() {
            for edge in graph.edges_of(dependency) {
                let Some(told) = self.cells.get(dependency).map(|cell| verdict(cell, edge.wants)) else {
                    continue;
                };
                let Some(cell) = self.cells.get_mut(edge.dependent) else { continue };
                cell.open += 1;
                count(cell, told, -1);
                if waits(cell) {
                    self.contention.leave(&self.graph.uses, edge.dependent, &mut self.startable);
                } else if ended_by_dependency(cell) && cell.unsatisfied == 0 {
                    open.insert(edge.dependent);
                }
            }
            if dependency != at {
                self.shift(dependency, Trigger::Reopen, None);
            }
        }
    }
}

fn ended_by_dependency(cell: &Cell) -> bool {
    let reason = cell.reason;
    cell.status.is_end()
        && cell.attempts == 0
        && matches!(reason, Some(OutcomeReason::DependencyNotCompleted | OutcomeReason::ConditionNotMet))
}
