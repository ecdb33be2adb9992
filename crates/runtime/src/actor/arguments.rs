//! The raw arguments of open actions: in memory, and sealed in the store while an action waits.

use std::collections::{HashMap, HashSet};

use provost_contract::json::Object;
use provost_engine::event::{Event, EventKind, Origin};
use provost_engine::{ActionId, Args, RunState, hash_of};

/// The raw arguments that this process knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    known: HashMap<ActionId, Object>,
    /// Those of a response that was not declared yet.
    undeclared: Vec<Object>,
    /// The open actions whose arguments have secrets.
    hidden: HashSet<ActionId>,
}

impl Arguments {
    /// What is known of a run that was read: which of its arguments have secrets.
    pub(super) fn of_run(state: &RunState) -> Self {
        let hidden = state.open_actions().filter(|(_, action)| action.args.hides).map(|(id, _)| id);
        Self { hidden: hidden.collect(), ..Self::default() }
    }

    /// Returns whether the arguments of an action have secrets.
    pub(super) fn hides(&self, id: ActionId) -> bool {
        self.hidden.contains(&id)
    }

    /// A response came; its declaration follows, in this commit or after a hook.
    pub(super) fn responded(&mut self, raw: Vec<Object>) {
        self.undeclared = raw;
    }

    /// Gives the actions that a batch declares their arguments, before the batch is committed: a wait that opens in
    /// the same commit needs them.
    pub(super) fn declared(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::DeclarationAccepted(accepted)
                    if matches!(accepted.origin, Origin::ToolCall | Origin::Declaration) =>
                {
                    let hidden =
                        accepted.add.iter().zip(&self.undeclared).filter(|(spec, _)| spec.args.hides);
                    for (spec, raw) in hidden {
                        self.hidden.insert(spec.id);
                        self.known.insert(spec.id, raw.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes in what was committed: declared actions get their arguments, ended ones give them up.
    pub(super) fn committed(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::DeclarationAccepted(accepted)
                    if matches!(accepted.origin, Origin::ToolCall | Origin::Declaration) =>
                {
                    self.undeclared.clear();
                }
                EventKind::ResponseRefused(_) => self.undeclared.clear(),
                EventKind::ActionEnded(ended) => {
                    self.known.remove(&ended.action);
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
