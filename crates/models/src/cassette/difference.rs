//! What changed between two requests, for a person.

use serde_json::Value;
use similar::TextDiff;

/// How many lines of a difference are shown.
const LINES_MAX: usize = 60;

/// The lines that changed, with a few around them.
pub(super) fn difference(recorded: &Value, now: &Value) -> String {
    let (recorded, now) = (format!("{recorded:#}\n"), format!("{now:#}\n"));
    let difference = TextDiff::from_lines(&recorded, &now);
    let text = difference.unified_diff().context_radius(2).header("recorded", "now").to_string();
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines.iter().take(LINES_MAX).copied().collect::<Vec<_>>().join("\n");
    match lines.len().saturating_sub(LINES_MAX) {
        0 => shown,
        more => format!("{shown}\n… and {more} lines more"),
    }
}
