//! Why a service did not do what it was asked.

use provost_contract::ContractError;
use serde_json::{Value, json};

use crate::port::{CreateSessionError, Fault};

/// A refusal with a code the caller knows, or a fault of the storage below.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error(transparent)]
    Refused(#[from] ContractError),
    #[error(transparent)]
    Storage(#[from] Fault),
}

impl ServiceError {
    pub(super) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self::Refused(ContractError::with_message(code, message))
    }

    /// The wire form `{code, message, fields?}`.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Refused(error) => error.to_value(),
            Self::Storage(fault) => json!({ "code": "storage_failed", "message": fault.to_string() }),
        }
    }
}

impl From<CreateSessionError> for ServiceError {
    fn from(error: CreateSessionError) -> Self {
        match error {
            CreateSessionError::Storage(fault) => Self::Storage(fault),
            // Ids are random: one that is taken says that randomness failed.
            CreateSessionError::Taken { .. } => Self::Storage(Fault::Failed(Box::new(error))),
        }
    }
}
