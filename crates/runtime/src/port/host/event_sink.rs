//! Who watches a run.

use serde_json::{Value, json};

use super::HostError;

/// Something a watcher is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The name of the event.
    pub event: &'static str,
    /// What it says.
    pub payload: Value,
}

impl Observed {
    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({ "event": self.event, "payload": self.payload })
    }
}

/// Is told what happens, in order. What it does, and whether it fails, changes nothing.
pub trait EventSink: Send + Sync {
    /// Takes notice. Must not block: whoever has to wait queues, within a bound, and drops the rest.
    ///
    /// # Errors
    /// Whatever went wrong; nobody acts on it.
    fn emit(&self, observed: &Observed) -> Result<(), HostError>;
}
