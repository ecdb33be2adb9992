//! What a tool does to the world, as one typed value that policy and engine read alike.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolDeclaration;
use crate::action::{Idempotency, Resource, SideEffect, SideEffects};
use crate::{ContractError, Result, json};

const CODE: &str = "invalid_tool_facts";

/// What equal calls in a row of a tool mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DuplicatePolicy {
    /// They are a sign that the model is stuck.
    #[default]
    Detect,
    /// They are its normal use, such as of a tool that waits or polls.
    Repeatable,
}

/// What happens when a tool that cannot be repeated exceeds its time limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// The model reads that the outcome is in doubt.
    #[default]
    Tell,
    /// A person is asked what became of it.
    Ask,
}

/// What a tool does to the world. Silence means that it writes, is never repeated and runs alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolFacts {
    /// What it changes outside.
    #[serde(skip_serializing_if = "is_default")]
    pub effects: SideEffects,
    /// Whether it may be done again.
    #[serde(skip_serializing_if = "is_default")]
    pub idempotency: Idempotency,
    /// Whether its executor takes the idempotency key and recognises a repetition by it.
    #[serde(skip_serializing_if = "is_default")]
    pub takes_key: bool,
    /// The categories that policies name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// The capability that its caller must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// What it reads and writes; empty means everything in its workspace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
    /// What equal calls in a row mean.
    #[serde(skip_serializing_if = "is_default")]
    pub duplicate_policy: DuplicatePolicy,
    /// How long it may take; none leaves that to the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What happens when it takes longer.
    #[serde(skip_serializing_if = "is_default")]
    pub on_timeout: OnTimeout,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl ToolFacts {
    /// Reads the facts of a declaration.
    ///
    /// # Errors
    /// If a field is not what it must be; a field that was misread would promise too much.
    pub fn of(tool: &ToolDeclaration) -> Result<Self> {
        let said = |field: &str| tool.extension(field).cloned().unwrap_or_default();
        let runtime = |field: &str| tool.runtime().as_object().get(field).cloned().unwrap_or_default();
        let idempotency = match said("idempotency") {
            Value::Null => Idempotency::None,
            word => json::word(CODE, "idempotency", &word)?,
        };
        let texts = |field: &str| match said(field) {
            Value::Null => Ok(Vec::new()),
            list => json::texts(CODE, field, &list),
        };
        Ok(Self {
            effects: effects(&said("side_effects"), flag("write", &said("write"))?)?,
            idempotency,
            takes_key: flag("takes_key", &said("takes_key"))?.unwrap_or(idempotency == Idempotency::Keyed),
            categories: texts("categories")?,
            capability: said("required_capability").as_str().map(str::to_owned),
            resources: match said("resources") {
                Value::Null => Vec::new(),
                list => Resource::parse_all(&list)?,
            },
            duplicate_policy: choice("duplicate_policy", &runtime("duplicate_policy"))?,
            timeout_ms: timeout(&said("timeout_ms"), &said("timeout_seconds"))?,
            on_timeout: choice("on_timeout", &said("on_timeout"))?,
        })
    }

    /// Returns whether it changes nothing outside.
    pub fn only_reads(&self) -> bool {
        self.effects.are_harmless()
    }

    /// Returns whether a second attempt is safe once the first one's process is gone.
    pub fn may_repeat(&self) -> bool {
        match self.idempotency {
            Idempotency::Pure | Idempotency::Transactional => true,
            Idempotency::Keyed => self.takes_key,
            Idempotency::None => self.only_reads(),
        }
    }
}

/// Reads the effects; `write: true` and `write: false` are short for lists.
fn effects(listed: &Value, writes: Option<bool>) -> Result<SideEffects> {
    match (SideEffects::parse(listed)?, writes) {
        (SideEffects::Unknown, Some(false)) => Ok([SideEffect::Read].into_iter().collect()),
        (SideEffects::Unknown, Some(true)) => Ok([SideEffect::Write].into_iter().collect()),
        (SideEffects::Unknown, None) => Ok(SideEffects::Unknown),
        (effects, Some(false)) if !effects.are_harmless() => {
            Err(ContractError::field(CODE, "write", "must not be false beside side effects that write"))
        }
        (effects, Some(true)) if effects.are_harmless() => {
            Err(ContractError::field(CODE, "write", "must not be true beside side effects that only read"))
        }
        (effects, Some(_) | None) => Ok(effects),
    }
}

