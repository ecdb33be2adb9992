//! One try: a request goes out, and a whole answer comes back or a fault.

use provost_contract::json;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::classify::{classify, error_in};
use super::deadline::Deadline;
use super::exchange::Exchange;
use super::retry_after::retry_after_ms;
use super::stream;
use crate::api::OnDelta;
use crate::{Fault, FaultKind};

/// How large an answer may be that comes at once.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How much of an error is read.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// The body of an answer, and the provider's name for the request.
pub(super) struct Answered {
    pub(super) body: Value,
    pub(super) request_id: Option<String>,
}

impl Exchange<'_> {
    /// # Cancel safety
    /// Dropping it closes the connection; the provider may still count the tokens.
    pub(super) async fn attempt(&self, hear: OnDelta<'_>) -> Result<Answered, Fault> {
        let response = self.idle().keep(self.send()).await?;
        let request_id = request_id(response.headers());
        if !response.status().is_success() {
            return Err(self.failure(response).await);
        }
        let body = if is_stream(response.headers()) {
            stream::read(self, response, hear).await?
        } else {
            self.whole(response).await?
        };
        Ok(Answered { body, request_id })
    }

    /// How long the provider may be silent from now on.
    pub(super) fn idle(&self) -> Deadline<'_> {
        Deadline::in_ms(self.clock, self.timeouts.idle_ms, "the provider did not say anything")
    }

    async fn send(&self) -> Result<Response, Fault> {
        let request = self.client.post(self.endpoint.url(&self.route)).headers(self.endpoint.headers());
        request.body(self.body.clone()).send().await.map_err(|error| unsent(&self.endpoint.address(), error))
    }

    async fn whole(&self, response: Response) -> Result<Value, Fault> {
        let text = self.text(response, ANSWER_BYTES_MAX).await?;
        let body = json::parse_text(&text).map_err(|error| {
            Fault::new(FaultKind::MalformedAnswer, format!("the answer is not JSON: {}", error.message()))
        })?;
        match error_in(&body) {
            Some(error) => Err(classify(None, error)),
            None => Ok(body),
        }
    }

    async fn failure(&self, response: Response) -> Fault {
        let (status, headers) = (response.status(), response.headers().clone());
        // An error whose text is cut off is still an error.
        let text = self.text(response, ERROR_BYTES_MAX).await.unwrap_or_default();
        failure(status, &headers, &text, self.clock.now_ms())
    }

    /// Reads the body as text; a body above the limit is an error, as no provider sends one.
    async fn text(&self, mut response: Response, bytes_max: usize) -> Result<String, Fault> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.idle().keep(next_chunk(&mut response)).await? {
            if bytes.len() + chunk.len() > bytes_max {
                return Err(Fault::new(FaultKind::MalformedAnswer, format!("more than {bytes_max} bytes")));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The next bytes; none at the proper end of the body.
pub(super) async fn next_chunk(response: &mut Response) -> Result<Option<bytes::Bytes>, Fault> {
    response.chunk().await.map_err(|error| {
        Fault::new(FaultKind::CutStream, format!("the connection broke in the answer: {}", causes(error)))
    })
}

fn failure(status: StatusCode, headers: &HeaderMap, text: &str, now_ms: i64) -> Fault {
    let body = json::parse_text(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    let error = error_in(&body).unwrap_or(&body);
    let retry_after_ms = retry_after_ms(headers, &body, now_ms);
    Fault { retry_after_ms, ..classify(Some(status.as_u16()), error) }
}

/// The address and the innermost cause: `cannot reach http://localhost:11434 (connection refused)`.
fn unsent(address: &str, error: reqwest::Error) -> Fault {
    let causes = causes(error);
    let cause = causes.rsplit(": ").next().unwrap_or(&causes);
    let cause = cause.split(" (os error").next().unwrap_or(cause).to_lowercase();
    Fault::new(FaultKind::Unreachable, format!("cannot reach {address} ({cause})"))
}

/// What went wrong, down to the cause, without the address.
fn causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        words = format!("{words}: {error}");
        cause = error.source();
    }
    words
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/event-stream")
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    let header = headers.get("request-id").or_else(|| headers.get("x-request-id"))?;
    header.to_str().ok().map(str::to_owned)
}
