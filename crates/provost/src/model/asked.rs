//! What a model was asked in one turn.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_runtime::port::TurnRequest;
use serde_json::Value;

/// What a model was asked in one turn, to be looked at and kept.
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
    /// The tools that the model was shown.
    pub tools: Vec<String>,
    /// The caller's context, with the turn.
    pub context: Object,
    /// Which model the agent wants, in the words of the model adapter.
    pub model: Object,
    /// What the answer must look like, when it must be JSON.
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

    /// Returns the words of the last message.
    ///
    /// ```
    /// use provost::{Answer, FnModel};
    /// let echo = FnModel::new(|asked: provost::Asked| async move { Ok(Answer::say(asked.last_text())) });
    /// # drop(echo);
    /// ```
    pub fn last_text(&self) -> &str {
        self.messages.last().and_then(|message| message.content.as_text()).unwrap_or_default()
    }

    /// Returns the words of every message, in order.
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
