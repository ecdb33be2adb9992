//! What follows from the word of the pre-tool mediator.

use provost_contract::Result;
use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeMetadata, ToolResult};
use provost_policy::HookAnswer;
use serde_json::{Value, json};

use super::RawCall;
use super::settle::{Decided, Outcome, outcome};
use crate::engine::{CallDeclared, RunState, SettledBy};
use crate::port::{Mediation, Rejection, Waiting};

const REJECTED: &str = "Tool call rejected by pre-tool mediator.";
const WAITING: &str = "Waiting for external runtime tool result.";

/// No opinion means the call goes on, and there is nothing to record yet; a mediator that failed has
/// allowed nothing.
///
/// # Errors
/// When the mediator's result cannot be read at all.
pub fn mediated(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    raw: &RawCall,
    answer: HookAnswer<Mediation>,
) -> Result<Option<Decided>> {
    let decided = match answer {
        Ok(None | Some(Mediation::Proceed)) => return Ok(None),
        Ok(Some(Mediation::Reject(rejection))) => rejected(declared, *rejection)?,
        Ok(Some(Mediation::Replace { result, completes })) => replaced(declared, result, completes)?,
        Ok(Some(Mediation::Wait(waiting))) => waiting_result(declared, *waiting)?,
        Err(failure) => {
            let metadata = json!({ "error_type": "pre_tool_mediation_failed" });
            let error = format!("Tool call rejected: the pre-tool mediator gave no decision ({failure}).");
            let result = failed(declared, &error, json::into_object(metadata), RuntimeMetadata::default())?;
            Outcome { by: SettledBy::Rejection, result, completes: false }
        }
    };
    outcome(state, place, declared, raw, decided).map(Some)
}

/// A refusal may bring its whole result; one that is no result is left aside.
fn rejected(declared: &CallDeclared, rejection: Rejection) -> Result<Outcome> {
    let completes = rejection.completes;
    if let Some(result) = rejection.result.and_then(|result| ToolResult::parse(&Value::Object(result)).ok()) {
        return Ok(Outcome { by: SettledBy::Rejection, result, completes });
    }
    let mut metadata = rejection.metadata;
    if json::present(&metadata, "error_type").is_none() {
        metadata.insert("error_type".into(), "pre_tool_mediation_rejected".into());
    }
    let result =
        failed(declared, rejection.error.as_deref().unwrap_or(REJECTED), metadata, rejection.runtime)?;
    Ok(Outcome { by: SettledBy::Rejection, result, completes })
}

fn replaced(declared: &CallDeclared, mut result: Object, completes: bool) -> Result<Outcome> {
    if json::non_empty_text(&result, "tool_name").is_none() {
        result.insert("tool_name".into(), declared.name.as_str().into());
    }
    let result = ToolResult::parse(&Value::Object(result))?;
    Ok(Outcome { by: SettledBy::Replacement, result, completes })
}

fn waiting_result(declared: &CallDeclared, waiting: Waiting) -> Result<Outcome> {
    let mut metadata = waiting.metadata;
    metadata.insert("status".into(), "runtime_tool_pending".into());
    let result = failed(declared, waiting.error.as_deref().unwrap_or(WAITING), metadata, waiting.runtime)?;
    Ok(Outcome { by: SettledBy::Replacement, result, completes: false })
}

fn failed(
    declared: &CallDeclared,
    error: &str,
    metadata: Object,
    runtime: RuntimeMetadata,
) -> Result<ToolResult> {
    ToolResult::failure(&declared.name, error, metadata, runtime)
}
