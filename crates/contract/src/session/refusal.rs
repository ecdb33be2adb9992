//! Why a session is not given, made or changed.

use strum::IntoStaticStr;

use crate::ContractError;

/// The reasons; the code of each is `agents_conversation_session_` and its snake-case name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Refusal {
    Unauthenticated,
    OwnerRequired,
    InvalidOwner,
    NonIsolatingOwner,
    UserOwnerForbidden,
    OwnerForbidden,
    NoStore,
    PrincipalStoreRequired,
    InvalidWorkspace,
    InvalidId,
    NotFound,
    Forbidden,
    InvalidTitle,
}

impl Refusal {
    fn message(self) -> &'static str {
        match self {
            Self::Unauthenticated => "A conversation session principal could not be resolved.",
            Self::OwnerRequired => "The current principal owns no conversation sessions.",
            Self::InvalidOwner => "Conversation session owner type and key are required.",
            Self::NonIsolatingOwner => "Public audience is not an isolating conversation session owner.",
            Self::UserOwnerForbidden | Self::OwnerForbidden => {
                "Conversation session owner must match the authenticated principal."
            }
            Self::NoStore => "No conversation store is registered.",
            Self::PrincipalStoreRequired => {
                "The registered conversation session store does not support non-user principal owners."
            }
            Self::InvalidWorkspace => "workspace must include valid workspace_type and workspace_id",
            Self::InvalidId => "Conversation session ID must be a non-empty string.",
            Self::NotFound => "Conversation session not found.",
            Self::Forbidden => "The current principal cannot access this conversation session.",
            Self::InvalidTitle => "Conversation session title must be a non-empty string.",
        }
    }
}

impl From<Refusal> for ContractError {
    fn from(refusal: Refusal) -> Self {
        let word: &'static str = refusal.into();
        Self::with_message(format!("agents_conversation_session_{word}"), refusal.message())
    }
}
