//! One call, as a tool sees it.

use provost_contract::json::Object;

/// What a tool may know of a call beside its arguments.
#[derive(Clone, Debug)]
pub struct Call {
    /// The id of the call.
    pub id: String,
    /// The same on every attempt: a tool that keeps it can recognise a repetition.
    pub key: String,
    /// The turn of the run.
    pub turn: u64,
    /// The caller's context.
    pub context: Object,
}
