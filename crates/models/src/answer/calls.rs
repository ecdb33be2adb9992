//! The calls of an answer.

use provost_contract::Message;
use provost_contract::json;
use provost_contract::provider_turn::RequestedCall;
use provost_runtime::port::Carrier;
use serde_json::{Value, json};

use crate::api::Finish;

/// The name of a call that the provider itself could not read: which tool was meant is unknown.
const UNREADABLE_CALL: &str = "unreadable/call";

/// The calls as a turn lists them. One with unreadable arguments says why: it is not made, and the model
/// gets that as its result.
pub(super) fn requested(calls: &[Message], finish: &Finish, turn: u64) -> Vec<Value> {
    match finish {
        Finish::Malformed(words) if calls.is_empty() => {
            let reason = format!("the provider could not read the call ({words})");
            vec![call_of(UNREADABLE_CALL, &format!("unreadable-{turn}"), &json!({}), Some(&reason))]
        }
        _ => calls.iter().map(|call| request(call, finish)).collect(),
    }
}

fn request(call: &Message, finish: &Finish) -> Value {
    let reason = call.payload.get("unread_arguments").map(|unread| reason(unread, finish));
    let parameters = call.payload.get("parameters").cloned().unwrap_or_default();
    let mut written = call_of(call.tool_name(), call.tool_call_id(), &parameters, reason.as_deref());
    // A declaration is read by rules of its own, which say what is wrong with it and where.
    let unread = call.payload.get("unread_arguments").filter(|_| call.tool_name() == Carrier::NAME);
    if let (Some(unread), Some(metadata)) =
        (unread, written.get_mut("metadata").and_then(Value::as_object_mut))
    {
        let text = unread.as_str().map_or_else(|| unread.to_string(), str::to_owned);
        metadata.insert(Carrier::UNREAD_TEXT.into(), text.into());
    }
    written
}

fn call_of(name: &str, id: &str, parameters: &Value, unread: Option<&str>) -> Value {
    let mut call = json!({ "name": name, "id": id, "parameters": parameters });
    if let (Some(call), Some(reason)) = (call.as_object_mut(), unread) {
        call.insert("metadata".into(), json!({ RequestedCall::UNREAD_ARGUMENTS: reason }));
    }
    call
}

/// What is wrong with arguments, without their text: it may hold secrets, and the reason is recorded.
fn reason(unread: &Value, finish: &Finish) -> String {
    if *finish == Finish::Length {
        return "the answer reached its limit of tokens within them; write less at once".to_owned();
    }
    let parsed = unread.as_str().map(json::parse_text);
    match (&parsed, unread) {
        (Some(Err(error)), _) => format!("they are no JSON ({})", error.message()),
        (Some(Ok(value)), _) | (None, value) => format!("they are {}, not an object", kind_of(value)),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object in a text",
    }
}
