//! The envelope `{schema, version, messages, tool_execution_results, …}`: checked, completed, and
//! carrying whatever else its writer put in.

use serde_json::Value;

use super::ToolObservability;
use super::rule::{self, Field, List, Rule};
use crate::conversation::entries::labelled;
use crate::failure::check_failure;
use crate::json::{self, Object};
use crate::run::RunOutcome;
use crate::{ContractError, Message, Result};

const CODE: &str = "invalid_agent_conversation_result";
const SCHEMA: &str = "agents-api.conversation-result";
const VERSION: u64 = 1;

const EXECUTION_RESULTS: List = List {
    key: "tool_execution_results",
    rules: &[
        ("tool_name", Rule::NonEmptyText),
        ("result", Rule::Container),
        ("parameters", Rule::Container),
        ("is_handler_tool", Rule::BooleanWhenPresent),
        ("runtime", Rule::ContainerWhenPresent),
        ("turn_count", Rule::Integer),
    ],
};
const AUDIT_EVENTS: List = List {
    key: "tool_audit_events",
    rules: &[
        ("type", Rule::NonEmptyText),
        ("tool_name", Rule::NonEmptyText),
        ("tool_call_id", Rule::NonEmptyText),
        ("parameters_sha256", Rule::NonEmptyText),
        ("result_sha256", Rule::NonEmptyText),
        ("schema_version", Rule::Integer),
        ("turn_count", Rule::Integer),
        ("success", Rule::Boolean),
        ("error_type", Rule::TextWhenPresent),
    ],
};
const TOOL_EVENTS: List = List {
    key: "tool_events",
    rules: &[
        ("type", Rule::NonEmptyText),
        ("tool_name", Rule::NonEmptyText),
        ("tool_call_id", Rule::NonEmptyText),
        ("turn_count", Rule::Integer),
        ("status", Rule::TextWhenPresent),
        ("metadata", Rule::ContainerWhenPresent),
    ],
};
const BEFORE_FAILURE: &[Field] = &[
    ("status", Rule::TextWhenPresent),
    ("budget", Rule::TextWhenPresent),
    ("turn_count", Rule::IntegerWhenPresent),
    ("final_content", Rule::TextWhenPresent),
    ("usage", Rule::ContainerWhenPresent),
    ("metadata", Rule::ContainerWhenPresent),
    ("request_metadata", Rule::ContainerWhenPresent),
    ("provider_diagnostics", Rule::ContainerWhenPresent),
    ("structured_output_diagnostics", Rule::ContainerWhenPresent),
    ("completed", Rule::BooleanWhenPresent),
];
const FAILURE: &[Field] = &[("turn_count", Rule::IntegerWhenPresent)];
const AFTER_FAILURE: &[Field] = &[("runtime_tool_pending", Rule::ContainerWhenPresent)];

/// The fields a result holds in typed form.
const TYPED: [&str; 8] = [
    "schema",
    "version",
    "messages",
    "tool_execution_results",
    "tool_audit_events",
    "tool_events",
    "tool_observability",
    "run_outcome",
];

/// What a conversation run leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationResult {
    /// The transcript.
    pub messages: Vec<Message>,
    /// What each executed call gave, in full.
    tool_execution_results: Vec<Value>,
    /// The safe trace of each call.
    tool_audit_events: Vec<Value>,
    /// What happened to each call, in order.
    tool_events: Vec<Value>,
    observability: ToolObservability,
    run_outcome: RunOutcome,
    /// The other fields as they came; the known ones are checked, and none of those above is among them.
    others: Object,
}

impl ConversationResult {
    /// Reads a result. A missing list is empty, a null one is an error; the first broken rule refuses it.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "result must be an object"));
        };
        check_header(raw)?;
        Self::of_messages(parse_messages(raw)?, json::without(raw, &["messages"]))
    }

    /// Reads a result whose messages were read before; `fields` are all the others. A long transcript is
    /// not written and read again for it.
    pub fn of_messages(messages: Vec<Message>, mut fields: Object) -> Result<Self> {
        let results = EXECUTION_RESULTS.entries(CODE, &fields)?;
        let audits = AUDIT_EVENTS.entries(CODE, &fields)?;
        let events = TOOL_EVENTS.entries(CODE, &fields)?;
        let results = EXECUTION_RESULTS.checked(CODE, results)?;
        AUDIT_EVENTS.checked(CODE, audits)?;
        let events = TOOL_EVENTS.checked(CODE, events)?;
        check_others(&fields)?;
        let observability = ToolObservability::of(&events, &results);
        let run_outcome = RunOutcome::of_result(&fields);
        let [tool_execution_results, tool_audit_events, tool_events] =
            [EXECUTION_RESULTS, AUDIT_EVENTS, TOOL_EVENTS].map(|list| list.take(&mut fields));
        fields.retain(|key, _| !TYPED.contains(&key.as_str()));
        Ok(Self {
            messages,
            tool_execution_results,
            tool_audit_events,
            tool_events,
            observability,
            run_outcome,
            others: fields,
        })
    }

    /// What an operator may see of the tool calls; always computed, never taken over.
    pub fn observability(&self) -> &ToolObservability {
        &self.observability
    }

    /// The verdict on the run.
    pub fn run_outcome(&self) -> &RunOutcome {
        &self.run_outcome
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    /// The wire form of a result nobody needs any more: nothing is copied.
    pub fn into_value(self) -> Value {
        let typed = [
            ("schema", SCHEMA.into()),
            ("version", VERSION.into()),
            ("messages", self.messages.into_iter().map(Message::into_value).collect()),
            ("tool_execution_results", self.tool_execution_results.into()),
            ("tool_audit_events", self.tool_audit_events.into()),
            ("tool_events", self.tool_events.into()),
            ("tool_observability", self.observability.to_value()),
            ("run_outcome", self.run_outcome.to_value()),
        ];
        let typed = typed.into_iter().map(|(key, value): (&str, Value)| (key.to_owned(), value));
        typed.chain(self.others).collect()
    }
}

fn check_header(raw: &Object) -> Result<()> {
    if json::get(raw, "schema").is_some_and(|schema| schema != SCHEMA) {
        return Err(ContractError::field(CODE, "schema", &format!("must be {SCHEMA}")));
    }
    if json::get(raw, "version").is_some_and(|version| version.as_u64() != Some(VERSION)) {
        return Err(ContractError::field(CODE, "version", &format!("must be {VERSION}")));
    }
    Ok(())
}

fn parse_messages(raw: &Object) -> Result<Vec<Message>> {
    let Some(entries) = json::get(raw, "messages").and_then(labelled) else {
        return Err(ContractError::field(CODE, "messages", "must be an array"));
    };
    let parse = |(label, entry): (String, &Value)| {
        let path = format!("messages[{label}]");
        if !json::is_container(entry) {
            return Err(ContractError::field(CODE, path, "must be an array"));
        }
        Message::parse(entry).map_err(|error| ContractError::field(CODE, path, error.message()))
    };
    entries.into_iter().map(parse).collect()
}

fn check_others(raw: &Object) -> Result<()> {
    rule::check(CODE, "", raw, BEFORE_FAILURE)?;
    if let Some(failure) = json::get(raw, "failure") {
        check_failure(CODE, failure)?;
        rule::check(CODE, "failure.", failure.as_object().unwrap_or(&Object::new()), FAILURE)?;
    }
    rule::check(CODE, "", raw, AFTER_FAILURE)
}
