//! What follows from what the host notes about a result.

use provost_contract::json;
use serde_json::Value;

use crate::engine::{CallSettled, Kind};

/// The result with the notes beside it. What is no object is no note.
pub fn diagnosed(settled: &CallSettled, notes: Value) -> Kind {
    CallSettled { diagnostics: json::into_object(notes), ..settled.clone() }.into()
}
