//! The history of a conversation as one Markdown page, for the next model call.
//!
//! It contains user requests, declarations and their outcomes, each call with its result, and
//! nothing else: private reasoning, provider messages and progress are not part of [`Turn`]. A page
//! only grows at its end, so that a provider's prompt cache stays valid; if older
//! declarations are compressed, the page counts them.

mod call;
mod frontier;
mod page;
#[cfg(test)]
mod page_tests;
mod replay;
mod turn;

pub use call::Call;
pub use frontier::Frontier;
pub use page::Transcript;
pub use replay::Replay;
pub use turn::{Declared, GraphStatus, Run, Turn};
