//! One line that says something.

use serde_json::Value;

use crate::Result;
use crate::json::{self, Object};
use crate::session_file::Reason;
use crate::session_file::line::Line;

/// Kinds of lines that are the program's own records.
const RECORDS: [&str; 20] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "marble-origami-commit",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "rate_limit_event",
    "result",
    "stream_event",
    "summary",
    "system",
    "tag",
    "worktree-state",
];

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
}

impl Role {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A message of the file, with its place in the tree.
pub(super) struct Entry<'a> {
    pub(super) line: &'a Line,
    pub(super) role: Role,
    pub(super) content: &'a Value,
    /// The id the provider gave the answer this is a piece of.
    pub(super) message_id: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// The message of a line; none when it is a line of another kind.
    ///
    /// # Errors
    /// The line should hold a message and does not.
    pub(super) fn parse(line: &'a Line) -> Result<Option<Self>> {
        let role = match line.kind() {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            _ => return Ok(None),
        };
        let message = json::object(&line.object, "message")
            .ok_or_else(|| line.refused("message", "must be an object"))?;
        let content = message.get("content").unwrap_or(&Value::Null);
        if !matches!(content, Value::String(_) | Value::Array(_) | Value::Null) {
            return Err(line.refused("message.content", "must be text or a list of blocks"));
        }
        Ok(Some(Self { line, role, content, message_id: json::non_empty_text(message, "id") }))
    }

    /// Whether a sub-agent's conversation holds it.
    pub(super) fn is_sub_agent(&self) -> bool {
        let object = &self.line.object;
        object.get("isSidechain") == Some(&Value::Bool(true))
            || json::present(object, "parent_tool_use_id").is_some()
    }

    /// Whether it tells of an error of the service in the assistant's name.
    pub(super) fn is_service_error(&self) -> bool {
        self.line.object.get("isApiErrorMessage") == Some(&Value::Bool(true))
    }

    /// The blocks of its content; a text has none.
    pub(super) fn blocks(&self) -> &'a [Value] {
        self.content.as_array().map_or(&[], Vec::as_slice)
    }

    /// The texts under `key` of the blocks of a type.
    pub(super) fn ids(&self, block_type: &str, key: &str) -> impl Iterator<Item = &'a str> {
        let of_type = move |block: &&Value| block.get("type").and_then(Value::as_str) == Some(block_type);
        self.blocks().iter().filter(of_type).filter_map(move |block| block.get(key)?.as_str())
    }
}

/// Why a line that is no message is left out.
pub(super) fn reason(kind: &str) -> Reason {
    match kind {
        "attachment" => Reason::Attached,
        kind if RECORDS.contains(&kind) => Reason::Bookkeeping,
        _ => Reason::UnknownKind,
    }
}

/// Whether a line shows that Claude Code wrote the file.
pub(in crate::session_file) fn is_mark(line: &Object) -> bool {
    let has = |key: &str| line.contains_key(key);
    let placed = ["uuid", "parentUuid", "isSidechain", "sessionId", "session_id", "leafUuid"];
    match json::text(line, "type").unwrap_or_default() {
        "user" | "assistant" => has("message") && placed.into_iter().any(has),
        "system" | "summary" => placed.into_iter().any(has),
        "file-history-snapshot" | "queue-operation" | "permission-mode" => true,
        _ => false,
    }
}
