//! What follows from an answer: pure functions from the state and what somebody said to events.

mod answer;
mod authorise;
mod call;
mod compaction;
mod completion;
mod diagnostics;
mod execution;
mod frontier;
pub(super) mod gate;
mod interrupt;
mod mediation;
mod propose;
mod reconcile;
mod settle;
mod turn;
mod unfinished;
mod wait;

pub use answer::{Answer, answered_by_client, decided};
pub(super) use authorise::approved;
pub use authorise::{approved_call, forbidden, judge_call, needs_approval, spared, unanswerable, unhindered};
pub use call::{RawCall, recovered};
pub(super) use compaction::COMPACTION_USAGE;
pub use compaction::{compacted, plan};
pub use completion::judged;
pub use diagnostics::diagnosed;
pub use execution::{Prepared, Tool, executed, prepare, result_of};
pub use interrupt::heard;
pub use mediation::mediated;
pub use propose::{propose, propose_doubt};
pub use reconcile::{People, reconciled};
pub(super) use settle::{ARGUMENTS_CHANGED, proceed};
pub use settle::{Decided, idempotency_key};
pub use turn::{Answered, answered, failed, started};
pub use unfinished::{altered, lost, would_fail};
pub(super) use unfinished::{cancelled, superseded};
