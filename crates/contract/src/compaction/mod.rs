//! Shortening what a model must read, without losing what was said.
//!
//! A transcript that grew too long gets a summary in the place of its older messages; one that is too
//! large to summarise is archived; a Markdown document is cut by its sections. Where the archive is
//! kept and who writes the summary is the caller's business.

mod boundary;
mod compact;
#[cfg(test)]
mod compact_tests;
mod conservation;
mod event;
mod item;
pub mod markdown;
mod overflow;
mod policy;
mod summary;
mod transcript;

pub use boundary::select_boundary;
pub use compact::{Compaction, Plan, Status, compact, plan};
pub use conservation::{Conservation, ConservationPolicy, Provenance, Stats, failed_closed};
pub use event::{Event, EventType};
pub use item::Item;
pub use policy::{OverflowPolicy, Policy};
pub use summary::{PendingSummary, Summary};
pub use transcript::Transcript;
