//! Asking a person: the pending action, and the message that stands for it in the transcript.

use std::sync::Arc;

use provost_contract::approval::{PendingAction, approval_message};
use provost_contract::json::{self, Object};
use provost_contract::{Result, canonical, timestamp};
use provost_policy::{ActionPolicy, Decision, PERSON_ONLY};
use serde_json::{Value, json};

use super::{Decided, idempotency_key};
use crate::engine::{CallDeclared, CallWaits, Meanwhile, Proposal, RunState, WaitsFor};

const CALL: &str = "tool_call";
const IN_DOUBT: &str = "in_doubt";

/// Asks whether a call may run.
///
/// # Errors
/// When the question cannot be written down.
pub fn propose(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    decision: &Decision<ActionPolicy>,
    preview: Option<Value>,
    now_ms: i64,
) -> Result<Decided> {
    let summary = format!("{} wants to run {}: {}", agent(state), declared.name, decision.reason);
    let mut metadata = Object::from_iter([("decision".to_owned(), decision.to_value())]);
    if decision.is_person_only() {
        metadata.insert(PERSON_ONLY.to_owned(), true.into());
    }
    let action = pending(state, declared, (CALL, &summary), preview, metadata, now_ms)?;
    Ok(asked(place, action, declared, WaitsFor::Approval))
}

/// Asks what became of a call that was started before the process died.
///
/// # Errors
/// When the question cannot be written down.
pub fn propose_doubt(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    now_ms: i64,
) -> Result<Decided> {
    let summary = format!(
        "{} was running when the process died, and it is not known whether it took effect.",
        declared.name
    );
    let action = pending(state, declared, (IN_DOUBT, &summary), None, Object::new(), now_ms)?;
    Ok(asked(place, action, declared, WaitsFor::Doubt))
}

fn asked(
    place: usize,
    action: PendingAction,
    declared: &CallDeclared,
    waits_for: impl FnOnce(Proposal) -> WaitsFor,
) -> Decided {
    let metadata = Object::from_iter([("tool_call_id".to_owned(), declared.id.as_str().into())]);
    let message = approval_message(&action, None, &[], metadata);
    let proposal = Proposal { envelope: message.to_value(), message: Arc::new(message) };
    let waits = CallWaits { call: place, waits_for: waits_for(proposal), meanwhile: Meanwhile::Others };
    Decided { kinds: vec![waits.into()], client_request: None, proposal: Some(Box::new(action)) }
}

/// One question per attempt of a call: asked again after a crash, it has the same id.
fn pending(
    state: &RunState,
    declared: &CallDeclared,
    (kind, summary): (&str, &str),
    preview: Option<Value>,
    more: Object,
    now_ms: i64,
) -> Result<PendingAction> {
    let key = idempotency_key(state, declared);
    let asked = state.batch.in_all().find(|call| call.declared.id == declared.id);
    let attempts = asked.map_or(0, |call| call.attempts);
    let mut metadata = json::into_object(json!({
        "run_id": state.spec.run,
        "session_id": state.spec.session.as_ref().map(|session| &session.id),
        "turn": state.turn,
        "tool_name": declared.name,
        "tool_call_id": declared.id,
        "arguments_sha256": declared.raw_sha256(),
        "key": key,
        "approvers": state.spec.approvers(),
    }));
    metadata.extend(more);
    let shown = || json!({ "tool_name": declared.name, "parameters": declared.parameters });
    let ends = state.spec.limits.approval_ms_max.and_then(|ms| now_ms.checked_add_unsigned(ms));
    PendingAction::parse(&json!({
        "action_id": action_id(&format!("{key}/{kind}/{attempts}")),
        "kind": kind,
        "summary": summary,
        "preview": preview.unwrap_or_else(shown),
        "apply_input": shown(),
        "workspace": state.spec.policy.get("workspace").filter(|scope| scope.is_object()),
        "agent": Some(&state.spec.about.agent).filter(|agent| !agent.is_empty()),
        "creator": proposer(state),
        "created_at": moment(now_ms),
        // Records know whole seconds: the last one is granted, so that nobody has less time than was said.
        "expires_at": ends.map(|end_ms| moment(end_ms.saturating_add(999))),
        "metadata": metadata,
    }))
}

fn action_id(key: &str) -> String {
    let hex = canonical::sha256_hex(key.as_bytes());
    format!("act_{}", hex.get(..26).unwrap_or(&hex))
}

fn agent(state: &RunState) -> &str {
    Some(state.spec.about.agent.as_str()).filter(|agent| !agent.is_empty()).unwrap_or("the agent")
}

fn proposer(state: &RunState) -> Option<String> {
    let agent = Some(&state.spec.about.agent).filter(|agent| !agent.is_empty());
    agent.map(|agent| format!("agent:{agent}"))
}

/// A moment as records write it.
pub(super) fn moment(at_ms: i64) -> String {
    timestamp::iso8601(at_ms.div_euclid(1_000))
}
