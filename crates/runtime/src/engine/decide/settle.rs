//! Giving a call its one result, or finding that it has to wait.

use provost_contract::Result;
use provost_contract::json::{self, Object};
use provost_contract::tool::{
    AuditedCall, FailureSignature, RedactedParameters, RuntimeToolRequest, ToolDeclaration, ToolResult,
};

use super::RawCall;
use super::wait;
use crate::engine::{
    ActionStarted, CallDeclared, CallSettled, CallWaits, Kind, RunState, SettledBy, Truncated,
};

/// A result on its way into the journal.
pub(super) struct Outcome {
    /// Who gave it.
    pub(super) by: SettledBy,
    /// The result.
    pub(super) result: ToolResult,
    /// Whether the mediator ended the run's work with it.
    pub(super) completes: bool,
}

/// What happens to a call nobody objects to: it is executed, or fails because it cannot be.
pub(in crate::engine) fn proceed(state: &RunState, place: usize, declared: &CallDeclared) -> Kind {
    match &declared.unprepared {
        Some(result) => settled(state, place, declared, SettledBy::Preparation, result.clone(), false),
        None => ActionStarted { call: place, key: idempotency_key(state, declared), attempt: 1 }.into(),
    }
}

/// One key per call of a run, the same on every attempt.
pub fn idempotency_key(state: &RunState, declared: &CallDeclared) -> String {
    format!("{}/{}/{}", state.spec.run, state.turn, declared.id)
}

/// What an answer about a call became.
#[derive(Clone, Debug)]
pub struct Decided {
    /// What is recorded.
    pub kinds: Vec<Kind>,
    /// What the client gets when the call waits for it. It holds raw parameters and is recorded nowhere.
    pub client_request: Option<RuntimeToolRequest>,
}

impl From<Kind> for Decided {
    fn from(kind: Kind) -> Self {
        Self { kinds: vec![kind], client_request: None }
    }
}

/// A call waits when its result says so; otherwise it is settled.
pub(super) fn outcome(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    raw: &RawCall,
    outcome: Outcome,
) -> Result<Decided> {
    if let Some((waits_for, client_request)) = wait::found(state, declared, raw, &outcome.result)? {
        return Ok(Decided { kinds: vec![CallWaits { call: place, waits_for }.into()], client_request });
    }
    Ok(settled(state, place, declared, outcome.by, outcome.result.to_object(), outcome.completes).into())
}

/// The settled call: its result within its size, its audit record, and what the model is told when it
/// keeps failing.
pub(super) fn settled(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    by: SettledBy,
    result: Object,
    completes: bool,
) -> Kind {
    let (result, truncated) = within_size(state, declared, result);
    let parameters = RedactedParameters::replaced_by_host(declared.parameters.clone());
    let audit = AuditedCall {
        tool_name: &declared.name,
        tool_call_id: &declared.id,
        tool_source: state.rules.catalog.get(&declared.name).map_or("", ToolDeclaration::source),
        turn: state.turn,
        parameters: &parameters,
        result: &result,
    };
    let audit = audit.to_event();
    let nudge = nudge(state, declared, &result);
    CallSettled { call: place, by, result, audit, truncated, completes, nudge }.into()
}

fn within_size(state: &RunState, declared: &CallDeclared, result: Object) -> (Object, Option<Truncated>) {
    let Some(truncation) = state.rules.truncator.map(|truncator| truncator.truncate(&result)) else {
        return (result, None);
    };
    if !truncation.truncated {
        return (result, None);
    }
    let mut metadata = truncation.metadata;
    metadata.insert("turn".into(), state.turn.into());
    metadata.insert("tool_name".into(), declared.name.as_str().into());
    metadata.insert("tool_call_id".into(), declared.id.as_str().into());
    (truncation.result, Some(Truncated { metadata, original: result }))
}

fn nudge(state: &RunState, declared: &CallDeclared, result: &Object) -> Option<Object> {
    let failed = result.get("success") != Some(&true.into());
    let mut tracker = state.failures.clone().filter(|_| failed)?;
    let signature = FailureSignature::of_call(declared.signature(), result);
    let repeated = tracker.observe(&signature);
    let message = repeated.nudge?;
    let mut told = json::into_object(signature.to_value());
    told.insert("turn".into(), state.turn.into());
    told.insert("repeat_count".into(), repeated.repeat_count.into());
    told.insert("threshold".into(), tracker.threshold().into());
    told.insert("message".into(), message.into());
    Some(told)
}
