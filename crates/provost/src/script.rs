//! A model that says what it was told to say: for tests, examples and dry runs.

use std::sync::Arc;

use provost_runtime::port::{Boxed, Model, ModelError, TurnAnswer, TurnRequest};
use serde_json::{Value, json};

/// The turns of a model, one after the other. Which turn is played follows from the run, not from how
/// often the model was asked: after a crash the same turn is played again.
#[derive(Clone, Debug, Default)]
pub struct Script {
    turns: Vec<Turn>,
}

#[derive(Clone, Debug, Default)]
struct Turn {
    text: String,
    calls: Vec<Value>,
    usage: Value,
}

impl Script {
    /// A model that says nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A turn with one call.
    #[must_use]
    pub fn call(self, tool: &str, arguments: Value) -> Self {
        self.calls([(tool, arguments)])
    }

    /// A turn with several calls.
    #[must_use]
    pub fn calls<'t>(mut self, calls: impl IntoIterator<Item = (&'t str, Value)>) -> Self {
        let turn = self.turns.len() + 1;
        let call = |(place, (tool, arguments)): (usize, (&str, Value))| json!({ "id": format!("call-{turn}-{}", place + 1), "name": tool, "parameters": arguments });
        let calls = calls.into_iter().enumerate().map(call).collect();
        self.turns.push(Turn { calls, ..Turn::default() });
        self
    }

    /// A turn with words alone.
    #[must_use]
    pub fn say(mut self, text: &str) -> Self {
        self.turns.push(Turn { text: text.to_owned(), ..Turn::default() });
        self
    }

    /// What the turn before costs.
    #[must_use]
    pub fn costing(mut self, usage: Value) -> Self {
        if let Some(turn) = self.turns.last_mut() {
            turn.usage = usage;
        }
        self
    }
}

impl Model for Script {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let place = usize::try_from(request.turn.saturating_sub(1)).unwrap_or(usize::MAX);
        let turn = self.turns.get(place);
        Box::pin(async move {
            let turn = turn.ok_or_else(|| ModelError::new("script", "the script has no more turns"))?;
            let usage = if turn.usage.is_object() { turn.usage.clone() } else { json!({}) };
            TurnAnswer::from_adapter(
                &json!({ "content": turn.text, "tool_calls": turn.calls, "usage": usage }),
            )
        })
    }
}

impl From<Script> for Arc<dyn Model> {
    fn from(script: Script) -> Self {
        Arc::new(script)
    }
}
