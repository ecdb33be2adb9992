//! Requests that wait for a client: calls of tools that something outside the run must execute.

use provost_contract::json::{self, Object};
use provost_contract::timestamp;
use serde_json::Value;

use super::{Boxed, Fault};

const PENDING: &str = "runtime_tool_pending";

/// A stored request, as it was written. Storage looks at the fields it is asked about and reads
/// nothing else; whoever uses it parses it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientToolRecord(pub Object);

impl ClientToolRecord {
    /// The id it is answered under.
    pub fn request_id(&self) -> &str {
        self.text("request_id")
    }

    /// How far it has come.
    pub fn status(&self) -> &str {
        self.text("status")
    }

    /// The run it belongs to.
    pub fn run_id(&self) -> &str {
        self.text("run_id")
    }

    /// The tool the client must run.
    pub fn tool_name(&self) -> &str {
        self.text("tool_name")
    }

    /// When it stops waiting; empty when it does not.
    pub fn timeout_at(&self) -> &str {
        self.text("timeout_at")
    }

    /// Whether nobody has answered yet.
    pub fn is_pending(&self) -> bool {
        self.status() == PENDING
    }

    /// Whether it waited for an answer until its time was over.
    pub fn is_overdue(&self, now: &str) -> bool {
        let end = self.timeout_at();
        self.is_pending() && !end.is_empty() && timestamp::is_not_after(end, now)
    }

    /// The result that was kept.
    pub fn result(&self) -> Option<&Value> {
        json::present(&self.0, "result")
    }

    /// Makes it what a transition says, if nobody has answered yet; says whether it did.
    pub fn advance(&mut self, transition: &ClientToolTransition) -> bool {
        if !self.is_pending() {
            return false;
        }
        self.0.insert("status".into(), transition.status.into());
        if let Some(result) = &transition.result {
            self.0.insert("result".into(), result.clone());
        }
        true
    }

    fn text(&self, key: &str) -> &str {
        json::text(&self.0, key).unwrap_or_default()
    }
}

/// How the waiting ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientToolTransition {
    status: &'static str,
    result: Option<Value>,
}

impl ClientToolTransition {
    /// A client answered: the answer is kept.
    pub fn completed(result: Value) -> Self {
        Self { status: "runtime_tool_completed", result: Some(result) }
    }

    /// Nobody answered in time.
    pub fn timed_out() -> Self {
        Self { status: "runtime_tool_timeout", result: None }
    }

    /// The same for a storage that does not keep results.
    #[must_use]
    pub fn without_result(self) -> Self {
        Self { result: None, ..self }
    }

    /// The status it leads to.
    pub fn status(&self) -> &'static str {
        self.status
    }
}

/// Which waiting requests are shown; what is left empty does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingRequests {
    pub run_id: Option<String>,
    pub tool_name: Option<String>,
    /// Only those that stop waiting before this moment.
    pub before: Option<String>,
    /// Only those that stop waiting after this moment.
    pub after: Option<String>,
    pub limit: Option<usize>,
}

impl PendingRequests {
    /// Whether a record is shown.
    pub fn shows(&self, record: &ClientToolRecord) -> bool {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        let end = record.timeout_at();
        record.is_pending()
            && fits(&self.run_id, record.run_id())
            && fits(&self.tool_name, record.tool_name())
            && self
                .before
                .as_ref()
                .is_none_or(|before| !end.is_empty() && !timestamp::is_not_after(before, end))
            && self.after.as_ref().is_none_or(|after| !end.is_empty() && !timestamp::is_not_after(end, after))
    }
}

/// Whether a storage can end the waiting of a request exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transitions {
    Atomic,
    /// It cannot: two answers might both count. Such a storage is refused.
    Racy,
}

/// What became of a request that was to be stored.
#[derive(Clone, Debug, PartialEq)]
pub enum CreatedRequest {
    /// It waits now; an earlier one under its id that still waited was replaced.
    Waiting,
    /// One under its id was answered before, and stays as it is.
    AnsweredBefore(ClientToolRecord),
}

/// Requests by id. Waiting ends exactly once, and what ended it is kept.
pub trait ClientToolRequests: Send + Sync {
    /// Whether [`ClientToolRequests::transition`] compares before it sets.
    fn transitions(&self) -> Transitions {
        Transitions::Atomic
    }

    /// Stores a request that waits.
    fn create(&self, record: ClientToolRecord) -> Boxed<'_, Result<CreatedRequest, Fault>>;

    /// The request of an id.
    fn get<'a>(&'a self, request_id: &'a str) -> Boxed<'a, Result<Option<ClientToolRecord>, Fault>>;

    /// Ends the waiting of a request; of several transitions only the first. False when the request is
    /// unknown or does not wait.
    fn transition<'a>(
        &'a self,
        request_id: &'a str,
        transition: ClientToolTransition,
    ) -> Boxed<'a, Result<bool, Fault>>;

    /// The waiting requests a query shows, in the order they were stored.
    fn pending<'a>(&'a self, query: &'a PendingRequests) -> Boxed<'a, Result<Vec<ClientToolRecord>, Fault>>;
}
