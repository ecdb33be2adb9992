//! The word by which a call was let run: a decision, as the text it is stored as.

use provost_policy::{ActionPolicy, Decision};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// A decision that is on record. Few are read again; most are only compared with the next one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Word(Box<RawValue>);

impl Word {
    /// What is recorded of a decision.
    #[expect(clippy::expect_used, reason = "a decision is names, texts and JSON, which can all be written")]
    pub fn of(decision: &Decision<ActionPolicy>) -> Self {
        Self(to_raw_value(decision).expect("a decision can be written"))
    }

    /// The decision, `{verdict, layer, rule, reason, inputs}`.
    pub fn read(&self) -> Value {
        serde_json::from_str(self.0.get()).unwrap_or_default()
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}
