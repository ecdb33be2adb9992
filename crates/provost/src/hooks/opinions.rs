//! Combines several hooks that decide how a run continues. They are called in the order in which they were
//! added.

use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_runtime::port::{
    Boxed, CompletionOpinion, CompletionPolicy, ContinuePolicy, FinishedTurn, HostError, InterruptSource,
    JudgedResult,
};
use serde_json::{Value, json};

/// Hooks that complete a run. One is enough; otherwise their messages are joined.
pub(crate) struct Completions(pub(crate) Vec<Arc<dyn CompletionPolicy>>);

impl CompletionPolicy for Completions {
    fn judge<'a>(&'a self, result: JudgedResult<'a>) -> Boxed<'a, Result<CompletionOpinion, HostError>> {
        Box::pin(async move {
            let (mut missing, mut context) = (Vec::new(), Object::new());
            for hook in &self.0 {
                // A hook that fails has no opinion; the others still have theirs.
                let opinion = hook.judge(result).await.unwrap_or_default();
                if opinion.complete {
                    return Ok(opinion);
                }
                missing.extend(Some(opinion.message).filter(|message| !message.trim().is_empty()));
                context.extend(opinion.context);
            }
            Ok(CompletionOpinion { complete: false, message: missing.join("\n"), context })
        })
    }
}

/// Hooks that let a run continue. All must agree.
pub(crate) struct Continuations(pub(crate) Vec<Arc<dyn ContinuePolicy>>);

impl ContinuePolicy for Continuations {
    fn go_on<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<bool, HostError>> {
        Box::pin(async move {
            for hook in &self.0 {
                if !hook.go_on(turn).await? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

/// Sources of messages between turns. Their messages are joined into one.
pub(crate) struct Interrupts(pub(crate) Vec<Arc<dyn InterruptSource>>);

impl InterruptSource for Interrupts {
    fn ask<'a>(&'a self, turn: FinishedTurn<'a>) -> Boxed<'a, Result<Value, HostError>> {
        Box::pin(async move {
            let mut said = Value::Null;
            for source in &self.0 {
                // A source that fails has no message; those of the others still count.
                said = joined(said, source.ask(turn).await.unwrap_or_default());
            }
            Ok(said)
        })
    }
}

/// Joins two messages. What cannot be joined, because it is no message, is left out beside one that is.
fn joined(first: Value, next: Value) -> Value {
    match (first, next) {
        (Value::Object(mut first), Value::Object(next)) => {
            let content = content(first.get("content"), next.get("content"));
            let mut metadata = json::object_or_empty(&next, "metadata");
            // The action of the earlier message counts.
            metadata.extend(json::object_or_empty(&first, "metadata"));
            first.insert("content".to_owned(), content);
            if !metadata.is_empty() {
                first.insert("metadata".to_owned(), metadata.into());
            }
            Value::Object(first)
        }
        (first @ Value::Object(_), _) => first,
        (first, Value::Null) => first,
        (_, next) => next,
    }
}

fn content(first: Option<&Value>, next: Option<&Value>) -> Value {
    match (first, next) {
        (Some(Value::String(first)), Some(Value::String(next))) => format!("{first}\n{next}").into(),
        (first, next) => parts(first).into_iter().chain(parts(next)).collect(),
    }
}

/// Returns the content of a message as a list of parts.
fn parts(content: Option<&Value>) -> Vec<Value> {
    match content {
        Some(Value::Array(parts)) => parts.clone(),
        Some(Value::String(text)) => vec![json!({ "type": "text", "text": text })],
        _ => Vec::new(),
    }
}
