//! Values kept as JSON text.

use provost_contract::json;
use serde_json::Value;

use super::broken::Broken;

/// Reads stored JSON.
pub(super) fn value(text: &str) -> Result<Value, Broken> {
    json::parse_text(text).map_err(|error| Broken::Damaged(error.to_string()))
}

/// Reads a stored value through its own door.
pub(super) fn parsed<T>(
    text: &str,
    parse: impl FnOnce(&Value) -> provost_contract::Result<T>,
) -> Result<T, Broken> {
    parse(&value(text)?).map_err(|error| Broken::Damaged(error.to_string()))
}
