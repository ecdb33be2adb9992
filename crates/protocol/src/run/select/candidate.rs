//! What was thought of each executor.

use provost_contract::action::ExecutorType;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::rank::Criterion;
use crate::Entry;

/// How an executor fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Standing {
    /// It does the action.
    Chosen,
    /// It could, but another is better; the criterion says in what.
    Outranked,
    /// It fits as well as another, and nothing was said by which to choose.
    Ambiguous,
    /// It offers none of the capabilities.
    LacksCapability,
    /// The agent's rules forbid it.
    Denied,
    /// It may do more than the action is allowed to.
    EffectsNotAllowed,
    /// It cannot be reached now.
    Unavailable,
}

/// One executor and how it fared, for whoever asks why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Considered {
    /// Its class.
    #[serde(rename = "type")]
    pub kind: ExecutorType,
    /// Its name.
    pub name: String,
    /// How it fared.
    pub standing: Standing,
    /// In what the chosen one is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outranked_by: Option<Criterion>,
}

impl Considered {
    pub(super) fn new(entry: &Entry, standing: Standing) -> Self {
        Self { kind: entry.kind, name: entry.name.clone(), standing, outranked_by: None }
    }
}
