//! What people read of a journal.

mod decision;
mod story;

pub(super) use decision::decisions;
pub(super) use story::story;
