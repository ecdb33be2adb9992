//! Session files of Claude Code.
//!
//! Lines of the kinds `user` and `assistant` hold a message as Anthropic writes it. Each names the line it
//! follows, so that a file is a tree: going back to an earlier message begins a branch, and a compaction
//! begins a new root with a summary. The conversation is the road from the last message back to its root.
//!
//! One answer of the model is written as several lines with the same message id, a block each; a result
//! follows the line of its call, so that parallel calls look like branches and are none.

mod choose;
mod entry;
mod join;
mod read;

pub(super) use entry::is_mark;
pub(super) use read::read;
