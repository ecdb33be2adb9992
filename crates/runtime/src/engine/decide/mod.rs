//! What follows from an answer: pure functions from the state and what somebody said to events.

mod call;
mod compaction;
mod completion;
mod execution;
pub(super) mod gate;
mod interrupt;
mod mediation;
mod settle;
mod turn;
mod wait;

pub use call::RawCall;
pub use compaction::{compacted, plan};
pub use completion::judged;
pub use execution::{Prepared, Tool, executed, prepare, result_of};
pub use interrupt::heard;
pub use mediation::mediated;
pub(super) use settle::proceed;
pub use settle::{Decided, idempotency_key};
pub use turn::{Answered, answered, failed, started};
