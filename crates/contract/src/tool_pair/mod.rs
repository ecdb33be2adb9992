//! Tool pairs: every call with its result, and nothing without its partner.
//!
//! Providers refuse a transcript in which a call has no result or a result no call. This finds such
//! orphans and removes them, in typed messages and in messages still in JSON alike, in one walk.

mod half;
mod orphan;
mod partner;
mod prune;
mod waiting;

pub use half::{Entry, Half, Side};
pub use orphan::{Orphan, is_paired, validate};
pub use partner::partners;
pub use prune::{Pruned, prune};
