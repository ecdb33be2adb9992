//! One piece of background an action gets: a reference, and its text once it is known.

use serde_json::{Value, json};

use super::{CODE, Reference};
use crate::{ContractError, Result, canonical, json as read};

/// A reference with the text it stood for when the declaration was accepted.
///
/// Sections of the declaring message are expanded at once; everything else is resolved by the runtime
/// when the action starts, because it may not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRef {
    /// What is meant.
    pub reference: Reference,
    /// What it says, when that is known already.
    pub text: Option<String>,
}

impl ContextRef {
    /// The hash of the expanded text: what the executor was really given.
    pub fn hash(&self) -> Option<String> {
        self.text.as_ref().map(|text| canonical::text_hash(text))
    }

    /// Reads `{ref, text?, hash?}`; a hash that does not fit the text is refused.
    pub fn parse(value: &Value) -> Result<Self> {
        let Some(raw) = value.as_object() else {
            return Err(ContractError::field(CODE, "context_refs", "must hold objects with a ref"));
        };
        read::only_keys(CODE, "context_refs", raw, &["ref", "text", "hash"])?;
        let reference = Reference::parse(read::text(raw, "ref").unwrap_or_default())?;
        let parsed = Self { reference, text: read::text(raw, "text").map(str::to_owned) };
        match read::text(raw, "hash") {
            Some(hash) if parsed.hash().as_deref() != Some(hash) => {
                Err(ContractError::field(CODE, "context_refs.hash", "does not fit the text"))
            }
            Some(_) | None => Ok(parsed),
        }
    }

    /// The wire form `{ref, text?, hash?}`.
    pub fn to_value(&self) -> Value {
        match (&self.text, self.hash()) {
            (Some(text), Some(hash)) => {
                json!({ "ref": self.reference.to_string(), "text": text, "hash": hash })
            }
            (_, _) => json!({ "ref": self.reference.to_string() }),
        }
    }
}
