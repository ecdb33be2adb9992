//! What a run does, while it does it: lines for what happens, and the model's words as they come.

mod line;
mod speech;
mod view;

pub(super) use line::shown;
pub(super) use view::{Live, Manner};
