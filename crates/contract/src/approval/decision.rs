//! A decision about a pending action.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use crate::{ContractError, Result};

const CODE: &str = "invalid_argument";

/// Yes or no; the wire words are the snake-case names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verdict {
    /// It may be done.
    Accepted,
    /// It must not be done.
    Rejected,
}

impl Verdict {
    /// Reads exactly `accepted` or `rejected`: nothing that needs guessing allows anything.
    pub fn parse(word: &str) -> Result<Self> {
        let refused = || {
            ContractError::with_message(CODE, "Approval decision must be accepted or rejected.")
                .about("value")
        };
        word.parse().map_err(|_| refused())
    }
}

/// What was decided, and whether it holds for the next time too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Yes or no.
    pub verdict: Verdict,
    /// Whether the host should remember it.
    pub remember: bool,
}

impl Decision {
    /// The wire form.
    pub fn to_value(self) -> Value {
        json!({
            "value": self.verdict,
            "is_accepted": self.verdict == Verdict::Accepted,
            "is_rejected": self.verdict == Verdict::Rejected,
            "remember": self.remember,
        })
    }
}
