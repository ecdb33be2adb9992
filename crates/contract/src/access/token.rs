//! The bearer token of an agent: what is known of it, and the hash it is found by. The token itself is
//! never kept.

use std::fmt;
use std::num::NonZeroU64;

use serde_json::{Value, json};

use super::{CapabilityCeiling, capabilities};
use crate::json::{self, Object};
use crate::{ContractError, Result, UserId, canonical, identity_fields as fields, timestamp};

const CODE: &str = "invalid_agent_token";

/// The hash a token is stored and found by. It is never printed or exported.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TokenHash(String);

impl TokenHash {
    /// The hash of a raw token: lower-case hex SHA-256 of its bytes, nothing trimmed.
    pub fn of(raw_token: &str) -> Self {
        Self(canonical::sha256_hex(raw_token.as_bytes()))
    }

    /// Accepts 64 hex digits in either case; kept in lower case, so that one token has one hash.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ContractError::field(CODE, "token_hash", "must be a SHA-256 hex hash"));
        }
        Ok(Self(text.to_ascii_lowercase()))
    }

    /// The 64 lower-case hex digits, for the store's lookup.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[token hash]")
    }
}

/// What is known of a token: whose it is, for which agent, and how far it reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentToken {
    /// The store's number of it.
    pub token_id: NonZeroU64,
    /// Never blank.
    agent_id: String,
    /// The user who answers for it.
    owner_user_id: NonZeroU64,
    token_hash: TokenHash,
    /// The first characters, by which a person recognises it; never blank.
    token_prefix: String,
    /// What its owner calls it.
    pub label: String,
    /// Only these; none means what the owner may do.
    allowed_capabilities: Option<Vec<String>>,
    /// When it ends; none or empty never.
    pub expires_at: Option<String>,
    /// When it last opened a door.
    pub last_used_at: Option<String>,
    /// When it was made.
    pub created_at: Option<String>,
    /// The client it was made for.
    pub client_id: Option<String>,
    /// The workspace it is for.
    pub workspace_id: Option<String>,
    /// What the host noted.
    pub metadata: Object,
}

impl AgentToken {
    /// Reads a stored token.
    pub fn parse(value: &Value) -> Result<Self> {
        let raw = value.as_object().cloned().unwrap_or_default();
        Ok(Self {
            token_id: fields::positive(&raw, "token_id", CODE)?,
            agent_id: fields::non_blank(&raw, "agent_id", CODE)?,
            owner_user_id: fields::positive(&raw, "owner_user_id", CODE)?,
            token_hash: TokenHash::parse(&fields::text(&raw, "token_hash"))?,
            token_prefix: fields::non_blank(&raw, "token_prefix", CODE)?,
            allowed_capabilities: capabilities::parse(&raw, "allowed_capabilities", CODE)?,
            label: fields::text(&raw, "label"),
            expires_at: fields::optional_text(&raw, "expires_at"),
            last_used_at: fields::optional_text(&raw, "last_used_at"),
            created_at: fields::optional_text(&raw, "created_at"),
            client_id: fields::optional_text(&raw, "client_id"),
            workspace_id: fields::optional_text(&raw, "workspace_id"),
            metadata: json::object_or_empty(&raw, "metadata"),
        })
    }

    /// The agent it opens.
    pub fn agent_id(&self) -> &str {
        &self.agent_id
    }

    /// The user who answers for it.
    pub fn owner(&self) -> UserId {
        UserId::new(self.owner_user_id.get())
    }

    /// The hash it is found by.
    pub fn token_hash(&self) -> &TokenHash {
        &self.token_hash
    }

    /// The first characters of it.
    pub fn token_prefix(&self) -> &str {
        &self.token_prefix
    }

    /// Whether a list narrows what it may do; an empty list narrows it to nothing.
    pub fn is_restricted(&self) -> bool {
        self.allowed_capabilities.is_some()
    }

    /// Whether it has ended at this Unix second. A date nobody can read has passed.
    pub fn is_expired(&self, now: i64) -> bool {
        let Some(date) = self.expires_at.as_deref().filter(|date| !date.is_empty()) else { return false };
        timestamp::unix_seconds(date).is_none_or(|end| end <= now)
    }

    /// The most a request with this token may do: its owner's capabilities, narrowed by its own list.
    pub fn ceiling(&self) -> CapabilityCeiling {
        let metadata = [
            ("token_id", json!(self.token_id)),
            ("client_id", json!(self.client_id)),
            ("workspace_id", json!(self.workspace_id)),
        ];
        CapabilityCeiling::for_token(
            self.owner(),
            self.allowed_capabilities.clone(),
            metadata.map(|(key, value)| (key.to_owned(), value)).into_iter().collect(),
        )
    }

    /// The wire form, without the hash.
    pub fn to_value(&self) -> Value {
        json!({
            "token_id": self.token_id,
            "agent_id": self.agent_id,
            "owner_user_id": self.owner_user_id,
            "token_prefix": self.token_prefix,
            "label": self.label,
            "allowed_capabilities": capabilities::to_value(self.allowed_capabilities.as_ref()),
            "expires_at": self.expires_at,
            "last_used_at": self.last_used_at,
            "created_at": self.created_at,
            "client_id": self.client_id,
            "workspace_id": self.workspace_id,
            "metadata": self.metadata,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_token_has_one_hash_in_either_case_and_it_is_never_printed() {
        let hash = TokenHash::of("agt_one");
        assert_eq!(TokenHash::parse(&hash.expose().to_uppercase()), Ok(hash.clone()));
        let token = AgentToken::parse(&json!({
            "token_id": 1, "agent_id": "a", "owner_user_id": 2, "token_hash": hash.expose(), "token_prefix": "agt_",
        }))
        .unwrap();
        assert_eq!(token.token_hash(), &hash);
        assert!(!format!("{token:?} {}", token.to_value()).contains(hash.expose()));
    }
}
