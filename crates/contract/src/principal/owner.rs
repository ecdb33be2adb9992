//! Who owns the conversations a principal has.

use serde_json::{Value, json};

use super::{AuthSource, CODE, ExecutionPrincipal};
use crate::json::Object;
use crate::{ContractError, Result, identity_fields as fields};

/// The owner of a conversation: a kind, and which one of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConversationOwner {
    /// `user`, `token`, `audience`, `runtime`, or a kind of the host's own; never blank.
    owner_type: String,
    /// Never blank.
    owner_key: String,
}

impl ConversationOwner {
    /// Names an owner.
    pub fn new(owner_type: impl Into<String>, owner_key: impl Into<String>) -> Result<Self> {
        let owner = Self { owner_type: owner_type.into(), owner_key: owner_key.into() };
        fields::refuse_blank(Some(&owner.owner_type), "owner_type", CODE)?;
        fields::refuse_blank(Some(&owner.owner_key), "owner_key", CODE)?;
        Ok(owner)
    }

    /// Reads `owner_type` and `owner_key`, which come together or not at all.
    pub(super) fn parse(raw: &Object) -> Result<Option<Self>> {
        match (fields::optional_text(raw, "owner_type"), fields::optional_text(raw, "owner_key")) {
            (None, None) => Ok(None),
            (Some(owner_type), Some(owner_key)) => Self::new(owner_type, owner_key).map(Some),
            (Some(_), None) | (None, Some(_)) => {
                Err(ContractError::field(CODE, "owner", "type and key must both be present or both be null"))
            }
        }
    }

    /// What kind of owner it is.
    pub fn owner_type(&self) -> &str {
        &self.owner_type
    }

    /// Which one of its kind; it tells owners apart and is not for models or front ends.
    pub fn owner_key(&self) -> &str {
        &self.owner_key
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({ "type": self.owner_type, "key": self.owner_key })
    }
}

impl ExecutionPrincipal {
    /// Who owns transcripts made by this principal. A token owns its own, not its user: otherwise each
    /// token of a person could read what the others said. No owner means nothing may be kept.
    pub fn conversation_owner(&self) -> Option<ConversationOwner> {
        if let Some(owner) = &self.owner {
            return Some(owner.clone());
        }
        let owned_by = |owner_type: &str, owner_key: String| {
            Some(ConversationOwner { owner_type: owner_type.to_owned(), owner_key })
        };
        match self.auth_source() {
            AuthSource::AgentToken => self.token_id.and_then(|token| owned_by("token", token.to_string())),
            AuthSource::User
            | AuthSource::ApplicationPassword
            | AuthSource::Audience
            | AuthSource::Runtime
            | AuthSource::System
            | AuthSource::Declared(_) => {
                let user = Some(self.acting_user_id).filter(|user| user.is_somebody());
                user.and_then(|user| owned_by("user", user.to_string()))
            }
        }
    }
}
