//! One call, as seen by a tool.

use provost_contract::json::{self, Object};
use provost_contract::loose;
use provost_runtime::port::{Report, ToolAction};
use serde::de::DeserializeOwned;

/// Information about a call in addition to its arguments, and a channel for output and progress.
///
/// ```
/// use provost::{Call, Tool};
/// # #[derive(serde::Deserialize, provost::JsonSchema)]
/// # struct Files { count: u64 }
/// let count = Tool::with_call("disk/count", "Counts files.", |files: Files, call: Call| async move {
///     for done in 1..=files.count {
///         call.progress("counting", done, Some(files.count));
///         call.output(&format!("file {done}\n"));
///     }
///     Ok(call.key) // the same whenever this call is repeated
/// });
/// # drop(count);
/// ```
#[derive(Clone, Debug)]
pub struct Call {
    /// The id of the call, unique in its turn.
    pub id: String,
    /// The idempotency key, the same on every attempt: a tool that stores it can recognise a repetition.
    pub key: String,
    /// The run.
    pub run: String,
    /// The turn of the run.
    pub turn: u64,
    /// The caller's context, [`Request::context`](crate::Request::context), including secrets.
    pub context: Object,
    report: Report,
}

impl Call {
    pub(super) fn of(action: &ToolAction<'_>) -> Self {
        let context: &Object = action.context;
        Self {
            id: json::text(context, "tool_call_id").unwrap_or_default().to_owned(),
            key: action.key.to_owned(),
            run: action.run.to_owned(),
            turn: json::get(context, "turn").and_then(loose::integer).unwrap_or_default().unsigned_abs(),
            context: context.clone(),
            report: action.report.clone(),
        }
    }

    /// Returns an entry of the caller's context, or `None` if it is missing or has another type.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)]
    /// # struct Nothing {}
    /// let who = provost::Tool::with_call("me/name", "Names the user.", |_: Nothing, call: provost::Call| async move {
    ///     Ok(call.get::<String>("user").unwrap_or_default())
    /// });
    /// # drop(who);
    /// ```
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_value(self.context.get(key)?.clone()).ok()
    }

    /// Streams a piece of output to subscribers of the run. Only the result is stored.
    ///
    /// ```
    /// fn tell(call: &provost::Call) {
    ///     call.output("12 files\n");
    /// }
    /// ```
    pub fn output(&self, text: &str) {
        self.report.output(text);
    }

    /// Reports progress to subscribers of the run. It is not stored.
    ///
    /// ```
    /// fn halfway(call: &provost::Call) {
    ///     call.progress("copying", 20, Some(40));
    /// }
    /// ```
    pub fn progress(&self, title: &str, done: u64, of: Option<u64>) {
        self.report.progress(title, done, of);
    }
}
