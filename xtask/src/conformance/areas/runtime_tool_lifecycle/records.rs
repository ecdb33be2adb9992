//! Stored requests that can be made to forget, to race and to lack atomic transitions.

use provost_contract::json::{self, Object};
use provost_contract::timestamp;
use serde_json::Value;

use crate::conformance::areas::{input, list, text};

const PENDING: &str = "runtime_tool_pending";

/// A stored request as it was written.
#[derive(Clone, Debug)]
pub(super) struct Record(pub(super) Object);

impl Record {
    pub(super) fn text(&self, key: &str) -> &str {
        json::text(&self.0, key).unwrap_or_default()
    }

    pub(super) fn is_pending(&self) -> bool {
        self.text("status") == PENDING
    }

    /// The result that was kept.
    pub(super) fn result(&self) -> Option<&Value> {
        json::present(&self.0, "result").filter(|_| !self.is_pending())
    }
}

/// Which waiting requests are shown; what is left empty does not filter.
#[derive(Default)]
pub(super) struct Query {
    pub(super) run_id: Option<String>,
    pub(super) tool_name: Option<String>,
    /// Only those that stop waiting before this moment.
    pub(super) before: Option<String>,
    /// Only those that stop waiting after this moment.
    pub(super) after: Option<String>,
    pub(super) limit: Option<usize>,
}

impl Query {
    fn shows(&self, record: &Record) -> bool {
        let fits =
            |wanted: &Option<String>, key| wanted.as_ref().is_none_or(|wanted| wanted == record.text(key));
        let end = record.text("timeout_at");
        let ends = |bound: &Option<String>, fits: fn(&str, &str) -> bool| {
            bound.as_ref().is_none_or(|bound| !end.is_empty() && fits(bound, end))
        };
        record.is_pending()
            && fits(&self.run_id, "run_id")
            && fits(&self.tool_name, "tool_name")
            && ends(&self.before, |before, end| !timestamp::is_not_after(before, end))
            && ends(&self.after, |after, end| !timestamp::is_not_after(end, after))
    }
}

/// Requests in the order in which they were first written.
pub(super) struct Records {
    stored: Vec<Record>,
    /// What others write before the next transitions, last first.
    races: Vec<Object>,
    retains: bool,
    pub(super) atomic: bool,
}

impl Records {
    pub(super) fn new(options: &Value) -> Self {
        let mut records = Self {
            stored: Vec::new(),
            races: list(options, "races").iter().rev().filter_map(Value::as_object).cloned().collect(),
            retains: input(options, "retain_results") != &Value::Bool(false),
            atomic: input(options, "atomic") != &Value::Bool(false),
        };
        for record in list(options, "records").iter().filter_map(Value::as_object) {
            records.create(Record(record.clone()));
        }
        records
    }

    /// Stores a request that waits; false when one under its id was answered before.
    pub(super) fn create(&mut self, record: Record) -> bool {
        match self.stored.iter_mut().find(|known| known.text("request_id") == record.text("request_id")) {
            Some(known) if !known.is_pending() => return false,
            Some(known) => *known = record,
            None => self.stored.push(record),
        }
        true
    }

    pub(super) fn get(&self, id: &str) -> Option<Record> {
        self.stored.iter().find(|record| record.text("request_id") == id).cloned()
    }

    /// Ends the waiting of a request; false when somebody else did.
    pub(super) fn transition(&mut self, id: &str, status: &str, result: Option<Value>) -> bool {
        let race = self.races.pop();
        let stored = self.stored.iter_mut().find(|record| record.text("request_id") == id);
        let Some(record) = stored.filter(|record| record.is_pending()) else { return false };
        if let Some(patch) = race {
            if !text(&Value::Object(patch.clone()), "status").is_empty() {
                record.0.extend(patch);
            }
            return false;
        }
        record.0.insert("status".into(), status.into());
        if let Some(result) = result.filter(|_| self.retains) {
            record.0.insert("result".into(), result);
        }
        true
    }

    pub(super) fn pending(&self, query: &Query) -> Vec<Record> {
        let shown = self.stored.iter().filter(|record| query.shows(record)).cloned();
        shown.take(query.limit.unwrap_or(usize::MAX)).collect()
    }

    /// Every record by id.
    pub(super) fn dump(&self) -> Object {
        let by_id = |record: &Record| (record.text("request_id").to_owned(), record.0.clone().into());
        self.stored.iter().map(by_id).collect()
    }
}
