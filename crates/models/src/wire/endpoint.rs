//! Where a provider listens, and what it is told with every request.

use std::collections::BTreeMap;

use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::api::{Api, Route};
use crate::{KeyError, Secret};

/// Why an address cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// It is no address.
    #[error("the base URL {0:?} is not an http or https address")]
    Url(String),
    /// A key would travel unencrypted.
    #[error(
        "the base URL {0} is not encrypted, so the key would travel for all to read; use https, or no key"
    )]
    PlainKey(String),
    /// A name or value no header may have.
    #[error("the header {0:?} cannot be sent")]
    Header(String),
    /// The key cannot be sent.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// An address, a key and headers that were found fit to be used.
pub(crate) struct Endpoint {
    base: Url,
    headers: HeaderMap,
    key: Option<Secret>,
}

impl Endpoint {
    pub(crate) fn new(
        api: &dyn Api,
        base_url: &str,
        key: Option<Secret>,
        more: &BTreeMap<String, String>,
    ) -> Result<Self, EndpointError> {
        let base = Url::parse(base_url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let base = base.filter(Url::has_host).ok_or_else(|| EndpointError::Url(base_url.to_owned()))?;
        if key.is_some() && base.scheme() == "http" && !is_here(&base) {
            return Err(EndpointError::PlainKey(base_url.to_owned()));
        }
        let headers = headers(api, key.as_ref(), more)?;
        Ok(Self { base, headers, key })
    }

    /// Scheme, host and port: what a person may read of the address.
    pub(super) fn address(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    pub(super) fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    pub(super) fn url(&self, route: &Route) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(&route.segments);
        }
        url.set_query(route.query);
        url
    }

    pub(crate) fn key(&self) -> Option<&Secret> {
        self.key.as_ref()
    }

    /// A text that can leave this crate.
    pub(crate) fn hide_key(&self, text: String) -> String {
        match &self.key {
            Some(key) => key.hide_in(&text),
            None => text,
        }
    }
}

/// Whether an address leads back to this machine.
fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn headers(
    api: &dyn Api,
    key: Option<&Secret>,
    more: &BTreeMap<String, String>,
) -> Result<HeaderMap, EndpointError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    for (name, value) in api.fixed_headers() {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    for (name, value) in more {
        let refused = || EndpointError::Header(name.clone());
        let value = HeaderValue::from_str(value).map_err(|_| refused())?;
        headers.insert(name.parse::<HeaderName>().map_err(|_| refused())?, value);
    }
    if let Some(key) = key {
        let header = api.key_header();
        let value = HeaderValue::from_str(&format!("{}{}", header.before, key.expose()));
        let mut value = value.map_err(|_| KeyError::NoHeader)?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(header.name), value);
    }
    Ok(headers)
}
