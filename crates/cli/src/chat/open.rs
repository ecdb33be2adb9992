//! What a run waits for a person to say.

use provost_engine::WaitId;

use crate::pending::Pending;
use crate::question::Question;
use crate::screen::Screen;

/// Everything one run waits for.
#[derive(Default)]
pub(super) struct Open {
    pub(super) approvals: Vec<Pending>,
    pub(super) questions: Vec<Question>,
}

impl Open {
    /// Shows every open question.
    pub(super) fn show(&self, screen: Screen) {
        for action in &self.approvals {
            action.show(screen);
            if screen.is_json() {
                continue;
            }
            let id = if self.approvals.len() > 1 { format!(" {}", action.id()) } else { String::new() };
            screen.note(&match action.is_in_doubt() {
                true => format!(
                    "/approve{id}, /reject{id} [reason] or /happened{id} RESULT; other text is sent after the answer"
                ),
                false => format!("/approve{id} or /reject{id} [reason]; other text is sent to the agent instead"),
            });
        }
        for question in &self.questions {
            question.show(screen);
        }
    }

    /// Returns the waits that an answer can name.
    pub(super) fn asks(&self) -> Vec<&WaitId> {
        let approvals = self.approvals.iter().map(Pending::wait);
        approvals.chain(self.questions.iter().map(Question::wait)).collect()
    }

    /// Returns whether the next line may be an answer.
    pub(super) fn is_question(&self) -> bool {
        !self.approvals.is_empty() || !self.questions.is_empty()
    }

    /// Returns how to answer what was left for later, or `None` if nothing waits.
    pub(super) fn later(&self) -> Option<String> {
        let ids: Vec<String> = self.approvals.iter().map(Pending::id).collect();
        let happened = if self.approvals.iter().any(Pending::is_in_doubt) { ", /happened" } else { "" };
        match (&ids[..], self.questions.is_empty()) {
            ([], true) => None,
            ([], false) => Some("waiting for your answer: type it below".to_owned()),
            ([_], _) => {
                Some(format!("waiting: /approve, /reject [reason]{happened}, or send a message instead"))
            }
            (ids, _) => Some(format!(
                "waiting: /approve, /reject{happened} with {} or all, or send a message instead",
                ids.join(", ")
            )),
        }
    }

    /// The actions that some words are about, and the rest of the words: one when they begin with its number or id, all
    /// when they begin with `all`, the only one when they name none.
    pub(super) fn chosen<'w>(&self, words: &'w str) -> (Vec<&Pending>, &'w str) {
        let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        match self.approvals.iter().find(|action| action.is_called(first)) {
            Some(action) => (vec![action], rest.trim()),
            None if first == "all" => (self.approvals.iter().collect(), rest.trim()),
            None if self.approvals.len() > 1 => (Vec::new(), words),
            None => (self.approvals.iter().collect(), words),
        }
    }
}
