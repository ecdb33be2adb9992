//! Area `compaction-item`.

use provost_contract::Message;
use provost_contract::compaction::Item;
use serde_json::Value;

use super::{Answer, input, list, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let index = input(case, "index").as_u64();
    match op {
        "normalize" => {
            let item = input(case, "item");
            Ok(index.map_or_else(|| Item::parse(item), |index| Item::parse_at(item, index))?.to_value())
        }
        "normalize_many" => Ok(many(&Item::parse_many(list(case, "items"))?)),
        "from_message" => {
            let message = Message::parse(input(case, "message"))?;
            let item = match index {
                Some(index) => Item::from_message_at(&message, index)?,
                None => Item::from_message(&message)?,
            };
            Ok(item.to_value())
        }
        "from_messages" => Ok(many(&Item::from_messages(&Message::parse_many(list(case, "messages"))?)?)),
        _ => unknown_operation(op),
    }
}

fn many(items: &[Item]) -> Value {
    items.iter().map(Item::to_value).collect()
}
