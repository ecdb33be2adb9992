//! What a run does, while it does it: lines for what happens, the model's words as they come, and on a
//! terminal an area below them that is drawn anew with what runs, what waits and what was used.

mod area;
mod line;
mod news;
mod progress;
mod speech;
mod view;

pub(super) use view::{Live, Manner};
