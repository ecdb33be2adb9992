//! What kind of line it is.

use serde_json::Value;

use crate::json::{self, Object};
use crate::session_file::line::{Line, NO_KIND};

/// Kinds of items that early versions write as lines of their own.
const BARE_ITEMS: [&str; 8] = [
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "web_search_call",
];
/// Kinds of lines that are the program's own records.
const RECORDS: [&str; 6] = [
    "turn_context",
    "world_state",
    "state",
    "inter_agent_communication_metadata",
    "security_risk_score",
    "history_entry",
];

/// A line, by what it means for the conversation.
pub(super) enum Record<'a> {
    /// What the session is: the first line.
    Meta(&'a Object),
    /// A piece of the conversation; none where there should be one.
    Item(Option<&'a Object>),
    /// What replaces the conversation so far.
    Compacted(&'a Object),
    /// So many turns of the user are taken back.
    RolledBack(usize),
    /// The program's own.
    Own,
    /// A kind this version does not know.
    Unknown,
}

impl<'a> Record<'a> {
    pub(super) fn of(line: &'a Line) -> Self {
        match (line.kind(), json::object(&line.object, "payload")) {
            ("session_meta", Some(meta)) => Self::Meta(meta),
            ("response_item", item) => Self::Item(item),
            ("compacted", Some(compacted)) => Self::Compacted(compacted),
            ("event_msg", Some(event)) => Self::event(event),
            (NO_KIND, _) if is_header(&line.object) => Self::Meta(&line.object),
            (NO_KIND, _) if line.object.contains_key("record_type") => Self::Own,
            (kind, None) if BARE_ITEMS.contains(&kind) => Self::Item(Some(&line.object)),
            (kind, _) if RECORDS.contains(&kind) => Self::Own,
            _ => Self::Unknown,
        }
    }

    fn event(event: &Object) -> Self {
        let turns = event.get("num_turns").and_then(Value::as_u64);
        match (json::text(event, "type"), turns.and_then(|turns| usize::try_from(turns).ok())) {
            (Some("thread_rolled_back"), Some(turns)) => Self::RolledBack(turns),
            _ => Self::Own,
        }
    }
}

/// The kind of a line, with the kind of what it holds.
pub(super) fn kind(line: &Line) -> String {
    let inner = line.object.get("payload").and_then(|payload| payload.get("type")).and_then(Value::as_str);
    match (line.kind(), inner) {
        (kind, Some(inner)) => format!("{kind}/{inner}"),
        (NO_KIND, None) if is_header(&line.object) => "header".to_owned(),
        (NO_KIND, None) => line.text("record_type").unwrap_or(NO_KIND).to_owned(),
        (kind, None) => kind.to_owned(),
    }
}

/// The first line of early versions.
fn is_header(line: &Object) -> bool {
    ["id", "timestamp"].iter().all(|key| line.contains_key(*key))
        && ["instructions", "git", "cwd"].iter().any(|key| line.contains_key(*key))
}

/// Whether a line shows that Codex CLI wrote the file.
pub(in crate::session_file) fn is_mark(line: &Object) -> bool {
    let wrapped = ["session_meta", "response_item", "event_msg", "turn_context", "compacted"];
    let kind = json::text(line, "type");
    match kind {
        Some(kind) => wrapped.contains(&kind) && json::object(line, "payload").is_some(),
        None => is_header(line) || line.contains_key("record_type"),
    }
}
