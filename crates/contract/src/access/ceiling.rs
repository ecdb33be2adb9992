//! The capability ceiling: the most a request may do, whoever asks.

use serde_json::{Value, json};

use super::capabilities;
use crate::json::{self, Object};
use crate::{Result, UserId, identity_fields as fields};

const CODE: &str = "invalid_agent_capability_ceiling";

/// What bounds a request: the user whose capabilities count, and lists that narrow them further.
#[derive(Clone, Debug, PartialEq)]
pub struct CapabilityCeiling {
    /// The user who must hold a capability for the request to have it.
    pub user_id: UserId,
    /// Only these; none means every capability the user holds.
    allowed_capabilities: Option<Vec<String>>,
    /// Never these.
    denied_capabilities: Option<Vec<String>>,
    /// Where the ceiling came from.
    pub metadata: Object,
}

impl CapabilityCeiling {
    /// A ceiling of one user and nothing narrower.
    pub fn of_user(user_id: UserId) -> Self {
        Self { user_id, allowed_capabilities: None, denied_capabilities: None, metadata: Object::new() }
    }

    /// The ceiling of a token: its owner's capabilities, narrowed by its own list.
    pub(super) fn for_token(owner: UserId, allowed: Option<Vec<String>>, metadata: Object) -> Self {
        Self { allowed_capabilities: allowed, metadata, ..Self::of_user(owner) }
    }

    /// Reads `{user_id, allowed_capabilities, denied_capabilities, metadata}`.
    pub fn parse(value: &Value) -> Result<Self> {
        let raw = value.as_object().cloned().unwrap_or_default();
        Ok(Self {
            user_id: fields::user(&raw, "user_id", CODE)?,
            allowed_capabilities: capabilities::parse(&raw, "allowed_capabilities", CODE)?,
            denied_capabilities: capabilities::parse(&raw, "denied_capabilities", CODE)?,
            metadata: json::object_or_empty(&raw, "metadata"),
        })
    }

    /// A copy that allows only these. The list replaces the old one.
    pub fn with_allowed(self, members: Vec<String>) -> Result<Self> {
        let allowed = capabilities::checked(members, "allowed_capabilities", CODE)?;
        Ok(Self { allowed_capabilities: Some(allowed), ..self })
    }

    /// A copy that denies these. The list replaces the old one.
    pub fn with_denied(self, members: Vec<String>) -> Result<Self> {
        let denied = capabilities::checked(members, "denied_capabilities", CODE)?;
        Ok(Self { denied_capabilities: Some(denied), ..self })
    }

    /// A copy that denies what a host lists. The list replaces the old one; blanks name nothing and are dropped.
    #[must_use]
    pub fn denying(self, listed: &[String]) -> Self {
        let members = listed.iter().filter(|member| !member.trim().is_empty()).cloned().collect();
        Self { denied_capabilities: Some(members), ..self }
    }

    /// Whether the deny-list has the capability, exactly as written.
    pub fn denies(&self, capability: &str) -> bool {
        self.denied_capabilities.iter().flatten().any(|member| member == capability)
    }

    /// The allow-list, when there is one.
    pub fn allowed_capabilities(&self) -> Option<&[String]> {
        self.allowed_capabilities.as_deref()
    }

    /// The deny-list, when there is one.
    pub fn denied_capabilities(&self) -> Option<&[String]> {
        self.denied_capabilities.as_deref()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "user_id": self.user_id,
            "allowed_capabilities": capabilities::to_value(self.allowed_capabilities.as_ref()),
            "denied_capabilities": capabilities::to_value(self.denied_capabilities.as_ref()),
            "metadata": self.metadata,
        })
    }
}
