//! A question of an agent to whoever it works for.

use provost_contract::json;
use provost_contract::tool::RuntimeToolRequest;
use provost_runtime::RunId;
use serde_json::{Value, json};

use super::failure::{Code, Failure};
use super::screen::Screen;
use super::setup::Setup;

/// The tool that asks.
const ASK: &str = "human/ask";

/// A question, and what it is answered under.
pub(super) struct Question {
    id: String,
    run: String,
    text: String,
    options: Vec<String>,
}

impl Question {
    /// The questions of a run nobody answered yet.
    pub(super) async fn of(setup: &Setup, run: &RunId) -> Result<Vec<Self>, Failure> {
        let requests = setup.runtime.client_requests().await;
        let requests = requests.map_err(|error| Failure::of(Code::Store, &error))?;
        let of_run =
            |request: &&RuntimeToolRequest| request.run_id() == run.as_str() && request.tool_name() == ASK;
        Ok(requests.iter().filter(of_run).map(Self::read).collect())
    }

    fn read(request: &RuntimeToolRequest) -> Self {
        let wire = request.to_value();
        let parameters = wire.get("parameters");
        let text = parameters.and_then(|asked| asked.get("question")).and_then(Value::as_str);
        let options = parameters.and_then(|asked| asked.get("options"));
        Self {
            id: request.request_id().to_owned(),
            run: request.run_id().to_owned(),
            text: text.unwrap_or_default().to_owned(),
            options: options.map(json::string_list).unwrap_or_default(),
        }
    }

    /// Shows it, with the answers to choose from.
    pub(super) fn show(&self, screen: Screen) {
        if screen.is_json() {
            return screen.document(&json!({
                "type": "question", "id": self.id, "run": self.run, "question": self.text, "options": self.options,
            }));
        }
        screen.note("");
        screen.note(&format!("the agent asks: {}", self.text));
        for (place, option) in self.options.iter().enumerate() {
            screen.note(&format!("  {}) {option}", place + 1));
        }
    }

    /// Hands in an answer; a number chooses among the answers to choose from. The run goes on when it is
    /// resumed.
    pub(super) async fn answer(&self, setup: &Setup, words: &str) -> Result<(), Failure> {
        let answer = self.meant(words);
        let submitted = json!({ "request_id": self.id, "success": true, "result": { "answer": answer } });
        let submission = setup.runtime.take_result(&submitted).await;
        let submission = submission.map_err(|error| Failure::of(Code::Decision, &error))?;
        if submission.duplicate {
            return Err(Failure::new(Code::Decision, "somebody answered before"));
        }
        Ok(())
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
        let question =
            |options| Question { id: String::new(), run: String::new(), text: String::new(), options };
        assert_eq!(question(options.clone()).meant(" 2 "), "blue");
        assert_eq!(question(options.clone()).meant("3"), "3");
        assert_eq!(question(options).meant("green"), "green");
        assert_eq!(question(Vec::new()).meant("1"), "1");
    }
}
