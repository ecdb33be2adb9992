//! Whether what is stored is what was written: chains, heads, rows, waits, and a witness outside the database.

mod anchor;
mod check;
mod erase;
mod rows;

pub use anchor::{
    Anchor, AnchorError, AnchorFile, AnchorFinding, AnchorLine, AnchorLines, AnchorReport, check_anchors,
};
pub use check::{Problem, RunReport, StoreReport, verify_run, verify_store};
pub use erase::{EraseFailure, Erased, erase_words};
