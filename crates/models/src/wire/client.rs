//! The one HTTP client.

use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::Policy;

use super::Timeouts;

/// Why there is no HTTP client on this machine.
#[derive(Debug, thiserror::Error)]
#[error("no HTTP client can be made on this machine")]
pub struct ClientError(#[source] reqwest::Error);

/// A client that goes nowhere but where it is told: a key must not follow a redirect.
pub(crate) fn client(timeouts: Timeouts) -> Result<Client, ClientError> {
    // Another part of this process may have installed a provider already; it serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .connect_timeout(Duration::from_millis(timeouts.connect_ms))
        .redirect(Policy::none())
        .user_agent(concat!("provost/", env!("CARGO_PKG_VERSION")));
    client.build().map_err(ClientError)
}
