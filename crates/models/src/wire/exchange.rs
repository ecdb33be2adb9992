//! A request and its answer, with as many tries as are allowed and as much time as there is.

use bytes::Bytes;
use provost_runtime::port::{Clock, Delta};
use reqwest::Client;
use serde_json::Value;

use super::attempt::Answered;
use super::deadline::Deadline;
use super::{Endpoint, Retry, Timeouts};
use crate::Fault;
use crate::api::{Api, OnDelta, Route};

/// What came back, and how.
#[derive(Debug)]
pub(crate) struct Received<T> {
    pub(crate) answer: T,
    /// The provider's name for the request.
    pub(crate) request_id: Option<String>,
    /// How often it was asked.
    pub(crate) attempts: u32,
}

/// One request, ready to be sent as often as needed, and the means to do so.
pub(crate) struct Exchange<'a> {
    pub(crate) api: &'a dyn Api,
    pub(crate) client: &'a Client,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) timeouts: Timeouts,
    pub(crate) retry: Retry,
    pub(crate) route: Route,
    pub(crate) body: Bytes,
    /// Tells this caller from others that wait too.
    pub(crate) who: String,
}

impl Exchange<'_> {
    /// Asks until there is an answer that `read` accepts, or no use in asking again.
    pub(crate) async fn run<T>(
        &self,
        read: impl Fn(Value) -> Result<T, Fault> + Sync,
        hear: OnDelta<'_>,
    ) -> Result<Received<T>, Fault> {
        let what = "the provider did not answer completely";
        let total = Deadline::in_ms(self.clock, self.timeouts.total_ms, what);
        let outcome = total.keep(self.tries(&read, hear)).await;
        outcome.map_err(|fault| Fault { message: self.endpoint.hide_key(fault.message), ..fault })
    }

    async fn tries<T>(
        &self,
        read: &(impl Fn(Value) -> Result<T, Fault> + Sync),
        hear: OnDelta<'_>,
    ) -> Result<Received<T>, Fault> {
        let mut attempts = 1;
        loop {
            let tried = self.attempt(hear).await;
            let fault = match tried.and_then(|Answered { body, request_id }| Ok((read(body)?, request_id))) {
                Ok((answer, request_id)) => return Ok(Received { answer, request_id, attempts }),
                Err(fault) => fault,
            };
            let Some(wait_ms) = self.retry.wait_ms(&fault, attempts, &self.who) else { return Err(fault) };
            hear(Delta::Restart);
            hear(Delta::Retry {
                address: &self.endpoint.address(),
                problem: &self.endpoint.hide_key(fault.message.clone()),
                attempt: attempts,
                attempts_max: self.retry.attempts_max,
                wait_ms,
            });
            let wait_ms = i64::try_from(wait_ms).unwrap_or(i64::MAX);
            self.clock.sleep_until(self.clock.now_ms().saturating_add(wait_ms)).await;
            attempts += 1;
        }
    }
}
