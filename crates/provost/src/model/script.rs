//! A model with scripted turns, for tests, examples and dry runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use provost_runtime::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};
use serde_json::Value;

use super::Answer;

/// A model that plays scripted turns. The position follows from the run, not from the number of requests:
/// after a crash the same turn is played again.
///
/// ```
/// use provost::{Runtime, Script};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().model(Script::new().say("Hello.")).build()?;
/// assert_eq!(runtime.start("Hi.").await?.outcome().await?.text(), "Hello.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Script {
    turns: Vec<Turn>,
}

#[derive(Clone, Debug)]
struct Turn {
    answer: Result<Answer, ModelError>,
    /// How many times the turn fails before it succeeds, and the error.
    before: Option<(Arc<AtomicU32>, ModelError)>,
}

impl Script {
    /// Creates a script without turns; every request fails.
    ///
    /// ```
    /// let script = provost::Script::new();
    /// # drop(script);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a turn.
    ///
    /// ```
    /// use provost::{Answer, Script};
    /// let script = Script::new().answer(Answer::say("Let me see.").call("kb/find", serde_json::json!({})));
    /// # drop(script);
    /// ```
    #[must_use]
    pub fn answer(self, answer: Answer) -> Self {
        self.push(Ok(answer))
    }

    /// Adds a turn with one call.
    ///
    /// ```
    /// let script = provost::Script::new().call("kb/find", serde_json::json!({ "text": "beds" })).say("Done.");
    /// # drop(script);
    /// ```
    #[must_use]
    pub fn call(self, tool: &str, arguments: Value) -> Self {
        self.calls([(tool, arguments)])
    }

    /// Adds a turn with several calls.
    ///
    /// ```
    /// use serde_json::json;
    /// let script = provost::Script::new().calls([("kb/find", json!({})), ("clock/now", json!({}))]);
    /// # drop(script);
    /// ```
    #[must_use]
    pub fn calls<'t>(self, calls: impl IntoIterator<Item = (&'t str, Value)>) -> Self {
        let answer =
            calls.into_iter().fold(Answer::default(), |answer, (tool, given)| answer.call(tool, given));
        self.answer(answer)
    }

    /// Adds a turn with text only.
    ///
    /// ```
    /// let script = provost::Script::new().say("Done.");
    /// # drop(script);
    /// ```
    #[must_use]
    pub fn say(self, text: &str) -> Self {
        self.answer(Answer::say(text))
    }

    /// Adds a turn that fails.
    ///
    /// ```
    /// use provost::port::ModelError;
    /// let script = provost::Script::new().fail(ModelError::new("auth", "the key is wrong"));
    /// # drop(script);
    /// ```
    #[must_use]
    pub fn fail(self, error: ModelError) -> Self {
        self.push(Err(error))
    }

    /// Sets the usage of the last turn.
    ///
    /// ```
    /// let script = provost::Script::new().say("Hi.").costing(serde_json::json!({ "total_tokens": 12 }));
    /// # drop(script);
    /// ```
    #[must_use]
    pub fn costing(mut self, usage: Value) -> Self {
        if let Some(Turn { answer: Ok(answer), .. }) = self.turns.last_mut() {
            *answer = std::mem::take(answer).costing(usage);
        }
        self
    }

    /// Makes the last turn fail this many times before it succeeds.
    ///
    /// ```
    /// use provost::port::ModelError;
    /// let lost = ModelError::transient("network", "the connection was lost");
    /// let script = provost::Script::new().say("Here I am.").after_failures(2, lost);
    /// # drop(script);
    /// ```
    #[must_use]
    pub fn after_failures(mut self, times: u32, error: ModelError) -> Self {
        if let Some(turn) = self.turns.last_mut() {
            turn.before = Some((Arc::new(AtomicU32::new(times)), error));
        }
        self
    }

    fn push(mut self, answer: Result<Answer, ModelError>) -> Self {
        self.turns.push(Turn { answer, before: None });
        self
    }
}

impl Turn {
    fn played(&self) -> Result<&Answer, ModelError> {
        if let Some((left, error)) = &self.before {
            let one_less = |left: u32| left.checked_sub(1);
            if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
                return Err(error.clone());
            }
        }
        self.answer.as_ref().map_err(Clone::clone)
    }
}

impl Model for Script {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let index = usize::try_from(request.turn.saturating_sub(1)).unwrap_or(usize::MAX);
        let turn = self.turns.get(index);
        Box::pin(async move {
            let turn = turn.ok_or_else(|| ModelError::new("script", "the script has no more turns"))?;
            turn.played()?.given(request.turn, request.hearing)
        })
    }
}

impl From<Script> for Arc<dyn Model> {
    fn from(script: Script) -> Self {
        Arc::new(script)
    }
}
