//! Session files of Codex CLI.
//!
//! Each line has a kind and a payload. `response_item` holds an item as OpenAI Responses write it; the rest
//! is the program's own. A `compacted` line replaces everything before it, and an event takes turns back, so
//! that the conversation is what a reader has in hand after the last line. Files of early versions hold the
//! bare items, behind a header without a kind.

mod history;
mod item;
mod read;
mod record;

pub(super) use read::read;
pub(super) use record::is_mark;
