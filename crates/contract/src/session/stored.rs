//! One stored conversation.

use serde_json::{Value, json};

use super::ownership::USER;
use super::refusal::Refusal;
use crate::json::Object;
use crate::principal::ConversationOwner;
use crate::{Result, UserId, WorkspaceScope, timestamp};

/// A session. Times are Unix seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// What names it.
    pub session_id: String,
    /// Where it is.
    pub workspace: WorkspaceScope,
    /// Whose it is.
    pub owner: ConversationOwner,
    /// The agent spoken with; empty when it is none in particular.
    pub agent_slug: String,
    /// What people call it; empty until somebody names it.
    pub title: String,
    /// The whole transcript, in the words of whoever wrote it.
    pub messages: Vec<Value>,
    /// What its owner wants to remember beside it.
    pub metadata: Object,
    /// Whose model answered last; empty until one did.
    pub provider: String,
    /// Which model answered last; empty until one did.
    pub model: String,
    /// Where the provider goes on from, when it keeps conversations itself.
    pub provider_response_id: Option<String>,
    /// What kind of conversation it is.
    pub context: String,
    /// When it was made.
    pub created_at: i64,
    /// When it last changed.
    pub updated_at: i64,
    /// When it was last read.
    pub last_read_at: Option<i64>,
    /// When it may be forgotten.
    pub expires_at: Option<i64>,
}

/// What a turn leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionUpdate {
    /// The whole transcript, never a part of it.
    pub messages: Vec<Value>,
    /// All of the metadata.
    pub metadata: Object,
    /// Whose model answered; empty keeps what was known.
    pub provider: String,
    /// Which model answered; empty keeps what was known.
    pub model: String,
    /// Where the provider goes on from.
    pub continuation: Continuation,
}

/// What a turn says about the conversation its provider keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// Nothing.
    Keep,
    /// There is none any more.
    Forget,
    /// It goes on from this response.
    From(String),
}

impl Session {
    /// Replaces what a turn changed.
    pub fn update(&mut self, update: SessionUpdate, now: i64) {
        self.messages = update.messages;
        self.metadata = update.metadata;
        for (known, said) in [(&mut self.provider, update.provider), (&mut self.model, update.model)] {
            if !said.is_empty() {
                *known = said;
            }
        }
        match update.continuation {
            Continuation::Keep => {}
            Continuation::Forget => self.provider_response_id = None,
            Continuation::From(response_id) => self.provider_response_id = Some(response_id),
        }
        self.updated_at = now;
    }

    /// Names it; a blank title is refused.
    pub fn retitle(&mut self, title: &str, now: i64) -> Result<()> {
        match title.trim() {
            "" => Err(Refusal::InvalidTitle.into()),
            title => {
                self.title = title.to_owned();
                self.updated_at = now;
                Ok(())
            }
        }
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = self.summary();
        wire.insert("messages".into(), self.messages.clone().into());
        Value::Object(wire)
    }

    /// The wire form without the transcript, for lists.
    pub fn summary(&self) -> Object {
        let moment = |seconds: i64| timestamp::date_time(seconds);
        crate::json::into_object(json!({
            "session_id": self.session_id,
            "workspace_type": self.workspace.workspace_type(),
            "workspace_id": self.workspace.workspace_id(),
            "owner_type": self.owner.owner_type(),
            "owner_key": self.owner.owner_key(),
            "user_id": self.user_id(),
            "agent_slug": self.agent_slug,
            "title": self.title,
            "metadata": self.metadata,
            "provider": self.provider,
            "model": self.model,
            "provider_response_id": self.provider_response_id,
            "context": self.context,
            "mode": self.context,
            "created_at": moment(self.created_at),
            "updated_at": moment(self.updated_at),
            "last_read_at": self.last_read_at.map(moment),
            "expires_at": self.expires_at.map(moment),
        }))
    }

    /// The user it belongs to; nobody when its owner is something else.
    fn user_id(&self) -> UserId {
        match self.owner.owner_type() {
            USER => UserId::numeric(&self.owner.owner_key().into()).unwrap_or_default(),
            _ => UserId::NOBODY,
        }
    }
}
