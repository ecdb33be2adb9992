//! What may be asked over HTTP.

use std::net::IpAddr;

use url::{Host, Url};

use super::HostRule;
use super::address::is_public;
use super::error::HttpError;

/// Which hosts may be asked, and how much. Without one there is no `http/get`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpAccess {
    /// The hosts that may be contacted; none if it is empty.
    pub hosts: Vec<HostRule>,
    /// Addresses that may be asked although they are not public, such as one server of the house.
    pub private: Vec<IpAddr>,
    /// How much.
    pub limits: HttpLimits,
}

/// How much may be asked and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// How much of a body is read.
    pub body_bytes_max: usize,
    /// How many redirects are followed.
    pub redirects_max: usize,
    /// How long all of it takes.
    pub ms_max: u64,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self { body_bytes_max: 256 * 1024, redirects_max: 5, ms_max: 30_000 }
    }
}

impl HttpAccess {
    /// Refuses an address whose scheme, host or port is not allowed. A name is looked up later.
    pub(super) fn check(&self, url: &Url) -> Result<(), HttpError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(HttpError::SchemeNotAllowed(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(HttpError::CredentialsInUrl);
        }
        let host = url.host_str().unwrap_or_default();
        if !self.hosts.iter().any(|rule| rule.allows(url)) {
            return Err(HttpError::HostNotAllowed(host.to_owned()));
        }
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => Some(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => Some(IpAddr::V6(address)),
            Some(Host::Domain(_)) | None => None,
        };
        match literal {
            Some(address) if !self.allows_address(address) => Err(HttpError::PrivateAddress(host.to_owned())),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether an address may be connected to.
    pub(super) fn allows_address(&self, address: IpAddr) -> bool {
        is_public(address) || self.private.contains(&address)
    }
}
