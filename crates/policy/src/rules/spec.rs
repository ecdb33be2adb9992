//! A rule as it is written down.

use std::collections::BTreeMap;

use provost_contract::json::Object;
use serde::Deserialize;
use serde::de::{self, Deserializer};

use crate::ActionPolicy;

/// One rule. Every condition that is given must hold; of the alternatives in one, any.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSpec {
    pub name: String,
    #[serde(deserialize_with = "policy")]
    pub decision: ActionPolicy,
    #[serde(default)]
    pub reason: String,
    /// Names of tools, `*` for any letters; every tool when left out.
    #[serde(default)]
    pub tools: Option<OneOrMany>,
    #[serde(default)]
    pub path: Option<OneOrMany>,
    #[serde(default)]
    pub command: Option<OneOrMany>,
    /// The folders a command starts in. Left out: the root for a rule that permits, any for one that restricts.
    #[serde(default)]
    pub cwd: Option<OneOrMany>,
    #[serde(default)]
    pub host: Option<OneOrMany>,
    #[serde(default)]
    pub arguments: BTreeMap<String, TextSpec>,
    /// When all of this certainly holds, the rule does not apply.
    #[serde(default)]
    pub unless: Option<ConditionSpec>,
    /// Calls it must clearly match.
    #[serde(default)]
    pub matches: Vec<ExampleSpec>,
    /// Calls that must be unclear to it.
    #[serde(default)]
    pub unclear: Vec<ExampleSpec>,
    /// Calls it must clearly leave alone.
    #[serde(default)]
    pub passes: Vec<ExampleSpec>,
}

/// What a call is asked for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConditionSpec {
    pub path: Option<OneOrMany>,
    pub command: Option<OneOrMany>,
    pub cwd: Option<OneOrMany>,
    pub host: Option<OneOrMany>,
    pub arguments: BTreeMap<String, TextSpec>,
}

/// What a text must be.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSpec {
    /// This very text.
    Exact(String),
    /// `*` for any letters, `?` for one.
    Glob(String),
    /// A regular expression that is found in it.
    Regex(String),
}

/// A call, as an example.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleSpec {
    /// The tool; the rule's own when it names exactly one.
    #[serde(default)]
    pub tool: Option<String>,
    #[serde(default)]
    pub arguments: Object,
}

/// A text, or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OneOrMany(pub Vec<String>);

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> de::Visitor<'de> for Texts {
            type Value = OneOrMany;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany(vec![text.to_owned()]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut texts: A) -> Result<OneOrMany, A::Error> {
                let mut all = Vec::new();
                while let Some(text) = texts.next_element()? {
                    all.push(text);
                }
                Ok(OneOrMany(all))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

fn policy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ActionPolicy, D::Error> {
    let word = String::deserialize(deserializer)?;
    let refused =
        || de::Error::custom(format!("`{word}` is no way to run; say direct, preview or forbidden"));
    ActionPolicy::from_config(&word).ok_or_else(refused)
}
