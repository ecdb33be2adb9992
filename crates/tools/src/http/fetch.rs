//! Asking an address, and wherever it sends us.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderName, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use url::Url;

use super::HttpAccess;
use super::error::HttpError;
use super::resolver::Resolver;

/// Whether a redirect to an address is not followed.
pub(super) type Closed = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Reads addresses within an access.
pub(super) struct Fetcher {
    access: Arc<HttpAccess>,
    closed: Closed,
    client: Client,
}

/// What an address answered.
pub(super) struct Fetched {
    /// Where the answer came from in the end.
    pub(super) url: Url,
    pub(super) status: u16,
    pub(super) content_type: Option<String>,
    pub(super) text: String,
    pub(super) is_cut: bool,
}

impl Fetcher {
    /// A client of its own, without proxies, cookies and redirects: only this code decides which hosts are contacted.
    pub(super) fn new(access: HttpAccess, closed: Closed) -> Result<Self, reqwest::Error> {
        // Another part of this process may have installed a provider already; it serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let access = Arc::new(access);
        let client = Client::builder()
            .user_agent("provost")
            .redirect(Policy::none())
            .no_proxy()
            .dns_resolver(Resolver(access.clone()))
            .build()?;
        Ok(Self { access, closed, client })
    }

    /// Reads an address, and refuses it in words before anything is sent.
    pub(super) fn checked(&self, url: &str) -> Result<Url, HttpError> {
        let url: Url = url.parse().map_err(|_| HttpError::NotAUrl(url.to_owned()))?;
        self.access.check(&url)?;
        Ok(url)
    }

    /// Asks.
    ///
    /// # Cancel safety
    /// A dropped future closes the connection.
    pub(super) async fn fetch(&self, url: Url) -> Result<Fetched, HttpError> {
        let ms_max = self.access.limits.ms_max;
        let answer = tokio::time::timeout(Duration::from_millis(ms_max), self.follow(url)).await;
        answer.unwrap_or(Err(HttpError::TimedOut(ms_max)))
    }

    async fn follow(&self, mut url: Url) -> Result<Fetched, HttpError> {
        for _ in 0..=self.access.limits.redirects_max {
            self.access.check(&url)?;
            let response = self.client.get(url.clone()).send().await?;
            match redirect(&url, &response)? {
                Some(next) if (self.closed)(next.as_str()) => {
                    return Err(HttpError::RedirectNotAllowed(
                        next.host_str().unwrap_or_default().to_owned(),
                    ));
                }
                Some(next) => url = next,
                None => return self.read(url, response).await,
            }
        }
        Err(HttpError::TooManyRedirects(self.access.limits.redirects_max))
    }

    async fn read(&self, url: Url, mut response: Response) -> Result<Fetched, HttpError> {
        let bytes_max = self.access.limits.body_bytes_max;
        let (mut body, mut is_cut) = (Vec::new(), false);
        while let Some(chunk) = response.chunk().await? {
            let room = bytes_max - body.len();
            body.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
            is_cut = chunk.len() > room;
            if is_cut {
                break;
            }
        }
        if body.contains(&0) {
            return Err(HttpError::Binary);
        }
        let content_type = header(&response, &CONTENT_TYPE).map(str::to_owned);
        let text = String::from_utf8_lossy(&body).into_owned();
        Ok(Fetched { url, status: response.status().as_u16(), content_type, text, is_cut })
    }
}

/// Where a redirect leads; none when the answer is none.
fn redirect(from: &Url, response: &Response) -> Result<Option<Url>, HttpError> {
    let target = header(response, &LOCATION).filter(|_| response.status().is_redirection());
    let Some(target) = target else { return Ok(None) };
    from.join(target).map(Some).map_err(|_| HttpError::NotAUrl(target.to_owned()))
}

fn header<'a>(response: &'a Response, name: &HeaderName) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}
