//! What Responses demand of one item, and how items lean on each other.

use std::collections::HashSet;

use serde_json::Value;

use crate::provider::body::{text_at, type_of};
use crate::provider::item::Speaker;
use crate::provider::pairs::Half;
use crate::provider::prepare::{CallIds, Characters};
use crate::provider::refusal::Rule;

/// What Responses demand of a `call_id`.
pub(super) const CALL_IDS: CallIds = CallIds { length_max: 64, characters: Characters::Any };
const ROLES: [&str; 4] = ["system", "developer", "user", "assistant"];
const ITEM_IDS: CallIds = CallIds { length_max: 64, characters: Characters::Word };

/// The type of an item; a message need not say it.
pub(super) fn item_type(item: &Value) -> &str {
    match type_of(item) {
        "" if item.get("role").is_some() => "message",
        kind => kind,
    }
}

/// Who speaks in an item that is no message: outputs come from our side.
pub(super) fn item_speaker(kind: &str) -> Speaker {
    if kind.ends_with("_output") { Speaker::User } else { Speaker::Assistant }
}

/// Why the id of an item would be refused.
pub(super) fn id_refusal(item: &Value) -> Option<(Rule, String)> {
    let prefix = match item_type(item) {
        "message" => "msg",
        "function_call" => "fc",
        "reasoning" => "rs",
        _ => return None,
    };
    let id = match item.get("id") {
        None | Some(Value::Null) => return None,
        Some(id) => id.as_str().unwrap_or_default(),
    };
    // Only what the model wrote has such an id; a message of the user may have any.
    let model_wrote = item_type(item) != "message" || text_at(item, "role") == "assistant";
    let fits = ITEM_IDS.allow(id) && (!model_wrote || id.starts_with(prefix));
    let why = || format!("the id {id:?} of a {} item must begin with {prefix} (at most 64)", item_type(item));
    (!fits).then(|| (Rule::ItemId, why()))
}

/// Why a content part would be refused in a message of this role.
pub(super) fn part_refusal(part: &Value, role: &str) -> Option<(Rule, String)> {
    let kind = type_of(part);
    let written = matches!(kind, "output_text" | "refusal");
    let texts = matches!(kind, "input_text" | "output_text");
    if kind.is_empty() || (texts && !part.get("text").is_some_and(Value::is_string)) {
        return Some((Rule::Shape, "a content part must have a type, and a text part a text".to_owned()));
    }
    let fits = if role == "assistant" { written } else { !written };
    (!fits).then(|| (Rule::BlockPlace, format!("a {kind} part cannot stand in a message of the {role}")))
}

/// Why a message would be refused.
pub(super) fn message_refusals(item: &Value) -> Vec<(Rule, String)> {
    let role = text_at(item, "role");
    if !ROLES.contains(&role) {
        return vec![(Rule::Role, format!("the role {role:?} must be one of {}", ROLES.join(", ")))];
    }
    match item.get("content") {
        Some(Value::String(_)) => Vec::new(),
        Some(Value::Array(parts)) if parts.is_empty() => {
            vec![(Rule::EmptyContent, "content must be text or at least one part".to_owned())]
        }
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part_refusal(part, role)).collect(),
        _ => vec![(Rule::Shape, "content must be text or a list of parts".to_owned())],
    }
}

/// Why a reasoning item would be refused on its own.
pub(super) fn reasoning_refusal(item: &Value) -> Option<(Rule, String)> {
    if item_type(item) != "reasoning" {
        return None;
    }
    let named = !text_at(item, "id").is_empty() || !text_at(item, "encrypted_content").is_empty();
    if !named || !item.get("summary").is_some_and(Value::is_array) {
        let why = "a reasoning item needs its summary, and its id or encrypted_content".to_owned();
        return Some((Rule::Shape, why));
    }
    None
}

/// Whether the model wrote this item, so that reasoning may lead to it.
pub(super) fn is_output(item: &Value) -> bool {
    match item_type(item) {
        "message" => text_at(item, "role") == "assistant",
        kind => item_speaker(kind) == Speaker::Assistant,
    }
}

/// The positions of reasoning items that lead to nothing.
pub(super) fn reasoning_alone<'a>(items: impl DoubleEndedIterator<Item = &'a Value>) -> HashSet<usize> {
    let mut alone = HashSet::new();
    let mut leads = false;
    let items: Vec<&Value> = items.collect();
    for (position, item) in items.iter().enumerate().rev() {
        if item_type(item) == "reasoning" && !leads {
            alone.insert(position);
            continue;
        }
        leads = is_output(item);
    }
    alone
}

/// The calls among items: everything with a `call_id` that waits for an output.
pub(super) fn calls<'a>(items: impl Iterator<Item = (usize, &'a Value)>) -> Vec<Half<'a>> {
    items.filter(|(_, item)| item_type(item).ends_with("_call")).filter_map(half).collect()
}

/// The outputs among items.
pub(super) fn outputs<'a>(items: impl Iterator<Item = (usize, &'a Value)>) -> Vec<Half<'a>> {
    items.filter(|(_, item)| item_type(item).ends_with("_call_output")).filter_map(half).collect()
}

fn half((index, item): (usize, &Value)) -> Option<Half<'_>> {
    item.get("call_id").filter(|id| !id.is_null())?;
    Some(Half { index, id: text_at(item, "call_id"), name: text_at(item, "name") })
}
