//! The transcript of a run: shared, never copied.

mod line;
mod transcript;

pub(in crate::engine) use line::{Line, result_message};
pub use transcript::History;
