//! Where a transcript is cut: never between a tool's call and its answer.

use super::Policy;
use crate::message::{Message, MessageType};

/// The index of the first message that stays after a summary; 0 means that nothing can be summarised.
pub fn select_boundary(messages: &[Message], policy: &Policy) -> usize {
    let boundary = messages.len().saturating_sub(policy.recent_messages());
    whole_pairs(messages, boundary, policy)
}

/// Moves a boundary back, if the policy wants pairs whole, until no call stands before it and no
/// answer at it.
pub(super) fn whole_pairs(messages: &[Message], boundary: usize, policy: &Policy) -> usize {
    if !policy.preserve_tool_boundaries {
        return boundary;
    }
    let is = |index: usize, kind| messages.get(index).is_some_and(|message| message.kind == kind);
    let mut boundary = boundary;
    while boundary > 0 && is(boundary, MessageType::ToolResult) {
        boundary -= 1;
    }
    while boundary > 0 && is(boundary - 1, MessageType::ToolCall) {
        boundary -= 1;
    }
    boundary
}
