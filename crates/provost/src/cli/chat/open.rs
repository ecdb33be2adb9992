//! What a run waits for a person to say.

use provost_contract::approval::PendingAction;
use provost_contract::json::{self, Object};
use serde_json::{Value, json};

use crate::cli::follow;
use crate::cli::question::Question;
use crate::cli::screen::Screen;

/// Everything one run waits for.
#[derive(Default)]
pub(super) struct Open {
    pub(super) approvals: Vec<PendingAction>,
    pub(super) questions: Vec<Question>,
}

impl Open {
    /// Shows it.
    pub(super) fn show(&self, screen: Screen) {
        for action in &self.approvals {
            if screen.is_json() {
                screen.document(&approval(action));
                continue;
            }
            screen.note("");
            screen.note(&follow::question(action));
            let id =
                if self.approvals.len() > 1 { format!(" {}", action.action_id()) } else { String::new() };
            screen.note(&format!("/approve{id} or /reject{id} [reason]; anything else is said instead"));
        }
        for question in &self.questions {
            question.show(screen);
        }
    }

    /// What stands before the line in which it is answered.
    pub(super) fn prompt(&self) -> &'static str {
        match (self.questions.is_empty(), self.approvals.is_empty()) {
            (false, _) => "answer> ",
            (true, false) => "allow it? [y]es, [n]o > ",
            (true, true) => "> ",
        }
    }

    /// The actions some words are about, and the rest of the words: one when they begin with its id, or
    /// the beginning of its id, else all.
    pub(super) fn chosen<'w>(&self, words: &'w str) -> (Vec<&PendingAction>, &'w str) {
        let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let named = |action: &&PendingAction| first.len() >= MIN_ID && action.action_id().starts_with(first);
        match self.approvals.iter().find(named) {
            Some(action) => (vec![action], rest.trim()),
            None => (self.approvals.iter().collect(), words),
        }
    }
}

/// So much of an id names an action.
const MIN_ID: usize = "act_".len() + 2;

/// The arguments of the call an action is about.
pub(super) fn arguments(action: &PendingAction) -> Object {
    let shown = action.apply_input.as_object();
    shown.map(|shown| json::object_or_empty(shown, "parameters")).unwrap_or_default()
}

fn approval(action: &PendingAction) -> Value {
    json!({
        "type": "approval",
        "id": action.action_id(),
        "kind": action.kind(),
        "summary": action.summary(),
        "preview": action.preview,
        "arguments": arguments(action),
    })
}
