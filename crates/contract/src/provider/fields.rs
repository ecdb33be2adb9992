//! Fields of a provider's block that have no word of ours.
//!
//! They stay with the part or message they came with, under `provider_fields`, and go back on the very
//! block: a Gemini `thoughtSignature`, the item id of an OpenAI Responses call, Anthropic citations.

use serde_json::{Value, json};

use crate::json::{self, Object};
use crate::{ContractError, Result};

/// The key under which a part, or the metadata of a message, keeps them.
pub(super) const KEY: &str = "provider_fields";
const CODE: &str = "invalid_provider_fields";

/// What one provider wrote beside what we understand, word for word.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderFields {
    /// The provider that can read them, by its wire word.
    pub provider: String,
    /// Fields of the block itself.
    pub block: Object,
    /// Fields of the message or item the block came in; kept on its first block.
    pub message: Object,
}

impl ProviderFields {
    /// Reads the wire form.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::whole(CODE, "must be an object"));
        };
        let Some(provider) = json::non_empty_text(raw, "provider") else {
            return Err(ContractError::field(CODE, "provider", "must be a non-empty string"));
        };
        let part = |key| match raw.get(key) {
            None => Ok(Object::new()),
            Some(Value::Object(fields)) => Ok(fields.clone()),
            Some(_) => Err(ContractError::field(CODE, key, "must be an object")),
        };
        Ok(Self { provider: provider.to_owned(), block: part("block")?, message: part("message")? })
    }

    /// The wire form `{provider, block?, message?}`.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({ "provider": self.provider });
        if let Some(map) = wire.as_object_mut() {
            for (key, fields) in [("block", &self.block), ("message", &self.message)] {
                if !fields.is_empty() {
                    map.insert(key.into(), Value::Object(fields.clone()));
                }
            }
        }
        wire
    }

    /// Fields of a block and its message; none when there are none.
    pub(super) fn of(provider: &str, block: Object, message: Object) -> Option<Self> {
        let any = !block.is_empty() || !message.is_empty();
        any.then(|| Self { provider: provider.to_owned(), block, message })
    }

    /// Their names, for a person.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.block.keys().chain(self.message.keys()).map(String::as_str).collect();
        names.join(", ")
    }
}

/// The block with its own fields back on it.
pub(super) fn restored(mut block: Value, fields: Option<&ProviderFields>) -> Value {
    if let (Some(block), Some(fields)) = (block.as_object_mut(), fields) {
        merge_missing(block, &fields.block);
    }
    block
}

/// Adds what is missing, at every depth; what is there stays, for it is what we mean to say.
pub(super) fn merge_missing(target: &mut Object, extra: &Object) {
    for (key, value) in extra {
        match (target.get_mut(key), value) {
            (None, _) => {
                target.insert(key.clone(), value.clone());
            }
            (Some(Value::Object(inner)), Value::Object(more)) => merge_missing(inner, more),
            (Some(_), _) => {}
        }
    }
}

/// What is left of an object without the keys we understand; a null says nothing and is not kept.
pub(super) fn rest(object: &Object, known: &[&str]) -> Object {
    let unknown = object.iter().filter(|(key, value)| !known.contains(&key.as_str()) && !value.is_null());
    unknown.map(|(key, value)| (key.clone(), value.clone())).collect()
}
