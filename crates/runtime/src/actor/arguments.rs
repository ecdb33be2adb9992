//! The raw arguments of open actions: in memory, and sealed in the store while an action waits.

use std::collections::{HashMap, HashSet};

use provost_contract::json::Object;
use provost_engine::event::{
    DeclarationAccepted, Event, EventKind, HookAnswer, HookAnswered, Origin, Subject,
};
use provost_engine::{ActionId, Args, RunState, hash_of};

/// The raw arguments that this process knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    known: HashMap<ActionId, Object>,
    /// Those of a response that was not declared yet.
    undeclared: Vec<Object>,
    /// Those that references got their values in, of a fan-out those of each entry, until they are recorded.
    resolved: HashMap<ActionId, Vec<Object>>,
    /// The open actions whose arguments have secrets.
    hidden: HashSet<ActionId>,
}

impl Arguments {
    /// What is known of a run that was read: which of its arguments have secrets.
    pub(super) fn of_run(state: &RunState) -> Self {
        let hidden = state.open_actions().filter(|(_, action)| action.args.hides).map(|(id, _)| id);
        Self { hidden: hidden.collect(), ..Self::default() }
    }

    /// Takes the arguments of a declaration that was handed in with the run.
    pub(super) fn handed_in(&mut self, state: &RunState, raw: Vec<Object>) {
        for ((id, action), raw) in state.open_actions().zip(raw) {
            if action.args.hides {
                self.known.insert(id, raw);
            }
        }
    }

    /// Returns whether the arguments of an action have secrets.
    pub(super) fn hides(&self, id: ActionId) -> bool {
        self.hidden.contains(&id)
    }

    /// A response came; its declaration follows, in this commit or after a hook.
    pub(super) fn responded(&mut self, raw: Vec<Object>) {
        self.undeclared = raw;
    }

    /// The references of an action have values; their record follows.
    pub(super) fn resolved(&mut self, id: ActionId, raw: Vec<Object>) {
        self.resolved.insert(id, raw);
    }

    /// Gives the actions that a batch declares or resolves their arguments, before the batch is committed: a wait
    /// that opens in the same commit needs them.
    pub(super) fn declared(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::DeclarationAccepted(accepted) => self.declaration(accepted),
                EventKind::HookAnswered(answered) => self.resolution(answered),
                _ => {}
            }
        }
    }

    fn declaration(&mut self, accepted: &DeclarationAccepted) {
        let raw: &[Object] = match accepted.origin {
            Origin::ToolCall | Origin::Declaration => &self.undeclared,
            Origin::Pipeline { action } => self.resolved.get(&action).map_or(&[], Vec::as_slice),
            _ => return,
        };
        let hidden = accepted.add.iter().zip(raw).filter(|(spec, _)| spec.args.hides);
        let hidden: Vec<(ActionId, Object)> = hidden.map(|(spec, raw)| (spec.id, raw.clone())).collect();
        self.hidden.extend(hidden.iter().map(|(id, _)| *id));
        self.known.extend(hidden);
    }

    fn resolution(&mut self, answered: &HookAnswered) {
        let (HookAnswer::Resolved { args, items }, Subject::Action { action }) =
            (&answered.answer, answered.subject)
        else {
            return;
        };
        if items.is_empty() && args.hides {
            let raw = self.resolved.remove(&action).and_then(|raw| raw.into_iter().next());
            self.hidden.insert(action);
            self.known.extend(raw.map(|raw| (action, raw)));
        }
    }

    /// Takes in what was committed: declared actions get their arguments, ended ones give them up.
    pub(super) fn committed(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::DeclarationAccepted(accepted) => match accepted.origin {
                    Origin::ToolCall | Origin::Declaration => self.undeclared.clear(),
                    Origin::Pipeline { action } => drop(self.resolved.remove(&action)),
                    _ => {}
                },
                EventKind::ResponseRefused(_) => self.undeclared.clear(),
                EventKind::ActionEnded(ended) => {
                    self.known.remove(&ended.action);
                    self.resolved.remove(&ended.action);
                    self.hidden.remove(&ended.action);
                }
                _ => {}
            }
        }
    }

    /// Returns the raw arguments of an action: what hides nothing is in the record.
    pub(super) fn of(&self, id: ActionId, args: &Args) -> Option<Object> {
        if !args.hides {
            return Some(args.redacted.clone());
        }
        self.known.get(&id).filter(|raw| hash_of(raw) == args.raw).cloned()
    }
}
