//! Hiding what a profile hides, and saying where and why.

use provost_contract::sensitivity::REDACTED;
use serde_json::Value;

use super::Profile;
use super::profile::Rule;
use crate::decision::{Decision, Verdict};

const LAYER: &str = "redaction";

/// A value as its reader may see it, and what was hidden of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Redaction {
    pub value: Value,
    /// In the order of the value.
    pub hidden: Vec<Hidden>,
}

/// One hidden place. The value that stood there is nowhere in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Hidden {
    /// A JSON pointer.
    pub place: String,
    pub decision: Decision<Verdict>,
}

/// Hides what a reader of this profile must not see. A profile nobody knows shows nothing at all.
pub fn redact(profile: &str, value: &Value) -> Redaction {
    let mut hidden = Vec::new();
    let value = match profile.parse::<Profile>() {
        Ok(known) => shown(known, value, "", &mut hidden),
        Err(_) => {
            let reason = "the profile is unknown, so nothing is shown";
            let decision = Decision::new(Verdict::Deny, LAYER, "unknown_profile", reason);
            hidden.push(Hidden { place: String::new(), decision: decision.given("profile", profile) });
            REDACTED.into()
        }
    };
    Redaction { value, hidden }
}

fn shown(profile: Profile, value: &Value, place: &str, hidden: &mut Vec<Hidden>) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(name, member)| {
                let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                (name.clone(), shown_member(profile, name, member, place, hidden))
            })
            .collect(),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(index, item)| shown(profile, item, &format!("{place}/{index}"), hidden)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn shown_member(
    profile: Profile,
    name: &str,
    member: &Value,
    place: String,
    hidden: &mut Vec<Hidden>,
) -> Value {
    let Some(rule) = profile.hides(name) else { return shown(profile, member, &place, hidden) };
    hidden.push(Hidden { place, decision: denied(profile, rule, name) });
    REDACTED.into()
}

fn denied(profile: Profile, rule: Rule, name: &str) -> Decision<Verdict> {
    let reason = match rule {
        Rule::CredentialName => "the name is that of a credential",
        Rule::GenericName => "the name says nothing about its value, which may be a credential",
    };
    let (word, reader): (&'static str, &'static str) = (rule.into(), profile.into());
    Decision::new(Verdict::Deny, LAYER, word, reason).given("profile", reader).given("name", name)
}
