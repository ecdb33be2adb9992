//! What a tool answered.

use serde_json::{Value, json};

use super::RuntimeMetadata;
use crate::citation::Citation;
use crate::json::{self, Object};
use crate::{ContractError, Result, loose};

const CODE: &str = "invalid_tool_execution_result";
const ERROR_TYPE: &str = "error_type";
/// What a failure says that says nothing.
pub(super) const DEFAULT_ERROR: &str = "Tool execution failed.";

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutcome {
    /// What the tool returned; an empty list when that was nothing.
    Success(Value),
    /// What went wrong; never empty.
    Failure(String),
}

/// One normalised result. The machine-readable cause of a failure has one home: `error_type` in the metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    tool_name: String,
    metadata: Object,
    runtime: RuntimeMetadata,
    status: Option<String>,
    runtime_tool_request: Option<Object>,
    outcome: ToolOutcome,
}

impl ToolResult {
    /// A success.
    pub fn success(
        tool_name: &str,
        result: Value,
        metadata: Object,
        runtime: RuntimeMetadata,
    ) -> Result<Self> {
        Self::build(tool_name, ToolOutcome::success(result), metadata, runtime)
    }

    /// A failure; without a text it says the default one.
    pub fn failure(tool_name: &str, error: &str, metadata: Object, runtime: RuntimeMetadata) -> Result<Self> {
        Self::build(tool_name, ToolOutcome::failure(Some(error)), metadata, runtime)
    }

    /// Reads what an executor returned. Without `success` it is a failure.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "result must be an object"));
        };
        Self::read(raw.clone())
    }

    /// The same of an object nobody else needs.
    pub fn read(raw: Object) -> Result<Self> {
        let runtime = RuntimeMetadata::of(&raw);
        Self::of_reply(raw, "", runtime)
    }

    /// Reads the reply to a call of a tool, which need not name it, and where and how it ran was found out.
    pub fn of_reply(mut raw: Object, tool_name: &str, runtime: RuntimeMetadata) -> Result<Self> {
        let outcome = if json::get(&raw, "success").is_some_and(loose::flag) {
            ToolOutcome::success(json::take(&mut raw, "result").unwrap_or_default())
        } else {
            ToolOutcome::failure(json::text(&raw, "error"))
        };
        let mut metadata = json::take(&mut raw, "metadata").map(json::into_object).unwrap_or_default();
        if let (None, Some(error_type)) =
            (json::present(&metadata, ERROR_TYPE), json::trimmed_text(&raw, ERROR_TYPE))
        {
            metadata.insert(ERROR_TYPE.into(), error_type.into());
        }
        let tool_name = json::non_empty_text(&raw, "tool_name").unwrap_or(tool_name);
        let mut result = Self::build(tool_name, outcome, metadata, runtime)?;
        result.status = json::trimmed_text(&raw, "status").map(str::to_owned);
        result.runtime_tool_request = json::object(&raw, "runtime_tool_request").cloned();
        Ok(result)
    }

    /// The tool that answered.
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// How the call ended.
    pub fn outcome(&self) -> &ToolOutcome {
        &self.outcome
    }

    /// What travels beside the answer; its citations are in their normal form.
    pub fn metadata(&self) -> &Object {
        &self.metadata
    }

    /// The machine-readable cause of a failure.
    pub fn error_type(&self) -> Option<&str> {
        json::text(&self.metadata, ERROR_TYPE)
    }

    /// A word about a call that has not ended yet, such as `runtime_tool_pending`.
    pub fn status(&self) -> Option<&str> {
        self.status.as_deref()
    }

    /// The request a client must answer before the call can end.
    pub fn runtime_tool_request(&self) -> Option<&Object> {
        self.runtime_tool_request.as_ref()
    }

    /// Where and how it ran.
    pub fn runtime(&self) -> &RuntimeMetadata {
        &self.runtime
    }

    /// The wire form as an object.
    pub fn to_object(&self) -> Object {
        self.clone().into_object()
    }

    /// The same of a result nobody else needs.
    pub fn into_object(self) -> Object {
        let (success, key, answer) = match self.outcome {
            ToolOutcome::Success(result) => (true, "result", result),
            ToolOutcome::Failure(error) => (false, "error", error.into()),
        };
        let runtime = (!self.runtime.is_empty()).then(|| self.runtime.into_value());
        let members = [
            ("success", Some(success.into())),
            ("tool_name", Some(self.tool_name.into())),
            ("metadata", Some(self.metadata.into())),
            ("runtime", runtime),
            ("status", self.status.map(Value::from)),
            ("runtime_tool_request", self.runtime_tool_request.map(Value::Object)),
            (key, Some(answer)),
        ];
        let mut object = Object::with_capacity(members.len());
        object.extend(
            members.into_iter().filter_map(|(key, value)| value.map(|value| (key.to_owned(), value))),
        );
        object
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        Value::Object(self.to_object())
    }

    fn build(
        tool_name: &str,
        outcome: ToolOutcome,
        metadata: Object,
        runtime: RuntimeMetadata,
    ) -> Result<Self> {
        if tool_name.is_empty() {
            return Err(ContractError::field(CODE, "tool_name", "must be a non-empty string"));
        }
        Ok(Self {
            tool_name: tool_name.to_owned(),
            metadata: Citation::in_metadata(metadata),
            runtime,
            status: None,
            runtime_tool_request: None,
            outcome,
        })
    }
}

impl ToolOutcome {
    fn success(result: Value) -> Self {
        Self::Success(if result.is_null() { json!([]) } else { result })
    }

    fn failure(error: Option<&str>) -> Self {
        Self::Failure(error.filter(|error| !error.is_empty()).unwrap_or(DEFAULT_ERROR).to_owned())
    }
}
