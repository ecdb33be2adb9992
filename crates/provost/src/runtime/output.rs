//! Typed answers: the schema of a type, and the conversion of an answer to the type.

use provost_contract::json;
use provost_contract::structured_output::StructuredOutputRequest;
use provost_contract::{ContractError, Result};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Outcome, RunStatus};
use crate::tool::schema_of;

const CODE: &str = "invalid_output_schema";

/// Why a run has no typed answer.
///
/// ```
/// use provost::{OutputError, Runtime, Script};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().model(Script::new().say("Hello.")).build()?;
/// let outcome = runtime.start("Hi.").await?.outcome().await?;
/// assert!(matches!(outcome.output::<u64>(), Err(OutputError::NotAsked)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The run is not completed.
    #[error("the run is {}{}", status.as_str(), reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    NotCompleted {
        /// Its status.
        status: RunStatus,
        /// The failure, if it failed.
        reason: Option<String>,
    },
    /// The request did not require a typed answer.
    #[error("the request did not ask for a typed answer: call Request::output")]
    NotAsked,
    /// The answer matches the schema but cannot be deserialized to this type.
    #[error("the answer has a different type")]
    OtherType(#[source] serde_json::Error),
}

impl Outcome {
    /// Returns the answer as the type given to [`Request::output`](crate::Request::output).
    ///
    /// ```
    /// use provost::{Answer, Request, Runtime, Script};
    ///
    /// #[derive(serde::Deserialize, serde::Serialize, provost::JsonSchema)]
    /// struct Report { city: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = Script::new().answer(Answer::json(&Report { city: "Rome".to_owned() }));
    /// let runtime = Runtime::builder().model(model).build()?;
    /// let outcome = runtime.start(Request::new("Where?").output::<Report>()).await?.outcome().await?;
    /// assert_eq!(outcome.output::<Report>()?.city, "Rome");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run is not completed, no typed answer was required, or it has another type.
    pub fn output<T: DeserializeOwned>(&self) -> std::result::Result<T, OutputError> {
        if self.status != RunStatus::Completed {
            let reason = self.failure().map(|failure| failure.message);
            return Err(OutputError::NotCompleted { status: self.status, reason });
        }
        let answer = self.result.get("structured_output").ok_or(OutputError::NotAsked)?;
        serde_json::from_value(answer.clone()).map_err(OutputError::OtherType)
    }
}

/// Returns the output request for a type. Objects are closed, as providers that enforce schemas require.
pub(super) fn request_of<T: JsonSchema>() -> Value {
    let mut schema = schema_of::<T>();
    let mut complete = true;
    close(&mut schema, &mut complete);
    // Providers enforce a schema only if every property is required.
    json!({ "schema": schema, "strict": complete })
}

/// Closes the objects of a schema; `complete` becomes false if a property is not required.
fn close(schema: &mut Value, complete: &mut bool) {
    match schema {
        Value::Object(members) => {
            if let Some(properties) = members.get("properties").and_then(Value::as_object) {
                let required = members.get("required").map(json::string_list).unwrap_or_default();
                *complete &= properties.keys().all(|name| required.contains(name));
                members.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            members.values_mut().for_each(|member| close(member, complete));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| close(item, complete)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Parses a request for answers that match a schema.
pub(super) fn read(request: &Value) -> Result<StructuredOutputRequest> {
    let schema = request.get("schema").filter(|schema| schema.is_object());
    let schema = schema.ok_or_else(|| ContractError::field(CODE, "schema", "must be an object"))?;
    provost_protocol::ArgumentSchema::compile(schema)
        .map_err(|error| ContractError::field(CODE, "schema", error.message()))?;
    StructuredOutputRequest::parse(request)
}
