//! What a protocol model, or a person, declares: checked, and with its actions prepared.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::action::Step;
use super::signal::Choice;
use crate::{ActionId, Digest, Fault, Payload, Usage};

/// A response in protocol mode, read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Parsed {
    /// It declares something.
    Declared(Box<Declaration>),
    /// It cannot be read.
    Malformed {
        /// Why.
        fault: Fault,
    },
}

/// A declaration of the agent protocol, checked and with its actions prepared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Declaration {
    /// What the model wants with it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub intent: String,
    /// The actions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<Step>,
    /// Open actions to cancel.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cancel: Vec<ActionId>,
    /// Actions that have not begun, and the entry of `add` that takes the place of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replace: Vec<(ActionId, u32)>,
    /// Decisions about ended actions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decide: Vec<(ActionId, Choice)>,
    /// The answer to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Payload>,
    /// A title for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A note for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What was wrong and could be corrected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Value>,
    /// The most that it can cost.
    #[serde(skip_serializing_if = "Usage::is_empty")]
    pub price: Usage,
    /// What makes two declarations equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Digest>,
}