fn flag(field: &'static str, value: &Value) -> Result<Option<bool>> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(flag) => Ok(Some(*flag)),
        Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            Err(ContractError::field(CODE, field, "must be true or false"))
        }
    }
}

fn choice<T: Default + serde::de::DeserializeOwned>(field: &'static str, value: &Value) -> Result<T> {
    if value.is_null() {
        return Ok(T::default());
    }
    serde_json::from_value(value.clone())
        .map_err(|error| ContractError::field(CODE, field, &format!("is not a known word: {error}")))
}

/// A time limit is said once, in milliseconds or in seconds.
fn timeout(ms: &Value, seconds: &Value) -> Result<Option<u64>> {
    let (field, value, factor) = match (ms, seconds) {
        (Value::Null, Value::Null) => return Ok(None),
        (ms, Value::Null) => ("timeout_ms", ms, 1),
        (Value::Null, seconds) => ("timeout_seconds", seconds, 1_000),
        (_, _) => {
            return Err(ContractError::field(CODE, "timeout_ms", "must not stand beside timeout_seconds"));
        }
    };
    match value.as_u64().filter(|amount| *amount > 0) {
        Some(amount) => Ok(Some(amount.saturating_mul(factor))),
        None => Err(ContractError::field(CODE, field, "must be a whole number above 0")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn facts(more: Value) -> Result<ToolFacts> {
        let mut raw = json!({ "name": "kb/find", "source": "kb", "description": "d", "parameters": {} });
        raw.as_object_mut().unwrap().extend(json::into_object(more));
        ToolFacts::of(&ToolDeclaration::parse_server(raw.as_object().unwrap()).unwrap())
    }

    #[test]
    fn silence_means_that_it_writes_and_is_never_repeated() {
        let silent = facts(json!({})).unwrap();
        assert!(!silent.only_reads() && !silent.may_repeat());
        assert_eq!(silent, ToolFacts::default());
    }

    #[test]
    fn what_is_declared_is_read() {
        let reads = facts(json!({ "side_effects": ["read"], "timeout_seconds": 3 })).unwrap();
        assert!(reads.only_reads() && reads.may_repeat());
        assert_eq!(reads.timeout_ms, Some(3_000));
        assert_eq!(facts(json!({ "timeout_ms": 300 })).unwrap().timeout_ms, Some(300));
        assert!(facts(json!({ "write": false })).unwrap().only_reads());
        assert!(facts(json!({ "idempotency": "keyed" })).unwrap().may_repeat());
        assert!(!facts(json!({ "idempotency": "keyed", "takes_key": false })).unwrap().may_repeat());
        assert!(facts(json!({ "idempotency": "transactional" })).unwrap().may_repeat());
    }

    #[test]
    fn what_cannot_be_read_is_an_error_and_not_no() {
        for wrong in [
            json!({ "write": "true" }),
            json!({ "write": 1 }),
            json!({ "write": false, "side_effects": ["delete"] }),
            json!({ "side_effects": ["teleport"] }),
            json!({ "idempotency": "often" }),
            json!({ "timeout_seconds": 0 }),
            json!({ "timeout_ms": 0.5 }),
            json!({ "timeout_ms": 300, "timeout_seconds": 3 }),
            json!({ "on_timeout": "hope" }),
        ] {
            assert!(facts(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_facts_read_back_as_written() {
        let facts =
            facts(json!({ "side_effects": ["send"], "idempotency": "keyed", "on_timeout": "ask" })).unwrap();
        let wire = serde_json::to_value(&facts).unwrap();
        assert_eq!(serde_json::from_value::<ToolFacts>(wire).unwrap(), facts);
    }
}
