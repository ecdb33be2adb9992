//! A decision as it is recorded: who made it, when, and what came of it.

use serde_json::Value;

use super::pending_action::CODE;
use super::{PendingActionStatus, Verdict};
use crate::json::Object;
use crate::{ContractError, Result};

/// A decision about a pending action. Who and when are always known.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// Yes or no.
    pub verdict: Verdict,
    /// Never blank.
    resolver: String,
    /// Never blank.
    resolved_at: String,
    /// What the handler gave.
    pub result: Value,
    /// Why the handler failed.
    pub error: Option<String>,
    /// What the resolver wants to remember beside it.
    pub metadata: Object,
}

impl Resolution {
    /// A decision of somebody at a moment.
    pub fn new(verdict: Verdict, resolver: &str, resolved_at: &str) -> Result<Self> {
        let said = |field: &str, text: &str| match text.trim() {
            "" => Err(ContractError::field(CODE, field, "must be a non-empty string")),
            text => Ok(text.to_owned()),
        };
        Ok(Self {
            verdict,
            resolver: said("resolver", resolver)?,
            resolved_at: said("resolved_at", resolved_at)?,
            result: Value::Null,
            error: None,
            metadata: Object::new(),
        })
    }

    /// Who decided, and when.
    pub fn audit(&self) -> (&str, &str) {
        (&self.resolver, &self.resolved_at)
    }
}

impl From<Verdict> for PendingActionStatus {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Accepted => Self::Accepted,
            Verdict::Rejected => Self::Rejected,
        }
    }
}
