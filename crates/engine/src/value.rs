//! Values that several events carry.

use std::collections::BTreeMap;

use provost_contract::json::{self, Object};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Digest;

/// The arguments of an action. The raw values are in the memory of the worker and, while the action waits,
/// sealed in the store; a record has the redacted form and the hash of the raw one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Args {
    /// What may be shown.
    #[serde(default)]
    pub redacted: Object,
    /// The hash of the raw values.
    pub raw: Digest,
    /// Whether something was redacted, so that the raw values cannot be read from the record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hides: bool,
}

impl Args {
    /// Returns arguments without secrets.
    pub fn open(arguments: Object) -> Self {
        let raw = hash_of(&arguments);
        Self { redacted: arguments, raw, hides: false }
    }

    /// Returns arguments of which only `redacted` may be shown.
    pub fn redacted(raw: &Object, redacted: Object) -> Self {
        let hides = redacted != *raw;
        Self { redacted, raw: hash_of(raw), hides }
    }
}

/// Returns the canonical hash of an object.
pub fn hash_of(object: &Object) -> Digest {
    provost_contract::canonical::object_hash(object).parse().unwrap_or(Digest::ZERO)
}

/// A value of an event: small ones stand in it, large ones are artifacts that it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Payload {
    /// The value itself.
    Inline {
        /// The value.
        value: Value,
    },
    /// An artifact.
    Artifact(ArtifactRef),
}

impl Payload {
    /// Returns a payload that stands in the event.
    pub fn inline(value: impl Into<Value>) -> Self {
        Self::Inline { value: value.into() }
    }

    /// Returns the value, or what an event shows of an artifact.
    pub fn shown(&self) -> &Value {
        match self {
            Self::Inline { value } => value,
            Self::Artifact(artifact) => &artifact.excerpt,
        }
    }

    /// Returns the artifact, if it is one.
    pub fn artifact(&self) -> Option<&ArtifactRef> {
        match self {
            Self::Inline { .. } => None,
            Self::Artifact(artifact) => Some(artifact),
        }
    }
}

impl Default for Payload {
    fn default() -> Self {
        Self::inline(Value::Null)
    }
}

/// A stored artifact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArtifactRef {
    /// Its content's hash, which is its address.
    pub digest: Digest,
    /// Its size in bytes.
    pub size: u64,
    /// Its media type.
    pub media: String,
    /// What a record shows of it. It never decides what a model sees.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub excerpt: Value,
    /// What the model is not shown of it: sizes, as observers read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Object>,
}

/// Whether something may be done. The order is the severity.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// It runs.
    Allow,
    /// A person is asked first.
    Ask,
    /// It does not run.
    Deny,
}

/// What a policy decided about an action, and by which rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ruling {
    /// The decision.
    pub decision: Verdict,
    /// The rule.
    pub rule: String,
    /// The layer or file that the rule comes from.
    pub source: String,
    /// The same for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What the rule looked at, without secrets.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub inputs: Object,
    /// Whether only a person may answer, about exactly this call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub person_only: bool,
}

impl Ruling {
    /// Returns a ruling with its rule and source.
    pub fn new(decision: Verdict, rule: impl Into<String>, source: impl Into<String>) -> Self {
        let (rule, source) = (rule.into(), source.into());
        Self { decision, rule, source, reason: String::new(), inputs: Object::new(), person_only: false }
    }

    /// Returns the ruling with its reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    /// Returns the stricter of two rulings; the first of equals.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        let (mine, its) = ((self.decision, self.person_only), (other.decision, other.person_only));
        if its > mine { other } else { self }
    }
}

/// An amount of each dimension: `tokens`, `cost_microusd`, or one of the embedder's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Usage(pub BTreeMap<String, u64>);

impl Usage {
    /// Returns an amount of one dimension.
    pub fn of(dimension: impl Into<String>, amount: u64) -> Self {
        Self(BTreeMap::from([(dimension.into(), amount)]))
    }

    /// Returns whether nothing was used.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the amount of a dimension.
    pub fn get(&self, dimension: &str) -> u64 {
        self.0.get(dimension).copied().unwrap_or_default()
    }

    /// Adds the amounts of another.
    pub fn add(&mut self, other: &Self) {
        for (dimension, amount) in &other.0 {
            let sum = self.0.entry(dimension.clone()).or_default();
            *sum = sum.saturating_add(*amount);
        }
    }
}

/// What went wrong: a code for machines, a sentence for people and models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The code.
    pub code: String,
    /// The sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What else is known: fields, provider codes.
    #[serde(default, skip_serializing_if = "Object::is_empty")]
    pub fields: Object,
}

impl Fault {
    /// Returns a fault with a code and a sentence.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), fields: Object::new() }
    }
}

/// What the world may have seen of an action. The order is how much a reader must worry.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum WorldEffect {
    /// Nothing.
    #[default]
    None,
    /// All of it.
    Done,
    /// Some or all of it; not known.
    Maybe,
}

/// The key of a result's metadata that says where in it the executor's own value stands.
const OUTPUT_AT: &str = "output_at";
/// Returns what an executor gave back, out of the wire form of its result: the value itself, without the words of
/// the runtime around it.
pub fn value_of(result: &Value) -> Value {
    let Some(wire) = result.as_object() else { return result.clone() };
    let Some(payload) = wire.get("result") else { return Value::Null };
    let at = json::object(wire, "metadata").and_then(|metadata| json::text(metadata, OUTPUT_AT));
    at.and_then(|at| payload.pointer(at)).unwrap_or(payload).clone()
}
