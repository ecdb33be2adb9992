//! Tool pairs: every call with its result, and nothing without its partner.
//!
//! Providers refuse a transcript in which a call has no result or a result no call. This finds such
//! orphans and removes them, in typed messages and in messages still in JSON alike, in one walk.
//!
//! Where an id (or, without ids, the name of a tool) occurs again, a result belongs to the nearest step before
//! it that still waits for one: a call that was never answered must not take the result of a later one. A step
//! is what a model calls before it hears anything; inside a step the first call gets the first result.

mod half;
mod orphan;
mod partner;
mod prune;
mod waiting;

pub use half::{Entry, Half, Place, Side};
pub use orphan::{Orphan, is_paired, validate};
pub use partner::partners;
pub use prune::{Pruned, prune};
