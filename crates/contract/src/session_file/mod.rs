//! Conversations as other programs keep them: one JSON object a line, appended while they work.
//!
//! Such a file holds more than the conversation (events, snapshots, titles) and more than one road through
//! it (branches, sub-agents, what was summarised away). [`Format::read`] finds the conversation the model
//! would be shown next, as the body of its provider's request, so that it can be validated, repaired and
//! written for any provider like every other transcript. Whatever is not taken over is told, by kind and
//! reason, as [`LeftOut`].

mod claude_code;
mod codex;
mod format;
mod left_out;
mod line;
mod session;

pub use format::Format;
pub use left_out::{LeftOut, Reason};
pub use line::BrokenLines;
pub use session::Session;
