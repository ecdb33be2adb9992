//! The principals a host makes itself: a person's session, a token's holder, a visitor, a delegated runtime.

use std::num::NonZeroU64;

use super::execution_principal::checked_audience;
use super::{AuthSource, ConversationOwner, ExecutionPrincipal};
use crate::json::Object;
use crate::{Result, UserId};

/// The request a principal is made for.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestScope {
    /// Through which door it came.
    pub request_context: String,
    /// What the host noted about it.
    pub request_metadata: Object,
    /// The workspace it is for.
    pub workspace_id: Option<String>,
    /// The client it came from.
    pub client_id: Option<String>,
}

impl Default for RequestScope {
    fn default() -> Self {
        Self {
            request_context: "rest".to_owned(),
            request_metadata: Object::new(),
            workspace_id: None,
            client_id: None,
        }
    }
}

/// Who a principal without a user is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AudienceClaims {
    /// What is known of it.
    pub claims: Object,
    /// What sets its conversations apart from those of others like it.
    pub owner_key: Option<String>,
}

impl ExecutionPrincipal {
    /// A person in their own session.
    pub fn user_session(acting_user_id: UserId, agent_id: &str, scope: RequestScope) -> Result<Self> {
        Ok(Self { acting_user_id, ..Self::new(agent_id, AuthSource::User, scope)? })
    }

    /// The holder of an agent's bearer token.
    pub fn agent_token(
        acting_user_id: UserId,
        agent_id: &str,
        token_id: NonZeroU64,
        scope: RequestScope,
    ) -> Result<Self> {
        let base = Self::new(agent_id, AuthSource::AgentToken, scope)?;
        Ok(Self { acting_user_id, token_id: Some(token_id), ..base })
    }

    /// A visitor known only as one of an audience. Without an owner key it can keep no conversation.
    pub fn audience(
        audience_id: &str,
        agent_id: &str,
        scope: RequestScope,
        audience: AudienceClaims,
    ) -> Result<Self> {
        let base = Self::new(agent_id, AuthSource::Audience, scope)?;
        Ok(Self {
            audience_id: checked_audience(Some(audience_id.to_owned()))?,
            audience_claims: audience.claims,
            owner: audience.owner_key.map(|key| ConversationOwner::new("audience", key)).transpose()?,
            ..base
        })
    }

    /// A delegated runtime: no user, token, ceiling or caller, and conversations of its own.
    pub fn runtime(
        runtime_id: &str,
        agent_id: &str,
        scope: RequestScope,
        audience: AudienceClaims,
    ) -> Result<Self> {
        let scope = RequestScope { request_context: "runtime".to_owned(), ..scope };
        let base = Self::new(agent_id, AuthSource::Runtime, scope)?;
        let owner_key = audience.owner_key.unwrap_or_else(|| runtime_id.to_owned());
        Ok(Self {
            audience_id: checked_audience(Some(runtime_id.to_owned()))?,
            audience_claims: audience.claims,
            owner: Some(ConversationOwner::new("runtime", owner_key)?),
            ..base
        })
    }
}
