//! A session to be made.

use super::{Session, SessionRequest};
use crate::json::{self, Object};
use crate::principal::ConversationOwner;
use crate::{WorkspaceScope, loose};

const CONTEXT: &str = "chat";

/// What is known of a session before it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSession {
    /// Where it will be.
    pub workspace: WorkspaceScope,
    /// Whose it will be.
    pub owner: ConversationOwner,
    /// The agent to speak with.
    pub agent_slug: String,
    /// What kind of conversation it will be.
    pub context: String,
    /// What its owner wants to remember beside it.
    pub metadata: Object,
}

impl NewSession {
    /// Reads a request; the agent is the sender's own unless the request names another.
    pub fn parse(request: &SessionRequest, input: &Object) -> Self {
        let text = |key, default: &str| {
            json::get(input, key).and_then(loose::text).unwrap_or_else(|| default.to_owned())
        };
        Self {
            workspace: request.workspace().clone(),
            owner: request.owner().clone(),
            agent_slug: text("agent", request.agent_slug()),
            context: text("context", CONTEXT),
            metadata: json::object_or_empty(input, "metadata"),
        }
    }

    /// The session itself, under an id and at a time of the caller's.
    pub fn into_session(self, session_id: String, now: i64) -> Session {
        Session {
            session_id,
            workspace: self.workspace,
            owner: self.owner,
            agent_slug: self.agent_slug,
            title: String::new(),
            messages: Vec::new(),
            metadata: self.metadata,
            provider: String::new(),
            model: String::new(),
            provider_response_id: None,
            context: self.context,
            created_at: now,
            updated_at: now,
            last_read_at: None,
            expires_at: None,
        }
    }
}
