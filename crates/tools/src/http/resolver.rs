//! From a name to addresses that may be connected to.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::HttpAccess;

/// A name all of whose addresses are private.
#[derive(Debug, thiserror::Error)]
#[error("{0} has no public address")]
pub(super) struct OnlyPrivate(pub(super) String);

/// Looks names up and gives the client only the addresses that may be connected to.
pub(super) struct Resolver(pub(super) Arc<HttpAccess>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let access = self.0.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|found| access.allows_address(found.ip())).collect();
            if allowed.is_empty() {
                return Err(OnlyPrivate(name.as_str().to_owned()).into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}
