//! Why an address was not read.

use strum::IntoStaticStr;

use super::resolver::OnlyPrivate;
use crate::Refusal;

/// What can be wrong with a request. The names of the variants are the codes.
#[derive(Debug, thiserror::Error, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum HttpError {
    #[error("{0:?} is not an http or https address")]
    NotAUrl(String),
    #[error("{0} is not read, only http and https are")]
    SchemeNotAllowed(String),
    #[error("an address with a user name or password is not read")]
    CredentialsInUrl,
    #[error("{0} is not on the list of hosts that may be asked")]
    HostNotAllowed(String),
    #[error("it redirects to {0}, where a rule does not let it go unasked")]
    RedirectNotAllowed(String),
    #[error("{0} is not a public address")]
    PrivateAddress(String),
    #[error("more than {0} redirects")]
    TooManyRedirects(usize),
    #[error("the answer is not text")]
    Binary,
    #[error("no answer within {0} ms")]
    TimedOut(u64),
    #[error("the request failed")]
    Failed(#[source] reqwest::Error),
}

impl From<reqwest::Error> for HttpError {
    /// A lookup that found only what may not be connected to comes wrapped in the words of the client.
    fn from(error: reqwest::Error) -> Self {
        // The caller knows the address, and it may contain secrets.
        let error = error.without_url();
        let first: &(dyn std::error::Error + 'static) = &error;
        let mut causes = std::iter::successors(Some(first), |&cause| cause.source());
        match causes.find_map(|cause| cause.downcast_ref::<OnlyPrivate>()) {
            Some(OnlyPrivate(host)) => Self::PrivateAddress(host.clone()),
            None => Self::Failed(error),
        }
    }
}

impl From<HttpError> for Refusal {
    fn from(error: HttpError) -> Self {
        Self::of(&error)
    }
}
