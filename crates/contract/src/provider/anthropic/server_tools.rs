//! Tools that Anthropic runs itself: each use with its result, and no client call before them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::blocks::{is_server_result, is_server_use};
use crate::provider::body::{text_at, type_of};

/// Why a server tool's block cannot stay where it is.
pub(super) struct Misplaced {
    /// Its position among all blocks.
    pub(super) position: usize,
    pub(super) why: String,
}

/// Whether a block is a part of what a server tool does, or was called by one.
pub(super) fn is_part(block: &Value) -> bool {
    is_server_use(block) || is_server_result(block) || block.get("caller").is_some()
}

/// Uses without a later result and results without an earlier use, over all blocks of a conversation.
/// `ends` tells of a position whether it lies in the last turn: a use there is still running, and so is
/// one that itself called a tool of the client.
pub(super) fn lonely<'a>(
    blocks: impl Iterator<Item = &'a Value> + Clone,
    ends: impl Fn(usize) -> bool,
) -> Vec<Misplaced> {
    let callers = blocks.clone().filter_map(|block| block.pointer("/caller/tool_id")?.as_str());
    let callers: HashSet<&str> = callers.collect();
    let mut running: HashMap<&str, Misplaced> = HashMap::new();
    let mut lonely = Vec::new();
    for (position, block) in blocks.enumerate() {
        if is_server_use(block) {
            let id = text_at(block, "id");
            let use_alone = |why| Misplaced { position, why };
            if id.is_empty() || running.contains_key(id) {
                lonely.push(use_alone(format!("{} needs an id of its own", type_of(block))));
            } else {
                running.insert(id, use_alone(format!("{} {id} has no result", type_of(block))));
            }
        } else if is_server_result(block) && running.remove(text_at(block, "tool_use_id")).is_none() {
            let why = format!("{} has no use before it", type_of(block));
            lonely.push(Misplaced { position, why });
        }
    }
    let stuck = running.into_iter().filter(|(id, alone)| !callers.contains(id) && !ends(alone.position));
    lonely.extend(stuck.map(|(_, alone)| alone));
    lonely.sort_by_key(|alone| alone.position);
    lonely
}

/// The positions of server tool blocks of one turn that stand behind a client's `tool_use`.
pub(super) fn behind_calls<'a>(turn: impl Iterator<Item = &'a Value>) -> Vec<usize> {
    let mut called = false;
    let mut behind = Vec::new();
    for (position, block) in turn.enumerate() {
        called |= type_of(block) == "tool_use";
        if called && (is_server_use(block) || is_server_result(block)) {
            behind.push(position);
        }
    }
    behind
}
