//! The consequence of an ending for dependents, and how it is reverted.

use provost_contract::action::{ActionStatus, OutcomeReason};

use super::checked_graph::{Edge, Wants};
use super::state::{Cell, Schedule};
use super::transition::Trigger;

/// How a dependency ended, as seen by one dependent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The dependent may start.
    Satisfied,
    /// It was skipped; the dependent may start if another dependency is satisfied.
    LeftOut,
    /// The dependent's condition does not hold.
    Unmet,
    /// The dependent must not start.
    Unsatisfied,
}

pub(super) fn verdict(cell: &Cell, wants: Wants) -> Verdict {
    match (wants, cell.status) {
        (Wants::Ending(wanted), ended) if wanted == ended => Verdict::Satisfied,
        (Wants::Ending(_) | Wants::Impossible, _) => Verdict::Unmet,
        (Wants::Success, ActionStatus::Completed) => Verdict::Satisfied,
        (Wants::Success, ActionStatus::Canceled) if is_left_out(cell) => Verdict::LeftOut,
        (Wants::Success, _) if cell.passed_over => Verdict::Satisfied,
        (Wants::Success, _) => Verdict::Unsatisfied,
    }
}

fn is_left_out(cell: &Cell) -> bool {
    matches!(cell.reason, Some(OutcomeReason::ConditionNotMet | OutcomeReason::Skipped))
}

impl Cell {
    /// Returns whether a dependent with this requirement must not start.
    pub(super) fn blocks(&self, wants: Wants) -> bool {
        self.status.is_end() && verdict(self, wants) == Verdict::Unsatisfied
    }
}

impl Schedule {
    /// Notifies dependents until none is left. A stop takes precedence.
    pub(super) fn settle(&mut self) {
        if let Some(stop) = self.stop.filter(|_| std::mem::take(&mut self.stop_is_new)) {
            self.end_what_never_began(stop);
        }
        let mut next = 0;
        while let Some(at) = self.untold.get(next).copied() {
            next += 1;
            let graph = std::sync::Arc::clone(&self.graph);
            for edge in graph.edges_of(at) {
                self.tell(at, *edge);
            }
        }
        self.untold.clear();
    }

    fn tell(&mut self, dependency: usize, edge: Edge) {
        let Some(verdict) = self.cells.get(dependency).map(|cell| verdict(cell, edge.wants)) else { return };
        let Some(cell) = self.cells.get_mut(edge.dependent) else { return };
        cell.open -= 1;
        count(cell, verdict, 1);
        self.judge_start(edge.dependent);
    }

    /// Decides about an action that has not started: it may start, it cannot, or it still waits.
    pub(super) fn judge_start(&mut self, at: usize) {
        let Some(cell) = self.cells.get(at).filter(|cell| waits(cell)) else { return };
        let Some(node) = self.graph.nodes.get(at) else { return };
        let all_left_out = cell.satisfied == 0 && !node.waits_for.is_empty();
        let (trigger, reason) = match (cell.unsatisfied, cell.open, cell.unmet > 0 || all_left_out) {
            (1.., _, _) => (Trigger::DependencyFailed, OutcomeReason::DependencyNotCompleted),
            (0, 1.., _) => return,
            (0, 0, true) => (Trigger::ConditionUnmet, OutcomeReason::ConditionNotMet),
            (0, 0, false) => {
                if self.stop.is_none() {
                    self.contention.wait(&self.graph.uses, at, &mut self.startable);
                }
                return;
            }
        };
        self.shift(at, trigger, Some(reason));
        self.untold.push(at);
    }
}

/// Returns whether it has neither started nor ended.
pub(super) fn waits(cell: &Cell) -> bool {
    cell.status == ActionStatus::Pending && cell.attempts == 0
}

pub(super) fn count(cell: &mut Cell, verdict: Verdict, by: i32) {
    let counter = match verdict {
        Verdict::Satisfied => &mut cell.satisfied,
        Verdict::Unmet => &mut cell.unmet,
        Verdict::Unsatisfied => &mut cell.unsatisfied,
        Verdict::LeftOut => return,
    };
    *counter = counter.saturating_add_signed(by);
}
