//! One turn of a recording.

use provost_contract::json::Object;
use provost_contract::provider_turn::ProviderTurn;
use provost_runtime::port::{ModelError, TurnAnswer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What was asked, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) request: Value,
    pub(super) answer: Recorded,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Recorded {
    /// A provider's turn.
    Turn(Object),
    /// The turn of a host that talks to models itself.
    Host(Value),
    /// A failure.
    Error { kind: String, message: String, code: String },
}

impl Recorded {
    pub(super) fn of(answer: &Result<TurnAnswer, ModelError>) -> Self {
        match answer {
            Ok(TurnAnswer::Provider(turn)) => {
                Self::Turn(provost_contract::json::into_object(turn.to_value()))
            }
            Ok(TurnAnswer::Host(turn)) => Self::Host(turn.clone()),
            Err(ModelError { kind, message, code, .. }) => {
                Self::Error { kind: kind.clone(), message: message.clone(), code: code.clone() }
            }
        }
    }

    pub(super) fn answer(&self) -> Result<TurnAnswer, ModelError> {
        match self {
            Self::Turn(turn) => match ProviderTurn::parse(turn) {
                Ok(turn) => Ok(TurnAnswer::Provider(Box::new(turn))),
                Err(error) => Err(ModelError::new("cassette_unreadable", error.message())),
            },
            Self::Host(turn) => Ok(TurnAnswer::Host(turn.clone())),
            Self::Error { kind, message, code } => {
                Err(ModelError { code: code.clone(), ..ModelError::new(kind, message) })
            }
        }
    }
}
