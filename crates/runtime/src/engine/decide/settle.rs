//! Giving a call its one result, or finding that it has to wait.

use provost_contract::Result;
use provost_contract::approval::PendingAction;
use provost_contract::json::{self, Object};
use provost_contract::tool::{FailureSignature, RuntimeToolRequest, ToolResult};
use provost_policy::ActionPolicy;
use serde_json::{Value, json};

use super::authorise::{allowed_by, forbidden};
use super::{RawCall, unfinished, wait};
use crate::engine::{
    ActionStarted, CallDeclared, CallSettled, CallWaits, Kind, Meanwhile, RunState, SettledBy, Truncated,
    WaitsFor, Word,
};
use crate::port::Seq;

/// The key under which a result says who changed the arguments, and what they became.
pub(in crate::engine) const ARGUMENTS_CHANGED: &str = "arguments_changed";

/// A result on its way into the journal.
pub(super) struct Outcome {
    /// Who gave it.
    pub(super) by: SettledBy,
    /// The result.
    pub(super) result: ToolResult,
    /// Whether the mediator ended the run's work with it.
    pub(super) completes: bool,
}

/// What happens to a call nobody objects to: it is executed, or fails because it cannot be. Whatever
/// road led here, what the policy forbids is not executed.
pub(in crate::engine) fn proceed(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    word: Option<Word>,
) -> Kind {
    let configured = state.rules.facts(&declared.name).map(|facts| &facts.decision);
    if let Some(refusal) = configured.filter(|decision| decision.verdict == ActionPolicy::Forbidden) {
        return forbidden(state, place, declared, refusal);
    }
    match &declared.unprepared {
        Some(result) => settled(state, place, declared, SettledBy::Preparation, result.clone(), false),
        None => started(state, place, declared, word.or_else(|| allowed_by(state, declared))),
    }
}

/// Another attempt of a call, if its arguments are still known.
pub(super) fn attempt(state: &RunState, place: usize, declared: &CallDeclared, raw: &RawCall) -> Kind {
    match raw.prepared {
        Some(_) => started(state, place, declared, None),
        None => unfinished::lost(state, place, declared),
    }
}

fn started(state: &RunState, place: usize, declared: &CallDeclared, word: Option<Word>) -> Kind {
    let attempts = state.batch.call(place).map_or(0, |call| call.attempts);
    let key = idempotency_key(state, declared);
    let known = word.as_ref().and_then(|word| state.words.place_of(word));
    let (allowed_by, allowed_as) = match known {
        Some(Seq(record)) => (None, Some(record)),
        None => (word, None),
    };
    ActionStarted { call: place, key, attempt: attempts + 1, process: None, allowed_by, allowed_as }.into()
}

/// One key per call of a run, the same on every attempt.
pub fn idempotency_key(state: &RunState, declared: &CallDeclared) -> String {
    [state.spec.run.as_str(), &state.turn.to_string(), &declared.id].join("/")
}

/// What an answer about a call became.
#[derive(Clone, Debug)]
pub struct Decided {
    /// What is recorded.
    pub kinds: Vec<Kind>,
    /// What the client gets when the call waits for it. It holds raw parameters and is recorded nowhere.
    pub client_request: Option<Box<RuntimeToolRequest>>,
    /// What somebody is asked to decide when the call waits for that.
    pub proposal: Option<Box<PendingAction>>,
}

impl From<Kind> for Decided {
    fn from(kind: Kind) -> Self {
        Self { kinds: vec![kind], client_request: None, proposal: None }
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
        let proposal = proposal_of(&waits_for).map(Box::new);
        let waits = CallWaits { call: place, waits_for, meanwhile: Meanwhile::Nothing };
        let client_request = client_request.map(Box::new);
        return Ok(Decided { kinds: vec![waits.into()], client_request, proposal });
    }
    Ok(settled(state, place, declared, outcome.by, outcome.result.into_object(), outcome.completes).into())
}

/// The pending action a tool proposed itself, when its proposal is one.
fn proposal_of(waits_for: &WaitsFor) -> Option<PendingAction> {
    match waits_for {
        WaitsFor::Approval(proposal) | WaitsFor::Doubt(proposal) => {
            PendingAction::parse(proposal.envelope.get("payload")?).ok()
        }
        WaitsFor::Client(_) => None,
    }
}

/// The settled call: its result within its size, and what the model is told when it keeps failing.
pub(super) fn settled(
    state: &RunState,
    place: usize,
    declared: &CallDeclared,
    by: SettledBy,
    result: Object,
    completes: bool,
) -> Kind {
    let result = with_change(state, place, declared, result);
    let (result, truncated) = within_size(state, declared, result);
    let nudge = nudge(state, declared, &result);
    let diagnostics = Object::new();
    CallSettled { call: place, by, result, truncated, completes, nudge, diagnostics }.into()
}

/// The result of a call whose arguments a person changed says so: the model asked for something else.
fn with_change(state: &RunState, place: usize, declared: &CallDeclared, mut result: Object) -> Object {
    let Some(by) = state.batch.call(place).and_then(|call| call.changed_by.as_ref()) else { return result };
    let mut metadata = json::object_or_empty(&result, "metadata");
    metadata.insert(ARGUMENTS_CHANGED.to_owned(), json!({ "by": by, "parameters": declared.parameters }));
    result.insert("metadata".to_owned(), Value::Object(metadata));
    result
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
    let failed = json::get(result, "success") != Some(&true.into());
    let counts = failed && !state.rules.is_repeatable(&declared.name);
    let mut tracker = state.failures.clone().filter(|_| counts)?;
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
