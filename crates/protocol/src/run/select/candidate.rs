//! The candidate executors and their eligibility.

use provost_contract::action::ExecutorType;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::rank::Criterion;
use crate::Entry;

/// The eligibility of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Standing {
    /// It is chosen.
    Chosen,
    /// It is eligible, but another is better; the criterion says in what.
    Outranked,
    /// It is as good as another, and there is no criterion to choose.
    Ambiguous,
    /// It offers none of the capabilities.
    LacksCapability,
    /// The agent's rules forbid it.
    Denied,
    /// Its effects exceed what the action may have.
    EffectsNotAllowed,
    /// It is unavailable.
    Unavailable,
}

/// An executor and its eligibility, to explain a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Considered {
    /// Its class.
    #[serde(rename = "type")]
    pub kind: ExecutorType,
    /// Its name.
    pub name: String,
    /// Its eligibility.
    pub standing: Standing,
    /// The criterion in which the chosen one is better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outranked_by: Option<Criterion>,
}

impl Considered {
    pub(super) fn new(entry: &Entry, standing: Standing) -> Self {
        Self { kind: entry.kind, name: entry.name.clone(), standing, outranked_by: None }
    }
}
