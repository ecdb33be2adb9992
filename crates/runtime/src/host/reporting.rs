//! What executors stream, on its way to the watchers of their run.

use std::sync::Arc;

use provost_engine::{ActionId, RunId};

use crate::actor::{Delta, DeltaSink};
use crate::port::{Report, ReportSink};

struct Reporting {
    run: RunId,
    action: ActionId,
    sink: Arc<dyn DeltaSink>,
}

/// Returns the report of an action.
pub(super) fn report(run: &RunId, action: ActionId, sink: &Arc<dyn DeltaSink>) -> Report {
    Report::new(Arc::new(Reporting { run: run.clone(), action, sink: sink.clone() }))
}

impl ReportSink for Reporting {
    fn output(&self, text: &str) {
        let delta = Delta::Output { action: self.action, text: text.to_owned() };
        self.sink.delta(&self.run, None, delta);
    }

    fn progress(&self, title: &str, done: u64, of: Option<u64>) {
        let delta = Delta::Progress { action: self.action, title: title.to_owned(), done, of };
        self.sink.delta(&self.run, None, delta);
    }
}
