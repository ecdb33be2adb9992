//! The request to a model in one turn.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_runtime::port::TurnRequest;
use serde_json::Value;

/// An owned copy of the request to a model in one turn.
///
/// ```
/// use provost::{Recorder, Runtime, Script};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recorder = Recorder::new(Script::new().say("Fine."));
/// let runtime = Runtime::builder().model(recorder.clone()).build()?;
/// runtime.start("How are you?").await?.outcome().await?;
/// let asked = recorder.asked();
/// assert_eq!((asked[0].turn, asked[0].last_text()), (1, "How are you?"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Asked {
    /// The turn; the first is 1.
    pub turn: u64,
    /// The transcript.
    pub messages: Vec<Arc<Message>>,
    /// The tools that the model sees.
    pub tools: Vec<String>,
    /// The caller's context, with the turn.
    pub context: Object,
    /// The model settings of the agent, in the format of the model adapter.
    pub model: Object,
    /// The JSON Schema of the answer, if it must be JSON.
    pub output: Option<Value>,
}

impl Asked {
    pub(super) fn of(request: &TurnRequest<'_>) -> Self {
        Self {
            turn: request.turn,
            messages: request.messages.messages().cloned().collect(),
            tools: request.tools.tools().iter().map(|tool| tool.name().to_string()).collect(),
            context: request.context.clone(),
            model: request.model.clone(),
            output: request.structured_output.cloned(),
        }
    }

    /// Returns the text of the last message.
    ///
    /// ```
    /// use provost::{Answer, FnModel};
    /// let echo = FnModel::new(|asked: provost::Asked| async move { Ok(Answer::say(asked.last_text())) });
    /// # drop(echo);
    /// ```
    pub fn last_text(&self) -> &str {
        self.messages.last().and_then(|message| message.content.as_text()).unwrap_or_default()
    }

    /// Returns the text of every message, in order.
    ///
    /// ```
    /// use provost::{Answer, FnModel};
    /// let count = FnModel::new(|asked: provost::Asked| async move {
    ///     Ok(Answer::say(format!("I read {} messages.", asked.texts().len())))
    /// });
    /// # drop(count);
    /// ```
    pub fn texts(&self) -> Vec<&str> {
        self.messages.iter().filter_map(|message| message.content.as_text()).collect()
    }
}
