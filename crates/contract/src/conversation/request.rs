//! The request runners, transcript persisters and interrupt sources are handed.

use serde_json::{Value, json};

use super::entries::labelled;
use crate::agent::RuntimeOverrides;
use crate::json::{self, Object};
use crate::tool::ToolDeclaration;
use crate::{ContractError, ExecutionPrincipal, Message, Result, WorkspaceScope};

const CODE: &str = "invalid_agent_conversation_request";
const MAX_TURNS_DEFAULT: u64 = 10;

/// What a conversation run is asked to do, with what, and for whom.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationRequest {
    /// The transcript so far.
    pub messages: Vec<Message>,
    /// The tools the model may see, in the order they were declared.
    pub tools: Vec<ToolDeclaration>,
    /// Who asks.
    pub principal: Option<ExecutionPrincipal>,
    /// What the caller wants its adapters to know, overrides included.
    pub runtime_context: Object,
    /// What the caller wants remembered with the run.
    pub metadata: Object,
    /// At least one.
    max_turns: u64,
    /// Whether one turn is all the caller wants.
    pub single_turn: bool,
    /// Where the run belongs.
    pub workspace: Option<WorkspaceScope>,
    /// What the caller wants otherwise than the host would do it.
    pub runtime_overrides: RuntimeOverrides,
}

impl ConversationRequest {
    /// Reads a request: messages first, then tools, then the rest.
    pub fn parse(raw: &Object) -> Result<Self> {
        let Some(messages) = json::list(raw, "messages") else {
            return Err(ContractError::field(CODE, "messages", "must be an array"));
        };
        let messages = Message::parse_many(messages)?;
        let tools = parse_tools(raw)?;
        let overrides =
            json::object(raw, "runtime_overrides").map(RuntimeOverrides::parse).unwrap_or_default();
        Ok(Self {
            messages,
            tools,
            principal: json::present(raw, "principal").map(ExecutionPrincipal::parse).transpose()?,
            runtime_context: with_overrides(map(raw, "runtime_context")?, &overrides),
            metadata: map(raw, "metadata")?,
            max_turns: parse_max_turns(raw)?,
            single_turn: parse_single_turn(raw)?,
            workspace: json::present(raw, "workspace").map(WorkspaceScope::parse).transpose()?,
            runtime_overrides: overrides,
        })
    }

    /// How many turns the run may take; never zero.
    pub fn max_turns(&self) -> u64 {
        self.max_turns
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "messages": self.messages.iter().map(Message::to_value).collect::<Value>(),
            "tools": self.tools.iter().map(ToolDeclaration::to_value).collect::<Value>(),
            "principal": self.principal.as_ref().map(ExecutionPrincipal::to_value),
            "runtime_context": self.runtime_context,
            "metadata": self.metadata,
            "max_turns": self.max_turns,
            "single_turn": self.single_turn,
            "workspace": self.workspace.as_ref().map(WorkspaceScope::to_value),
            "runtime_overrides": self.runtime_overrides,
        })
    }
}

/// A catalog is a list, or a map whose keys say only where an entry stands.
fn parse_tools(raw: &Object) -> Result<Vec<ToolDeclaration>> {
    let Some(tools) = json::present(raw, "tools") else { return Ok(Vec::new()) };
    let entries = labelled(tools).ok_or_else(|| ContractError::field(CODE, "tools", "must be an array"))?;
    let parse = |(label, entry): (String, &Value)| {
        let refuse = |reason: &str| ContractError::field(CODE, format!("tools[{label}]"), reason);
        let declared = entry.as_object().ok_or_else(|| refuse("must be an object"))?;
        ToolDeclaration::parse_request(declared).map_err(|error| refuse(error.message()))
    };
    entries.into_iter().map(parse).collect()
}

/// A list names no member, so it says nothing.
fn map(raw: &Object, key: &str) -> Result<Object> {
    match json::present(raw, key) {
        Some(value) if !json::is_container(value) => Err(ContractError::field(CODE, key, "must be an array")),
        Some(value) => Ok(value.as_object().cloned().unwrap_or_default()),
        None => Ok(Object::new()),
    }
}

fn parse_max_turns(raw: &Object) -> Result<u64> {
    let Some(value) = json::present(raw, "max_turns") else { return Ok(MAX_TURNS_DEFAULT) };
    if !value.is_i64() && !value.is_u64() {
        return Err(ContractError::field(CODE, "max_turns", "must be an integer"));
    }
    Ok(value.as_u64().unwrap_or_default().max(1))
}

fn parse_single_turn(raw: &Object) -> Result<bool> {
    let Some(value) = json::present(raw, "single_turn") else { return Ok(false) };
    value.as_bool().ok_or_else(|| ContractError::field(CODE, "single_turn", "must be a boolean"))
}

/// What is overridden is also context. The turn limit stays: an agent's own iterations are not the caller's.
fn with_overrides(mut context: Object, overrides: &RuntimeOverrides) -> Object {
    let says = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
    if let Value::Object(overrides) = json!(overrides) {
        context.extend(overrides.into_iter().filter(|(_, value)| says(value)));
    }
    context
}
