//! Who may see what an action came to.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::rule::Policy;
use super::sets::Allowed;
use crate::Result;

const RUNTIME_ONLY: &str = "runtime_only";

/// A reader of results.
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
pub enum Audience {
    /// The model of this run.
    Model,
    /// The people of this run.
    User,
    /// Whoever reads logs and traces.
    Logs,
    /// Later runs of the same workspace.
    FutureRuns,
}

/// The readers of a result; nobody but the runtime when there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataVisibility(Allowed<Audience>);

impl Default for DataVisibility {
    fn default() -> Self {
        Self(Allowed::all())
    }
}

impl DataVisibility {
    /// Only the runtime sees the result.
    pub fn runtime_only() -> Self {
        Self(Allowed(std::collections::BTreeSet::new()))
    }

    /// Whether a reader may see the result.
    pub fn shows(&self, reader: Audience) -> bool {
        self.0.allows(&reader)
    }
}

impl Policy for DataVisibility {
    /// Reads a list of readers, or the word `runtime_only`.
    fn read(field: &str, value: &Value) -> Result<Self> {
        if value.as_str() == Some(RUNTIME_ONLY) {
            return Ok(Self::runtime_only());
        }
        Allowed::read(field, value).map(Self)
    }

    fn wire(&self) -> Value {
        if self.0.0.is_empty() { json!(RUNTIME_ONLY) } else { self.0.wire() }
    }

    fn strictest(self, other: Self) -> Self {
        Self(self.0.strictest(other.0))
    }
}
