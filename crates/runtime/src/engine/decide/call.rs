//! Reading the calls of a turn: which tool is meant, what may be shown of it, whether it can be executed.

use std::sync::Arc;

use provost_contract::Result;
use provost_contract::canonical;
use provost_contract::json::{self, Object};
use provost_contract::tool::{ParameterRules, ToolCall, ToolDeclaration};
use serde_json::Value;

use super::execution::{Prepared, Tool, prepare};
use crate::engine::{CallDeclared, RunState};

/// A call with everything an executor needs. Its parameters are raw: it lives in memory only, and only
/// until the call is settled.
#[derive(Clone, Debug)]
pub struct RawCall {
    /// The call as the model wrote it.
    pub raw: Object,
    /// The model's arguments.
    pub parameters: Object,
    /// The call an executor gets; none when it could not be prepared.
    pub prepared: Option<ToolCall>,
}

/// Reads the calls of a turn. An entry that names no tool is left out, but keeps its place in the count.
pub(super) fn declare(
    state: &RunState,
    context: &Object,
    calls: &[Value],
) -> Result<(Vec<Arc<CallDeclared>>, Vec<RawCall>)> {
    let named = calls.iter().enumerate().filter_map(|(position, value)| {
        let raw = value.as_object()?;
        let name = json::non_empty_text(raw, "name").or_else(|| json::non_empty_text(raw, "tool_name"))?;
        Some(declare_one(state, context, raw, name, position + 1))
    });
    named.collect()
}

fn declare_one(
    state: &RunState,
    context: &Object,
    raw: &Object,
    called: &str,
    position: usize,
) -> Result<(Arc<CallDeclared>, RawCall)> {
    let id = call_id(raw).unwrap_or_else(|| format!("tool-call-{}-{position}", state.turn));
    let parameters = json::object_or_empty(raw, "parameters");
    let declaration = state.rules.catalog.find(called);
    let redacted = match declaration {
        Some(declaration) => declaration.rules().redact(&parameters),
        None => ParameterRules::default().redact(&parameters),
    };
    let mut context = context.clone();
    context.insert("tool_call_id".into(), id.as_str().into());
    let prepared = prepare(declaration.map(Tool::from).as_ref(), called, &parameters, &context)?;
    let (prepared, unprepared) = match prepared {
        Prepared::Ready(call) => (Some(call), None),
        Prepared::Refused(result) => (None, Some(result.to_object())),
    };
    let declared = CallDeclared {
        id,
        name: declaration
            .map_or(called, |declaration: &ToolDeclaration| declaration.name().as_str())
            .to_owned(),
        declared: declaration.is_some(),
        parameters_sha256: redacted.sha256(),
        parameters: redacted.as_object().clone(),
        raw_sha256: canonical::hash(&Value::Object(parameters.clone())),
        unprepared,
    };
    Ok((Arc::new(declared), RawCall { raw: raw.clone(), parameters, prepared }))
}

/// The model's id. A blank or unreadable one counts as none, and hides the other key.
fn call_id(raw: &Object) -> Option<String> {
    let given = json::present(raw, "id").or_else(|| json::present(raw, "tool_call_id"))?;
    given.as_str().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned)
}
