//! Area `message`.

use provost_contract::message::{self, Message, MessageType};
use serde_json::{Value, json};
use strum::VariantArray as _;

use super::{Answer, input, list, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "supported_types" => Ok(json!(MessageType::VARIANTS)),
        "text" => {
            Ok(Message::new(text(case, "role"), input(case, "content"), object(case, "metadata"))?.to_value())
        }
        "tool_call" => Ok(Message::tool_call(
            text(case, "content"),
            text(case, "tool_name"),
            object(case, "parameters"),
            input(case, "turn").as_u64().unwrap_or_default(),
            object(case, "metadata"),
        )
        .to_value()),
        "tool_result" => Ok(Message::tool_result(
            text(case, "content"),
            text(case, "tool_name"),
            object(case, "payload"),
            object(case, "metadata"),
        )
        .to_value()),
        "approval_required" => Ok(Message::approval_required(
            text(case, "content"),
            object(case, "payload"),
            object(case, "metadata"),
        )
        .to_value()),
        "normalize" => Ok(Message::parse(input(case, "message"))?.to_value()),
        "normalize_many" => Ok(many(&messages(case)?)),
        "type" => Ok(json!(Message::parse(input(case, "message"))?.kind)),
        "to_provider_message" => Ok(message::to_provider_message(&Message::parse(input(case, "message"))?)),
        "to_provider_messages" => Ok(message::to_provider_messages(&messages(case)?).into()),
        "coalesce" => Ok(many(&message::coalesce(&messages(case)?)?)),
        _ => unknown_operation(op),
    }
}

fn messages(case: &Value) -> Result<Vec<Message>, Value> {
    Ok(Message::parse_many(list(case, "messages"))?)
}

fn many(messages: &[Message]) -> Value {
    messages.iter().map(Message::to_value).collect()
}
