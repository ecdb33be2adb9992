//! Who keeps the transcript of a finished run.

use serde_json::Value;

use super::HostError;
use crate::engine::History;
use crate::port::Boxed;

/// A run that is over, or parked.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    /// The session it belongs to.
    pub session: Option<&'a str>,
    /// The transcript.
    pub messages: &'a History,
    /// How many turns it might have taken.
    pub max_turns: u64,
    /// Its result, as the caller gets it.
    pub result: &'a Value,
}

/// Told once about every run that did work. What it does, and whether it fails, changes nothing.
pub trait Persister: Send + Sync {
    /// Keeps the run.
    fn persist<'a>(&'a self, run: FinishedRun<'a>) -> Boxed<'a, Result<(), HostError>>;
}
