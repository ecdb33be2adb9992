//! A decision as a caller asks for it.

use serde_json::{Value, json};

use super::Verdict;
use crate::json::{self, Object};
use crate::{ContractError, Result, loose};

const INVALID_DECISION: &str = "agents_pending_action_invalid_decision";

/// A request to decide about a pending action.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolveRequest {
    /// The action.
    pub action_id: String,
    /// Yes or no.
    pub verdict: Verdict,
    /// Who decides.
    pub resolver: String,
    /// What the resolver hands over.
    pub payload: Object,
    /// What else the caller says.
    pub context: Object,
}

impl ResolveRequest {
    /// Reads a request: the action, who decides, and the decision, in this order.
    ///
    /// # Errors
    /// If the id or the resolver is missing, or the decision is not exactly yes or no.
    pub fn parse(input: &Object) -> Result<Self> {
        let required = |key: &str, code: &'static str| {
            let text = json::get(input, key).and_then(loose::text);
            text.ok_or_else(|| ContractError::with_message(code, format!("{key} is required.")))
        };
        let action_id = required("action_id", "agents_pending_action_missing_action_id")?;
        let resolver = required("resolver", "agents_pending_action_missing_resolver")?;
        let word = json::get(input, "decision").and_then(loose::text).unwrap_or_default();
        let verdict = Verdict::parse(&word)
            .map_err(|refused| ContractError::with_message(INVALID_DECISION, refused.message()))?;
        let (payload, context) =
            (json::object_or_empty(input, "payload"), json::object_or_empty(input, "context"));
        Ok(Self { action_id, verdict, resolver, payload, context })
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "action_id": self.action_id,
            "decision": self.verdict,
            "resolver": self.resolver,
            "payload": self.payload,
            "context": self.context,
        })
    }
}
