//! What lets a run go on after its client answered.

use provost_contract::json::Object;
use provost_contract::tool::{RuntimeToolRequest, RuntimeToolResult};
use serde_json::Value;

use crate::port::Boxed;

/// Lets the run of an answered request go on.
///
/// The answer is stored before this is called: a run whose continuation fails is not lost, its journal
/// and the stored answer let it go on later.
pub trait Continuation: Send + Sync {
    /// Goes on, and says what came of it: an object.
    fn resume<'a>(
        &'a self,
        request: &'a RuntimeToolRequest,
        result: &'a RuntimeToolResult,
        context: &'a Object,
    ) -> Boxed<'a, Value>;
}

/// What a host registered for going on.
#[derive(Clone, Copy)]
pub enum RegisteredContinuation<'a> {
    Missing,
    Usable(&'a dyn Continuation),
    /// Something that cannot be called: an answer that wants to resume is refused before it is stored.
    Unusable,
}
