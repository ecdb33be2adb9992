//! What happens in a run, a line an event.

use provost_engine::view::Observed;
use serde_json::Value;

use super::news::Ended;
use crate::view::shown;

/// The line of an event; none when people need not know. `ended` is what the event says of a call that ended.
pub(super) fn line(observed: &Observed, ended: Option<&Ended>, turns_max: Option<u64>) -> Option<String> {
    let payload = &observed.payload;
    let text = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str| payload.get(key).and_then(Value::as_u64).unwrap_or_default();
    Some(match observed.event {
        "turn_started" => match turns_max.filter(|most| number("turn") <= *most) {
            Some(most) => format!("turn {} of at most {most}", number("turn")),
            None => format!("turn {}", number("turn")),
        },
        "tool_call" => {
            let arguments = payload.get("parameters").and_then(Value::as_object);
            format!("  > {:<10} {}", text("tool_name"), arguments.map(shown).unwrap_or_default())
        }
        "tool_result" => result(payload, ended),
        "approval_required" => format!("  ? {:<10} waits for your decision", text("tool_name")),
        "runtime_tool_pending" => format!("  ? {:<10} waits for your answer", text("tool_name")),
        "approval_granted" => format!(
            "  + {:<10} allowed by {}",
            text("tool_name"),
            payload.pointer("/approval/by").and_then(Value::as_str).unwrap_or_default()
        ),
        "budget_exceeded" => {
            format!(
                "  ! budget {} is used up: {} of {}",
                text("budget"),
                number("current"),
                number("ceiling")
            )
        }
        "failed" => format!("  ! {}", text("error")),
        "cancel_asked" => format!("  ! {} wants it stopped", text("by")),
        "loop_stalled" => "  ! the model repeats itself".to_owned(),
        "resumed" => format!("goes on in turn {}", number("turn")),
        _ => return None,
    })
}

fn result(payload: &Value, ended: Option<&Ended>) -> String {
    let text = |key: &str| payload.get(key).and_then(Value::as_str).unwrap_or_default();
    let mark = if payload.get("success") == Some(&Value::Bool(true)) { '<' } else { 'x' };
    let said = ended.map(|ended| ended.said.as_str()).filter(|said| !said.is_empty());
    let said = said.unwrap_or(if mark == '<' { "answered" } else { "no result" });
    match ended.and_then(|ended| ended.ms) {
        Some(ms) => format!("  {mark} {:<10} {said} ({ms} ms)", text("tool_name")),
        None => format!("  {mark} {:<10} {said}", text("tool_name")),
    }
}
