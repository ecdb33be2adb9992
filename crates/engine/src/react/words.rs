//! What a model reads of an action that got no result from its executor. Different facts have different
//! words, and none claims more than is known.

use provost_contract::json::{self, Object};
use provost_contract::tool::{RuntimeMetadata, ToolResult};
use serde_json::{Value, json};

use crate::event::Stop;
use crate::state::Action;
use crate::{Actor, Payload, Ruling};

/// The result of an action that did not do its work: a code, and a sentence for the model.
pub(super) fn failure(action: &Action, code: &str, sentence: &str, more: Value) -> Payload {
    let mut metadata = json::into_object(json!({ "error_type": code }));
    metadata.extend(json::into_object(more));
    let result = ToolResult::failure(&action.spec.operation, sentence, metadata, RuntimeMetadata::default());
    Payload::inline(result.map(|result| result.to_object()).unwrap_or_default())
}

/// The result of an action whose answer is a payload.
pub(super) fn success(action: &Action, payload: Value, more: Value) -> Payload {
    let metadata = json::into_object(more);
    let result = ToolResult::success(&action.spec.operation, payload, metadata, RuntimeMetadata::default());
    Payload::inline(result.map(|result| result.to_object()).unwrap_or_default())
}

/// The result of an action whose output is the list of its parts' outputs: they are stored once, with the parts.
pub(super) fn parts(action: &Action, parts: &[crate::ActionId]) -> Payload {
    success(action, Value::Null, json!({ crate::state::PARTS: parts }))
}

pub(super) fn denied(action: &Action, ruling: &Ruling) -> Payload {
    let reason = if ruling.reason.is_empty() { &ruling.rule } else { &ruling.reason };
    let decision = json!({ "decision": ruling_record(ruling) });
    failure(action, "action_policy_forbidden", &format!("Not allowed: {reason}."), decision)
}

/// The record of a ruling beside a result.
pub(super) fn ruling_record(ruling: &Ruling) -> Value {
    let verdict: &'static str = ruling.decision.into();
    json!({
        "verdict": verdict,
        "layer": ruling.source,
        "rule": ruling.rule,
        "reason": ruling.reason,
        "inputs": ruling.inputs,
    })
}

fn name(actor: &Actor) -> &str {
    if actor.id.is_empty() { "a person" } else { &actor.id }
}

fn approval(by: &Actor, decision: &str, reason: &str) -> Value {
    json!({ "approval": { "by": by.id, "via": by.via, "decision": decision, "reason": reason } })
}

pub(super) fn refused(action: &Action, code: &str, by: &Actor, reason: &str) -> Payload {
    if code == "expired" {
        return failure(action, "approval_expired", "Not run: no approval came in time.", json!({}));
    }
    let sentence = match reason {
        "" => format!("Not run: {} said no.", name(by)),
        reason => format!("Not run: {} said no: {reason}", name(by)),
    };
    failure(action, "approval_rejected", &sentence, approval(by, "rejected", reason))
}

pub(super) fn superseded(action: &Action) -> Payload {
    let sentence = "Not run: the user sent a new message while this waited for an answer.";
    failure(action, "superseded", sentence, json!({}))
}

pub(super) fn in_doubt(action: &Action, left_by: Option<(&Actor, &str)>) -> Payload {
    let cause = match action.doubt.as_deref() {
        Some("timed_out") => "This took longer than its time limit",
        Some("failed") => "This failed on the way",
        Some("stopped") => "This was stopped while it ran",
        Some("may_still_run") => "The process that ran this was lost and may still run it",
        Some(_) | None => "The process died while this ran",
    };
    let left = left_by.filter(|(by, _)| !by.id.is_empty()).map(|(by, reason)| {
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        format!(": {} was asked and left it{reason}", name(by))
    });
    let sentence = format!(
        "{cause}, and it is not known whether it took effect. It was not repeated{}. Look before you try again.",
        left.unwrap_or_default()
    );
    let more = left_by.map_or_else(|| json!({}), |(by, reason)| approval(by, "left", reason));
    failure(action, "in_doubt", &sentence, more)
}

pub(super) fn attested(action: &Action, by: &Actor, payload: &Payload, reason: &str) -> Payload {
    match payload {
        Payload::Artifact(_) => payload.clone(),
        Payload::Inline { value } => success(action, value.clone(), approval(by, "happened", reason)),
    }
}

/// `by` is who cancelled the run, if the run was cancelled and not the action alone.
pub(super) fn cancelled(action: &Action, by: Option<&Actor>, midway: bool) -> Payload {
    if midway {
        let cause =
            by.map_or_else(|| "it was cancelled".to_owned(), |by| format!("{} cancelled the run", name(by)));
        let sentence = format!("Stopped while it ran: {cause}. It may have taken effect in part or in full.");
        return failure(action, "cancelled_midway", &sentence, json!({}));
    }
    let cause = by.map_or_else(
        || "it was cancelled first".to_owned(),
        |by| format!("{} cancelled the run first", name(by)),
    );
    failure(action, "cancelled", &format!("Not run: {cause}."), json!({}))
}

/// The run stopped before the action began.
pub(super) fn left_out(action: &Action, by: Option<&Actor>, stops: &[Stop]) -> Payload {
    let spent = stops.iter().find_map(|stop| match stop {
        Stop::Budget { name, limit, .. } => Some((name, limit)),
        Stop::Completed { .. }
        | Stop::Cancelled { .. }
        | Stop::Stalled { .. }
        | Stop::Interrupted { .. }
        | Stop::Failed { .. } => None,
    });
    match (by, spent) {
        (None, Some((name, limit))) => {
            let sentence = format!("Not run: the limit {name} = {limit} was spent first.");
            failure(action, "cancelled", &sentence, json!({}))
        }
        _ => cancelled(action, by, false),
    }
}

pub(super) fn timed_out(action: &Action, ms: u64) -> Payload {
    let mut sentence = format!("Stopped: no answer within {ms} ms.");
    if !action.spec.only_reads() {
        sentence.push_str(" It may have taken effect in part or in full.");
    }
    failure(action, "timed_out", &sentence, json!({ "ms_max": ms }))
}

pub(super) fn client_timed_out(action: &Action) -> Payload {
    failure(action, "runtime_tool_timeout", "No client answered in time.", json!({}))
}

pub(super) fn not_started(action: &Action, code: &str) -> Payload {
    let sentence = match code {
        "secrets_lost" => "Not run: its secret arguments were lost with the process. Call the tool again.",
        "tool_gone" => "Not run: the tool does not exist any more.",
        "seal_unavailable" => {
            "Not run: it must wait for an approval, its arguments are secret, and there is no key to seal them with."
        }
        _ => "Not run.",
    };
    failure(action, code, sentence, json!({}))
}

/// The result of a call whose arguments a person changed says so: the model asked for something else.
pub(super) fn with_change(action: &Action, result: Payload) -> Payload {
    let (Some(by), Payload::Inline { value }) = (&action.edited_by, &result) else { return result };
    let Some(mut wire) = value.as_object().cloned() else { return result };
    let mut metadata = json::object_or_empty(&wire, "metadata");
    let change: Object = json::into_object(json!({ "by": name(by), "parameters": action.args.redacted }));
    metadata.insert(crate::state::ARGUMENTS_CHANGED.to_owned(), change.into());
    wire.insert("metadata".to_owned(), metadata.into());
    Payload::inline(wire)
}
