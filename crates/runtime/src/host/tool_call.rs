//! Preparing a call for its executor, and reading what the executor replied.

use std::borrow::Cow;

use provost_contract::Result;
use provost_contract::json::{self, Object};
use provost_contract::tool::{ParameterRules, RuntimeMetadata, ToolCall, ToolDeclaration, ToolResult};
use serde_json::{Value, json};

use crate::port::ExecutorError;

const TARGET_UNAVAILABLE: &str = "Tool execution target is unavailable.";

/// What executing a call needs of the declaration of its tool.
#[derive(Clone, Debug)]
pub struct Tool<'a> {
    /// The canonical name.
    pub name: &'a str,
    /// Which source contributed the tool; may be empty.
    pub source: &'a str,
    /// How its parameters are filled and checked.
    pub rules: Cow<'a, ParameterRules>,
    /// Where and how it runs.
    pub runtime: Cow<'a, RuntimeMetadata>,
}

impl<'a> From<&'a ToolDeclaration> for Tool<'a> {
    fn from(declaration: &'a ToolDeclaration) -> Self {
        Self {
            name: declaration.name().as_str(),
            source: declaration.source(),
            rules: Cow::Borrowed(declaration.rules()),
            runtime: Cow::Borrowed(declaration.runtime()),
        }
    }
}

impl<'a> Tool<'a> {
    /// Reads a declaration that need not be complete; without a source of its own the tool comes from
    /// the namespace of its name.
    pub fn read(name: &'a str, declaration: &'a Object) -> Self {
        let namespace = name.split_once('/').map(|(namespace, _)| namespace).unwrap_or_default();
        Self {
            name,
            source: json::non_empty_text(declaration, "source").unwrap_or(namespace),
            rules: Cow::Owned(ParameterRules::read(declaration)),
            runtime: Cow::Owned(RuntimeMetadata::of(declaration)),
        }
    }
}

/// A call that can be executed, or the result it gets because it cannot.
#[derive(Clone, Debug, PartialEq)]
pub enum Prepared {
    /// The call an executor gets.
    Ready(ToolCall),
    /// Why nobody is asked.
    Refused(ToolResult),
}

impl Prepared {
    /// The call an executor gets, if there is one.
    pub fn ready(self) -> Option<ToolCall> {
        match self {
            Self::Ready(call) => Some(call),
            Self::Refused(_) => None,
        }
    }

    /// The result a call gets that cannot be executed.
    pub fn unprepared(&self) -> Option<Object> {
        match self {
            Self::Ready(_) => None,
            Self::Refused(result) => Some(result.to_object()),
        }
    }
}

/// Fills and checks the parameters of a call. `called` is the caller's word for the tool; the id of the
/// call is the `tool_call_id` of the context.
///
/// # Errors
/// When the call names no tool at all.
pub fn prepare(
    tool: Option<&Tool<'_>>,
    called: &str,
    parameters: &Object,
    context: &Object,
) -> Result<Prepared> {
    let Some(tool) = tool else {
        let error = format!("Tool '{called}' not found");
        return refused(
            called,
            &error,
            json!({ "error_type": "tool_not_found" }),
            RuntimeMetadata::default(),
        );
    };
    let parameters = tool.rules.build(parameters, context);
    let missing = tool.rules.missing(&parameters);
    if !missing.is_empty() {
        let error =
            format!("Tool \"{}\" requires the following parameters: {}.", tool.name, missing.join(", "));
        let metadata = json!({ "error_type": "missing_required_parameters", "missing_parameters": missing });
        return refused(tool.name, &error, metadata, tool.runtime.clone().into_owned());
    }
    let id = json::trimmed_text(context, "tool_call_id");
    let said = [("source", tool.source), ("provider_tool_name", called)];
    // The id joins them.
    let mut metadata = Object::with_capacity(said.len() + 1);
    metadata.extend(said.map(|(key, text)| (key.to_owned(), text.into())));
    Ok(Prepared::Ready(ToolCall::new(tool.name, parameters, metadata, id)))
}

fn refused(tool: &str, error: &str, metadata: Value, runtime: RuntimeMetadata) -> Result<Prepared> {
    ToolResult::failure(tool, error, json::into_object(metadata), runtime).map(Prepared::Refused)
}

/// Reads what an executor replied. A reply that does not say whether it succeeded did, and is the payload
/// itself; what the declaration says about the runtime stands under what the reply says.
///
/// # Errors
/// When the reply is no result.
pub fn result_of(tool: &Tool<'_>, reply: std::result::Result<Value, ExecutorError>) -> Result<ToolResult> {
    let failure = |error: &str, error_type: &str, runtime: RuntimeMetadata| {
        let metadata = json::into_object(json!({ "error_type": error_type }));
        ToolResult::failure(tool.name, error, metadata, runtime)
    };
    let reply = match reply {
        Ok(reply) => reply,
        Err(ExecutorError::Failed(error)) => {
            return failure(&error, "executor_exception", tool.runtime.clone().into_owned());
        }
        Err(ExecutorError::Refused(error)) => {
            return failure(error.message(), error.code(), tool.runtime.clone().into_owned());
        }
        Err(ExecutorError::TimedOut { ms }) => {
            let error = format!("Stopped: no answer within {ms} ms.");
            return failure(&error, "timed_out", tool.runtime.clone().into_owned());
        }
        Err(ExecutorError::TargetUnavailable) => {
            return failure(TARGET_UNAVAILABLE, "executor_target_unavailable", RuntimeMetadata::default());
        }
    };
    let runtime = merged_runtime(tool, &reply);
    let raw = match reply {
        Value::Object(result) if json::get(&result, "success").is_some() => result,
        payload => json::into_object(json!({ "success": true, "result": payload })),
    };
    ToolResult::of_reply(raw, tool.name, runtime)
}

fn merged_runtime(tool: &Tool<'_>, reply: &Value) -> RuntimeMetadata {
    let of_reply = reply.as_object().and_then(|reply| json::object(reply, "runtime"));
    let Some(of_reply) = of_reply else { return tool.runtime.clone().into_owned() };
    let mut runtime = tool.runtime.as_object().clone();
    runtime.extend(of_reply.clone());
    RuntimeMetadata::parse(&Value::Object(runtime))
}
