//! The calls of an answer.

use provost_contract::Message;
use serde_json::{Value, json};

use crate::api::Finish;
use crate::{Fault, FaultKind};

/// How much of unreadable arguments is shown.
const SHOWN_MAX: usize = 200;

/// The calls as a turn lists them. Arguments nobody can read stop here: a call without its arguments is
/// another call, and nobody asked for that one.
pub(super) fn requested(calls: &[Message], finish: &Finish) -> Result<Vec<Value>, Fault> {
    calls.iter().map(|call| request(call, finish)).collect()
}

fn request(call: &Message, finish: &Finish) -> Result<Value, Fault> {
    if let Some(unread) = call.payload.get("unread_arguments") {
        return Err(unreadable(call, unread, finish));
    }
    Ok(json!({
        "name": call.tool_name(),
        "id": call.tool_call_id(),
        "parameters": call.payload.get("parameters"),
    }))
}

fn unreadable(call: &Message, unread: &Value, finish: &Finish) -> Fault {
    let tool = call.tool_name();
    let text = unread.as_str().map_or_else(|| unread.to_string(), str::to_owned);
    let shown: String = text.chars().take(SHOWN_MAX).collect();
    match finish {
        // The same request would be cut at the same place.
        Finish::Length => Fault::new(
            FaultKind::BadRequest,
            format!("the answer reached its limit of tokens within a call of {tool}; allow more max_tokens"),
        ),
        Finish::Done | Finish::Refused(_) | Finish::Malformed(_) | Finish::Other(_) => Fault::new(
            FaultKind::MalformedArguments,
            format!("the model called {tool} with arguments that are no JSON object: {shown}"),
        ),
    }
}
