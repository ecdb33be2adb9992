//! Why a provider gave no answer, and whether asking again can help.

use provost_runtime::port::ModelError;
use strum::{Display, EnumString, IntoStaticStr};

/// The kinds of failure a caller can tell apart; the `kind` of a `ModelError` can be parsed to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FaultKind {
    /// The key is missing, wrong or not allowed to do this.
    Auth,
    /// Too many requests or tokens for now.
    RateLimited,
    /// The account has nothing left to spend; waiting does not help.
    QuotaExhausted,
    /// The transcript does not fit into the model.
    ContextTooLong,
    /// The model, or a filter in front of it, declined to answer.
    Refused,
    /// The provider has too much to do.
    Overloaded,
    /// The provider does not understand the request, or we would not send it.
    BadRequest,
    /// The provider broke.
    ProviderFailed,
    /// There was no way to the provider.
    Unreachable,
    /// The answer stopped in the middle.
    CutStream,
    /// It took too long.
    TimedOut,
    /// The answer is not of the provider's own form.
    MalformedAnswer,
}

impl FaultKind {
    /// Whether the same request may succeed a little later.
    pub(crate) fn passes(self) -> bool {
        match self {
            Self::RateLimited
            | Self::Overloaded
            | Self::ProviderFailed
            | Self::Unreachable
            | Self::CutStream
            | Self::TimedOut => true,
            Self::Auth
            | Self::QuotaExhausted
            | Self::ContextTooLong
            | Self::Refused
            | Self::BadRequest
            | Self::MalformedAnswer => false,
        }
    }
}

/// One failure, in words that hold no secret once it leaves this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Fault {
    /// What kind it is.
    pub(crate) kind: FaultKind,
    /// What happened, with the provider's own words where it had some.
    pub(crate) message: String,
    /// The provider's code, or the HTTP status; none when there is neither.
    pub(crate) code: Option<String>,
    /// How long the provider asks us to wait.
    pub(crate) retry_after_ms: Option<u64>,
}

impl Fault {
    /// A failure without a code.
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), code: None, retry_after_ms: None }
    }
}

impl From<Fault> for ModelError {
    fn from(fault: Fault) -> Self {
        let error = Self::new(fault.kind.to_string(), fault.message);
        match fault.code {
            Some(code) => Self { code, ..error },
            None => error,
        }
    }
}
