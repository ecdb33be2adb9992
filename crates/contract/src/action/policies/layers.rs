//! Who said what: the merge of layers, with the layer that decided each policy.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::{Effective, Policies};

/// Where a policy was set, from the operator's hand to the model's.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Layer {
    /// The limits of the runtime.
    Runtime,
    /// The definition of the agent.
    Agent,
    /// The envelope of the declaration.
    Envelope,
    /// The action itself.
    Action,
}

/// The strictest of all layers, and who made it so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    said: Policies,
    decided_by: BTreeMap<&'static str, Layer>,
}

impl Merged {
    pub(super) fn of<'a>(layers: impl IntoIterator<Item = (Layer, &'a Policies)>) -> Self {
        let mut merged = Self::default();
        for (layer, policies) in layers {
            for field in merged.said.tighten(policies) {
                merged.decided_by.insert(field, layer);
            }
        }
        merged
    }

    /// What holds, defaults filled in.
    pub fn effective(&self) -> Effective {
        self.said.clone().into()
    }

    /// The layer that last made a policy stricter; none when the default holds.
    pub fn decided_by(&self, field: &str) -> Option<Layer> {
        self.decided_by.get(field).copied()
    }

    /// Every policy with its value and the layer behind it, for `explain`.
    pub fn to_value(&self) -> Value {
        let mut explained = self.effective().to_value();
        for (field, value) in explained.as_object_mut().into_iter().flatten() {
            *value = json!({ "value": value.take(), "decided_by": self.decided_by(field) });
        }
        explained
    }
}
