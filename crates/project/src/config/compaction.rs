//! The section `compaction` of an agent: when the beginning of a long conversation is replaced by a summary.

use serde::Deserialize;
use serde_json::{Value, json};

/// When and how a conversation is summarised. The presence of the section switches it on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "keys such as max_messages")]
pub struct Compaction {
    enabled: bool,
    /// A conversation with more messages is summarised.
    max_messages: u64,
    /// The newest messages, which stay as they are.
    recent_messages: u64,
    /// The text before a summary.
    summary_prefix: Option<String>,
    /// Whether a call and its result stay together.
    preserve_tool_boundaries: bool,
}

impl Default for Compaction {
    fn default() -> Self {
        Self {
            enabled: true,
            max_messages: 40,
            recent_messages: 12,
            summary_prefix: None,
            preserve_tool_boundaries: true,
        }
    }
}

impl Compaction {
    /// Returns what is wrong with it, if anything: the key, and what it must be.
    pub(super) fn fault(&self) -> Option<(&'static str, String)> {
        if self.max_messages < 2 {
            return Some(("max_messages", "must be at least 2".to_owned()));
        }
        if self.recent_messages == 0 || self.recent_messages >= self.max_messages {
            let most = self.max_messages - 1;
            return Some(("recent_messages", format!("must be between 1 and {most}, below max_messages")));
        }
        None
    }

    /// The option of the loop.
    pub fn policy(&self) -> Value {
        let mut policy = json!({
            "enabled": self.enabled,
            "max_messages": self.max_messages,
            "recent_messages": self.recent_messages,
            "preserve_tool_boundaries": self.preserve_tool_boundaries,
        });
        if let (Some(prefix), Some(policy)) = (&self.summary_prefix, policy.as_object_mut()) {
            policy.insert("summary_prefix".to_owned(), prefix.as_str().into());
        }
        policy
    }
}
