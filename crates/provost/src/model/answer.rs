//! One turn of a model, for tests and simple models.

use provost_runtime::port::{Delta, Hearing, ModelError, TurnAnswer};
use serde::Serialize;
use serde_json::{Value, json};

/// The response of a model in one turn: text, calls, or both.
///
/// ```
/// use provost::Answer;
/// use serde_json::json;
///
/// let answer = Answer::say("Let me look.").call("kb/find", json!({ "text": "beds" }));
/// assert_eq!(answer.text(), "Let me look.");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    text: String,
    calls: Vec<(String, Value)>,
    usage: Option<Value>,
    pieces: Vec<String>,
}

impl Answer {
    /// Creates a response with text.
    ///
    /// ```
    /// assert_eq!(provost::Answer::say("Done.").text(), "Done.");
    /// ```
    pub fn say(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Creates a response whose text is a JSON document.
    ///
    /// ```
    /// assert_eq!(provost::Answer::json(&[1, 2]).text(), "[1,2]");
    /// ```
    pub fn json(value: &impl Serialize) -> Self {
        Self::say(serde_json::to_string(value).unwrap_or_default())
    }

    /// Creates a response whose text streams in pieces: subscribers receive one delta per piece.
    ///
    /// ```
    /// assert_eq!(provost::Answer::stream(["It is ", "so."]).text(), "It is so.");
    /// ```
    pub fn stream<T: Into<String>>(pieces: impl IntoIterator<Item = T>) -> Self {
        let pieces: Vec<String> = pieces.into_iter().map(Into::into).collect();
        Self { text: pieces.concat(), pieces, ..Self::default() }
    }

    /// Adds a call of a tool.
    ///
    /// ```
    /// use provost::Answer;
    /// let answer = Answer::default().call("math/add", serde_json::json!({ "left": 1, "right": 2 }));
    /// assert_eq!(answer.text(), "");
    /// ```
    #[must_use]
    pub fn call(mut self, tool: &str, arguments: Value) -> Self {
        self.calls.push((tool.to_owned(), arguments));
        self
    }

    /// Sets the usage, in the format of a provider.
    ///
    /// ```
    /// use provost::Answer;
    /// let answer = Answer::say("Hi.").costing(serde_json::json!({ "input_tokens": 9, "output_tokens": 2 }));
    /// assert_eq!(answer.text(), "Hi.");
    /// ```
    #[must_use]
    pub fn costing(mut self, usage: Value) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Returns the text.
    ///
    /// ```
    /// assert_eq!(provost::Answer::default().text(), "");
    /// ```
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Converts it to the runtime's type, after its pieces were streamed. Calls are numbered within their turn.
    pub(super) fn given(&self, turn: u64, hearing: Hearing<'_>) -> Result<TurnAnswer, ModelError> {
        self.pieces.iter().for_each(|piece| hearing.hear(Delta::Text(piece)));
        let call = |(index, (tool, arguments)): (usize, &(String, Value))| json!({ "id": format!("call-{turn}-{}", index + 1), "name": tool, "parameters": arguments });
        let calls: Vec<Value> = self.calls.iter().enumerate().map(call).collect();
        let usage = self.usage.clone().unwrap_or_else(|| json!({}));
        TurnAnswer::from_adapter(&json!({ "content": self.text, "tool_calls": calls, "usage": usage }))
    }
}
