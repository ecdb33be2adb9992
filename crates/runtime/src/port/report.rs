//! What an executor says while it works.

use std::fmt;
use std::sync::Arc;

/// Takes what an executor streams, in order. What it does changes nothing, and it never blocks.
pub trait ReportSink: Send + Sync {
    /// More output.
    fn output(&self, text: &str);

    /// How far the work has come.
    fn progress(&self, title: &str, done: u64, of: Option<u64>);
}

/// Where a call streams its output and progress: to whoever follows the run in this process. Nothing of it is
/// stored, and nobody waits for it. Cheap to clone.
///
/// ```
/// use provost_runtime::port::Report;
///
/// let report = Report::unheard();
/// report.output("12 files\n");
/// report.progress("counting", 12, Some(40));
/// ```
#[derive(Clone, Default)]
pub struct Report(Option<Arc<dyn ReportSink>>);

impl Report {
    /// A report to a sink.
    pub fn new(sink: Arc<dyn ReportSink>) -> Self {
        Self(Some(sink))
    }

    /// Returns a report that nobody hears.
    pub fn unheard() -> &'static Self {
        static UNHEARD: Report = Report(None);
        &UNHEARD
    }

    /// Streams a piece of output.
    pub fn output(&self, text: &str) {
        if let Some(sink) = &self.0 {
            sink.output(text);
        }
    }

    /// Says how far the work has come.
    pub fn progress(&self, title: &str, done: u64, of: Option<u64>) {
        if let Some(sink) = &self.0 {
            sink.progress(title, done, of);
        }
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Report(heard)" } else { "Report(unheard)" })
    }
}
