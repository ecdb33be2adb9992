//! The history of a conversation as one readable page, for the next call of the model.
//!
//! It shows what users asked, what was declared and what it came to, each call beside its result, and
//! nothing else: private reasoning, provider messages and progress have no place in [`Turn`]. A page
//! only grows at its end, so that a provider's cache of its beginning stays good; where older
//! declarations are compressed, the page says how many.

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
pub use turn::{Declared, Run, Turn};
