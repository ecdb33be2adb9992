//! The one shape of every decision: what was decided, by which layer and rule, on which inputs.

use std::borrow::Cow;

use provost_contract::json::Object;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::Value;
use strum::IntoStaticStr;

/// Whether something may be done. The order is the severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    Allow,
    Deny,
}

/// The input of a decision that only a person may answer, about exactly this call: no approval given
/// beforehand, and none that was remembered, counts.
pub const PERSON_ONLY: &str = "person_only";

/// The input of a decision that says where its rule is written: `provost.toml:38`. A rule is the same on every line.
pub const SOURCE: &str = "source";

/// One decision, and what made it.
///
/// `inputs` holds names, numbers and modes: what a person needs to follow the rule. Nothing that may be
/// a secret (parameters, raw tokens, the text of an error) is ever put there.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<V> {
    pub verdict: V,
    /// The step of the policy that spoke.
    pub layer: &'static str,
    /// The rule inside the layer: a word for machines, or the id of a configured rule.
    pub rule: Cow<'static, str>,
    /// The same for people, and for models that must be told why.
    pub reason: String,
    pub inputs: Object,
}

impl<V: Copy + Into<&'static str>> Decision<V> {
    pub fn new(
        verdict: V,
        layer: impl Into<&'static str>,
        rule: impl Into<Cow<'static, str>>,
        reason: impl Into<String>,
    ) -> Self {
        let inputs = Object::new();
        Self { verdict, layer: layer.into(), rule: rule.into(), reason: reason.into(), inputs }
    }

    /// Names an input the rule looked at.
    pub(crate) fn given(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.inputs.insert(key.to_owned(), value.into());
        self
    }

    /// Whether only a person may answer, about exactly this call.
    pub fn is_person_only(&self) -> bool {
        self.inputs.get(PERSON_ONLY) == Some(&Value::Bool(true))
    }

    /// Where the rule is written, as far as that is known.
    pub fn source(&self) -> Option<&str> {
        self.inputs.get(SOURCE)?.as_str()
    }

    /// The record of the decision, for the journal and for `explain`.
    pub fn to_value(&self) -> Value {
        self.clone().into_value()
    }

    /// The record of a decision nobody needs any more.
    pub fn into_value(self) -> Value {
        let verdict: &'static str = self.verdict.into();
        let members = [
            ("verdict", verdict.into()),
            ("layer", self.layer.into()),
            ("rule", self.rule.into()),
            ("reason", self.reason.into()),
            ("inputs", self.inputs.into()),
        ];
        members.map(|(key, value): (&str, Value)| (key.to_owned(), value)).into_iter().collect()
    }
}

/// The same record, written at once.
impl<V: Copy + Into<&'static str>> Serialize for Decision<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let verdict: &'static str = self.verdict.into();
        let mut record = serializer.serialize_struct("Decision", 5)?;
        record.serialize_field("verdict", verdict)?;
        record.serialize_field("layer", self.layer)?;
        record.serialize_field("rule", &self.rule)?;
        record.serialize_field("reason", &self.reason)?;
        record.serialize_field("inputs", &self.inputs)?;
        record.end()
    }
}

/// A decision and everything the layers said on the way to it, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained<V> {
    pub decision: Decision<V>,
    pub said: Vec<Decision<V>>,
}

impl<V: Copy + Ord> Explained<V> {
    /// The strictest of what was said, the first of equals; `silence` when no layer spoke.
    pub(crate) fn strictest(said: Vec<Decision<V>>, silence: Decision<V>) -> Self {
        let severest = said.iter().map(|decision| decision.verdict).max();
        let decision = said.iter().find(|decision| Some(decision.verdict) == severest).cloned();
        Self { decision: decision.unwrap_or(silence), said }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_the_record_it_is() {
        let decision =
            Decision::new(Verdict::Deny, "gate", "no-shell", "no \"shell\" here").given("tool", "sh");
        assert_eq!(serde_json::to_string(&decision).unwrap(), decision.to_value().to_string());
    }
}
