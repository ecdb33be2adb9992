//! A question that an agent asks a person.

use provost::ClientResult;
use provost_contract::json;
use provost_engine::event::WaitKind;
use provost_engine::{RunId, WaitId, view};
use provost_project::ProjectRuntime;
use serde_json::{Value, json};

use crate::failure::{Code, Failure, undecided, unworked};
use crate::identity;
use crate::screen::Screen;
use crate::text::{Line, Mark, Role, Span};

/// The tool that asks.
const ASK: &str = "human/ask";

/// A question, and what it is answered under.
pub(crate) struct Question {
    wait: WaitId,
    text: String,
    options: Vec<String>,
}

impl Question {
    /// The questions of a run that no one answered yet.
    pub(crate) async fn of(setup: &ProjectRuntime, run: &RunId) -> Result<Vec<Self>, Failure> {
        let waits = setup.runtime.waits(run).await.map_err(|error| unworked(run, &error))?;
        let asks = |pending: &&view::Pending| {
            pending.tool == ASK && matches!(pending.kind, WaitKind::Client | WaitKind::Question)
        };
        Ok(waits.iter().filter(asks).map(Self::read).collect())
    }

    fn read(pending: &view::Pending) -> Self {
        let text = pending.arguments.get("question").and_then(Value::as_str);
        let options = pending.arguments.get("options");
        Self {
            wait: pending.wait.clone(),
            text: text.unwrap_or_default().to_owned(),
            options: options.map(json::string_list).unwrap_or_default(),
        }
    }

    /// What an answer names.
    pub(crate) fn wait(&self) -> &WaitId {
        &self.wait
    }

    /// Shows it, with the answers to choose from.
    pub(crate) fn show(&self, screen: Screen) {
        if screen.is_json() {
            return screen.document(&json!({
                "type": "question", "id": self.wait.to_string(), "run": self.wait.run, "question": self.text, "options": self.options,
            }));
        }
        let head = vec![
            Span::strong("the agent "),
            Span::new("asks", Role::You),
            Span::strong(format!(": {}", self.text)),
        ];
        let mut lines = vec![Line::blank(), Line::new(Mark::Asks, "", head)];
        for (index, option) in self.options.iter().enumerate() {
            let spans = vec![Span::strong((index + 1).to_string()), Span::text(format!("  {option}"))];
            lines.push(Line::note("", spans));
        }
        screen.notes(&lines);
    }

    /// Records an answer; a number selects a choice. The caller continues the run.
    pub(crate) async fn answer(&self, setup: &ProjectRuntime, words: &str) -> Result<(), Failure> {
        if let Some(number) = self.names_no_option(words) {
            let message = format!("there is no option {number}");
            return Err(Failure::new(Code::Decision, message)
                .hint(format!("choose 1 to {}, or answer in words", self.options.len())));
        }
        let result = json!({ "answer": self.meant(words) });
        let result = ClientResult::ok(result).by(identity::actor());
        let submitted = setup.runtime.record_result(&self.wait.to_string(), result).await;
        submitted.map(drop).map_err(|error| undecided(&error))
    }

    /// The number, if it is one that neither counts an option nor is one.
    pub(crate) fn names_no_option(&self, words: &str) -> Option<u64> {
        let words = words.trim();
        let number: u64 = words.parse().ok()?;
        let counts = usize::try_from(number).is_ok_and(|number| (1..=self.options.len()).contains(&number));
        let known = self.options.is_empty() || counts || self.options.iter().any(|option| option == words);
        (!known).then_some(number)
    }

    fn meant<'a>(&'a self, words: &'a str) -> &'a str {
        let words = words.trim();
        let place = words.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        place.and_then(|place| self.options.get(place)).map_or(words, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_chooses_among_answers_and_is_a_number_elsewhere() {
        let options = vec!["red".to_owned(), "blue".to_owned()];
        let wait: WaitId = "run/1".parse().unwrap();
        let question = |options| Question { wait: wait.clone(), text: String::new(), options };
        assert_eq!(question(options.clone()).meant(" 2 "), "blue");
        assert_eq!(question(options.clone()).meant("3"), "3");
        assert_eq!(question(options.clone()).meant("green"), "green");
        let refused = |options: &[&str], words: &str| {
            question(options.iter().map(|option| (*option).to_owned()).collect()).names_no_option(words)
        };
        assert_eq!((refused(&["red", "blue"], " 3 "), refused(&["red"], "0")), (Some(3), Some(0)));
        assert_eq!((refused(&["red", "blue"], "2"), refused(&["red"], "green")), (None, None));
        assert_eq!((refused(&["10", "20"], "20"), refused(&[], "3")), (None, None), "a number is an answer");
        assert_eq!(question(Vec::new()).meant("1"), "1");
    }
}
