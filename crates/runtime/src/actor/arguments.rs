//! The raw arguments of open actions: in memory, and sealed in the store while an action waits.

use std::collections::HashMap;

use provost_contract::json::Object;
use provost_engine::event::{Event, EventKind, Origin};
use provost_engine::{ActionId, Args, hash_of};

/// The raw arguments that this process knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    known: HashMap<ActionId, Object>,
    /// Those of a response that was not declared yet.
    undeclared: Vec<Object>,
}

impl Arguments {
    /// A response came; its declaration follows, in this commit or after a hook.
    pub(super) fn responded(&mut self, raw: Vec<Object>) {
        self.undeclared = raw;
    }

    /// Takes in what was committed: declared actions get their arguments, ended ones give them up.
    pub(super) fn committed(&mut self, events: &[Event]) {
        for event in events {
            match &event.kind {
                EventKind::DeclarationAccepted(accepted)
                    if matches!(accepted.origin, Origin::ToolCall | Origin::Declaration) =>
                {
                    let raw = std::mem::take(&mut self.undeclared);
                    let hidden = accepted.add.iter().zip(raw).filter(|(spec, _)| spec.args.hides);
                    self.known.extend(hidden.map(|(spec, raw)| (spec.id, raw)));
                }
                EventKind::ResponseRefused(_) => self.undeclared.clear(),
                EventKind::ActionEnded(ended) => {
                    self.known.remove(&ended.action);
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
