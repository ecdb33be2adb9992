//! Why a part of the host gave no answer.

/// What went wrong, in the host's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(pub String);
