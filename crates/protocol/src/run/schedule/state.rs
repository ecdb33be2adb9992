//! The state of a run of a graph.

use std::collections::BTreeSet;
use std::sync::Arc;

use provost_contract::action::{ActionId, ActionStatus, OutcomeReason};

use super::checked_graph::{CheckedGraph, Wants, count};
use super::contention::Contention;
use super::ready::Limits;
use super::transition::{Trigger, follow};

/// Why nothing new starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// An action failed and its policy is abort, or a decision was abort.
    Aborted,
    /// The owner of the run canceled it.
    Canceled,
}

impl Stop {
    /// Returns the reason code for an action that it ended.
    pub(super) fn reason(self) -> OutcomeReason {
        match self {
            Self::Aborted => OutcomeReason::Aborted,
            Self::Canceled => OutcomeReason::CanceledByUser,
        }
    }
}

/// The state of one action.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) status: ActionStatus,
    pub(super) reason: Option<OutcomeReason>,
    /// Dependencies that have not ended.
    pub(super) open: u32,
    /// Satisfied dependencies.
    pub(super) satisfied: u32,
    /// Dependencies that prevent the start.
    pub(super) unsatisfied: u32,
    /// Conditions that do not hold.
    pub(super) unmet: u32,
    /// Attempts started.
    pub(super) attempts: u32,
    /// Attempts of this round that failed.
    pub(super) failures: u32,
    /// How often its process died.
    pub(super) interruptions: u32,
    /// Rounds completed.
    pub(super) rounds: u32,
    /// Whether it occupies a slot.
    pub(super) has_place: bool,
    /// Whether it holds its resources.
    pub(super) has_resources: bool,
    /// It failed or is blocked, but its dependents continue.
    pub(super) passed_over: bool,
}

impl Cell {
    /// Returns whether a decision is possible: it failed or is blocked by itself, and prevents others.
    pub(super) fn needs_decision(&self) -> bool {
        let badly = matches!(self.status, ActionStatus::Failed | ActionStatus::Blocked);
        badly && self.reason != Some(OutcomeReason::DependencyNotCompleted) && !self.passed_over
    }
}

/// The state of a run: a fold over events that returns what to start.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub(super) graph: Arc<CheckedGraph>,
    pub(super) limits: Limits,
    pub(super) cells: Vec<Cell>,
    /// May start as soon as a slot is free.
    pub(super) startable: BTreeSet<usize>,
    /// Still have their slot: the next attempt or round is due.
    pub(super) again: BTreeSet<usize>,
    pub(super) places: usize,
    pub(super) contention: Contention,
    pub(super) stop: Option<Stop>,
    /// A stop was applied, but actions that never started have not been ended yet.
    pub(super) stop_is_new: bool,
    /// Ended, but their dependents have not been notified.
    pub(super) untold: Vec<usize>,
    /// The number of actions by status, in the order of [`ActionStatus`].
    counts: [usize; 7],
}

impl Schedule {
    /// Creates a run that has not started.
    pub fn new(graph: Arc<CheckedGraph>, limits: Limits) -> Self {
        let cells: Vec<Cell> = graph
            .nodes
            .iter()
            .map(|node| Cell {
                status: ActionStatus::Pending,
                reason: None,
                open: count(node.waits_for.len()),
                satisfied: node.satisfied_before,
                unsatisfied: 0,
                unmet: node.unmet_before,
                attempts: 0,
                failures: 0,
                interruptions: 0,
                rounds: 0,
                has_place: false,
                has_resources: false,
                passed_over: false,
            })
            .collect();
        let contention = Contention::new(&graph.uses);
        let mut counts = [0; 7];
        if let Some(pending) = counts.first_mut() {
            *pending = cells.len();
        }
        let mut schedule = Self {
            graph,
            limits,
            cells,
            startable: BTreeSet::new(),
            again: BTreeSet::new(),
            places: 0,
            contention,
            stop: None,
            stop_is_new: false,
            untold: Vec::new(),
            counts,
        };
        for at in 0..schedule.cells.len() {
            schedule.judge_start(at);
        }
        schedule.settle();
        schedule
    }

    /// Returns the graph.
    pub fn graph(&self) -> &CheckedGraph {
        &self.graph
    }

    /// Returns the status of an action.
    pub fn status(&self, at: usize) -> Option<ActionStatus> {
        self.cells.get(at).map(|cell| cell.status)
    }

    /// Returns why an action was blocked or canceled.
    pub fn reason(&self, at: usize) -> Option<OutcomeReason> {
        self.cells.get(at)?.reason
    }

    /// Returns the first dependency that prevents an action from starting.
    pub fn blocked_by(&self, at: usize) -> Option<&ActionId> {
        let dependencies = &self.graph.nodes.get(at)?.waits_for;
        let blocks =
            |(at, wants): &&(usize, Wants)| self.cells.get(*at).is_some_and(|cell| cell.blocks(*wants));
        self.graph.id(dependencies.iter().find(blocks)?.0)
    }

    /// Returns every action with its status, in declaration order.
    pub fn statuses(&self) -> impl Iterator<Item = (&ActionId, ActionStatus)> {
        self.graph.nodes.iter().zip(&self.cells).map(|(node, cell)| (&node.id, cell.status))
    }

    /// Returns the number of actions with a status.
    pub fn count(&self, status: ActionStatus) -> usize {
        self.counts.get(status as usize).copied().unwrap_or_default()
    }

    /// Returns whether every action has ended.
    pub fn is_over(&self) -> bool {
        self.count(ActionStatus::Pending)
            + self.count(ActionStatus::Running)
            + self.count(ActionStatus::Waiting)
            == 0
    }

    /// Returns the actions that failed or are blocked by themselves and are undecided.
    pub fn undecided(&self) -> impl Iterator<Item = usize> + '_ {
        let open = self.cells.iter().enumerate().filter(|(_, cell)| cell.needs_decision());
        open.map(|(at, _)| at)
    }

    /// Applies the transition table; returns false, and changes nothing, if it has no such row.
    pub(super) fn shift(&mut self, at: usize, on: Trigger, reason: Option<OutcomeReason>) -> bool {
        let Some(cell) = self.cells.get_mut(at) else { return false };
        let Some(next) = follow(cell.status, on) else { return false };
        if let Some(count) = self.counts.get_mut(cell.status as usize) {
            *count -= 1;
        }
        if let Some(count) = self.counts.get_mut(next as usize) {
            *count += 1;
        }
        cell.status = next;
        cell.reason = reason;
        true
    }
}
