//! What a model thought, and when it must hear it again.

use provost_contract::provider::Part;
use serde_json::Value;

/// The parts without thinking, for the end of a turn without calls. Providers demand thinking back between
/// a call and its result, and pass over it later: there it would only cost room.
pub(super) fn left_behind(parts: Vec<Part>) -> Vec<Part> {
    parts.into_iter().filter(|part| !is_reasoning(part)).collect()
}

fn is_reasoning(part: &Part) -> bool {
    let Part::Opaque { block, .. } = part else { return false };
    let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
    matches!(kind, "thinking" | "redacted_thinking" | "reasoning")
        || block.get("thought") == Some(&Value::Bool(true))
}
