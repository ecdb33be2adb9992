//! The words of Provost: values that mean the same everywhere.
//!
//! Each concept has one file, one door in (`parse`), one normal form and one wire shape (`to_value`).
//! Nothing here reads a clock, awaits or performs I/O; a refused value is a [`ContractError`] that
//! names a code, the fields and what was expected.
#![deny(missing_docs)]

pub mod action;
pub mod canonical;
pub mod compaction;
mod error;
pub mod json;
pub mod loose;
pub mod message;
pub mod policies;
mod slug;

pub use action::Action;
pub use error::{ContractError, Result};
pub use message::Message;
pub use slug::slug;
