//! Which open actions need a look. Indexes of the actions: functions of the events, so that a step costs what changed
//! and not what is open.

use std::collections::{BTreeMap, BTreeSet};

use provost_contract::action::OnFailure;

use super::{Action, RunState, Stage};
use crate::ActionId;
use crate::event::{ActionEnd, ActionSpec, EventKind};

/// What is known of the actions of a run without looking at each of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    /// The open actions without those that only wait for a dependency to end.
    awake: BTreeSet<ActionId>,
    /// The actions whose open attempt is a task of an executor.
    tasks: BTreeSet<ActionId>,
    /// What depends on each action.
    dependents: BTreeMap<ActionId, Vec<ActionId>>,
    /// Failed actions that end what has not begun in their declaration.
    aborting: BTreeSet<ActionId>,
}

impl RunState {
    /// Returns the open actions for which something may follow, in order. In a run that stops, or where an action
    /// aborts others, that is all of them.
    pub(crate) fn lively(&self) -> impl Iterator<Item = (ActionId, &Action)> {
        let all = self.is_stopping() || !self.index.aborting.is_empty();
        let ids = if all { &self.open } else { &self.index.awake };
        ids.iter().filter_map(|id| Some((*id, self.action(*id)?)))
    }

    /// Returns the actions whose open attempt is a task of an executor, in order.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = (ActionId, &Action)> {
        self.index.tasks.iter().filter_map(|id| Some((*id, self.action(*id)?)))
    }

    /// Returns how many executor tasks are open: attempts without a wait.
    pub fn running_tasks(&self) -> u32 {
        u32::try_from(self.index.tasks.len()).unwrap_or(u32::MAX)
    }

    /// Returns whether a failed action of a declaration aborts what has not begun of it.
    pub(crate) fn is_aborting(&self, declaration: u32) -> bool {
        let (first, last) = (ActionId { declaration, index: 0 }, ActionId { declaration, index: u32::MAX });
        self.index.aborting.range(first..=last).next().is_some()
    }

    /// Brings the indexes up to date after an event.
    pub(super) fn reindex(&mut self, kind: &EventKind) {
        match kind {
            EventKind::DeclarationAccepted(accepted) => {
                accepted.add.iter().for_each(|spec| self.index.declare(spec));
                let only_adds =
                    accepted.cancel.is_empty() && accepted.replace.is_empty() && accepted.decide.is_empty();
                if only_adds && !accepted.origin.is_response() {
                    accepted.add.iter().for_each(|spec| self.look_at(spec.id));
                } else {
                    self.look_at_all();
                }
            }
            EventKind::ActionStarted(started) => self.look_at(started.action),
            EventKind::AttemptEnded(ended) => self.look_at(ended.action),
            EventKind::ActionEnded(ended) => self.look_behind(ended.action),
            EventKind::WaitOpened(opened) => opened.actions.iter().for_each(|id| self.look_at(*id)),
            EventKind::WaitSettled(_) | EventKind::SignalTaken(_) => self.look_at_all(),
            EventKind::RunAccepted(_)
            | EventKind::RunClaimed(_)
            | EventKind::RunStopping(_)
            | EventKind::RunEnded(_)
            | EventKind::ModelRequested(_)
            | EventKind::ModelResponded(_)
            | EventKind::ModelFailed(_)
            | EventKind::ResponseRefused(_)
            | EventKind::HistoryCompacted(_)
            | EventKind::HookAnswered(_)
            | EventKind::ActionNoted(_) => {}
        }
    }

    /// An action ended: it is judged anew, and so is what depends on it.
    fn look_behind(&mut self, id: ActionId) {
        self.look_at(id);
        let dependents = self.index.dependents.get(&id).cloned().unwrap_or_default();
        dependents.into_iter().for_each(|dependent| self.look_at(dependent));
    }

    fn look_at_all(&mut self) {
        let known: BTreeSet<ActionId> = self.open.iter().chain(&self.index.aborting).copied().collect();
        let gone: Vec<ActionId> = self.index.awake.difference(&self.open).copied().collect();
        known.into_iter().chain(gone).for_each(|id| self.look_at(id));
    }

    fn look_at(&mut self, id: ActionId) {
        let Some(action) = self.actions.get(&id) else { return };
        let is_task = action.stage == Stage::Running && action.wait.is_none() && !action.is_container();
        let aborts = action.spec.on_failure.on_failure == OnFailure::Abort
            && action.end.as_ref().is_some_and(|end| end.status == ActionEnd::Failed);
        let is_awake = !action.is_ended() && !self.only_waits_for_others(action);
        keep(&mut self.index.tasks, id, is_task);
        keep(&mut self.index.aborting, id, aborts);
        keep(&mut self.index.awake, id, is_awake);
    }

    /// Whether nothing follows for an action until one of its dependencies ends: some have not, and the others
    /// completed.
    fn only_waits_for_others(&self, action: &Action) -> bool {
        let rests = action.stage == Stage::Pending
            && !action.holds
            && !action.cancel
            && action.wait.is_none()
            && action.answered.is_none();
        if !rests {
            return false;
        }
        let mut open = false;
        for id in &action.spec.depends_on {
            match self.action(*id).map(|dependency| &dependency.end) {
                Some(None) => open = true,
                Some(Some(end)) if end.status == ActionEnd::Completed && end.satisfying => {}
                Some(Some(_)) | None => return false,
            }
        }
        open
    }
}

impl Index {
    fn declare(&mut self, spec: &ActionSpec) {
        for dependency in &spec.depends_on {
            self.dependents.entry(*dependency).or_default().push(spec.id);
        }
    }
}

fn keep(ids: &mut BTreeSet<ActionId>, id: ActionId, holds: bool) {
    if holds {
        ids.insert(id);
    } else {
        ids.remove(&id);
    }
}
