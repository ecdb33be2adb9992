//! The access grant: a role on an agent, given to a user or an audience.

use std::num::NonZeroU64;

use serde_json::{Value, json};

use super::Role;
use crate::json::{self, Object};
use crate::{ContractError, Result, UserId, identity_fields as fields, loose};

const CODE: &str = "invalid_agent_access_grant";

/// One role on one agent, for one user, one audience, or both.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessGrant {
    /// The store's number of it.
    pub grant_id: Option<NonZeroU64>,
    /// Never blank.
    agent_id: String,
    /// Nobody only when an audience is named.
    user_id: UserId,
    /// What the holder may do.
    pub role: Role,
    /// The workspace it holds in; none is a workspace of its own, not all of them.
    pub workspace_id: Option<String>,
    /// Who gave it.
    pub granted_by_user_id: Option<NonZeroU64>,
    /// When, in the host's words.
    pub granted_at: Option<String>,
    /// What the host noted.
    pub metadata: Object,
    /// Never blank.
    audience_id: Option<String>,
}

impl AccessGrant {
    /// Reads a grant; a role that is not given is the lowest.
    pub fn parse(value: &Value) -> Result<Self> {
        let raw = value.as_object().cloned().unwrap_or_default();
        let agent_id = fields::non_blank(&raw, "agent_id", CODE)?;
        let user_id = fields::user(&raw, "user_id", CODE)?;
        let audience_id = fields::optional_text(&raw, "audience_id");
        if !user_id.is_somebody() && audience_id.is_none() {
            return Err(ContractError::field(
                CODE,
                "user_id",
                "must be positive unless audience_id is present",
            ));
        }
        fields::refuse_blank(audience_id.as_deref(), "audience_id", CODE)?;
        Ok(Self {
            grant_id: fields::optional_positive(&raw, "grant_id", CODE)?,
            agent_id,
            user_id,
            granted_by_user_id: fields::optional_positive(&raw, "granted_by_user_id", CODE)?,
            role: parse_role(&raw)?,
            workspace_id: fields::optional_text(&raw, "workspace_id"),
            granted_at: fields::optional_text(&raw, "granted_at"),
            metadata: json::object_or_empty(&raw, "metadata"),
            audience_id,
        })
    }

    /// The agent it is about.
    pub fn agent_id(&self) -> &str {
        &self.agent_id
    }

    /// The user it was given to.
    pub fn user_id(&self) -> UserId {
        self.user_id
    }

    /// The audience it was given to.
    pub fn audience_id(&self) -> Option<&str> {
        self.audience_id.as_deref()
    }

    /// Whether the role is this one or above; a word that is no role is never met.
    pub fn role_meets(&self, minimum_role: &str) -> bool {
        Role::from_word(minimum_role).is_some_and(|minimum| self.role >= minimum)
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "grant_id": self.grant_id,
            "agent_id": self.agent_id,
            "user_id": self.user_id,
            "role": self.role,
            "workspace_id": self.workspace_id,
            "granted_by_user_id": self.granted_by_user_id,
            "granted_at": self.granted_at,
            "metadata": self.metadata,
            "audience_id": self.audience_id,
        })
    }
}

fn parse_role(raw: &Object) -> Result<Role> {
    let Some(word) = raw.get("role").and_then(loose::scalar) else { return Ok(Role::default()) };
    Role::from_word(&word)
        .ok_or_else(|| ContractError::field(CODE, "role", "must be admin, operator, or viewer"))
}
