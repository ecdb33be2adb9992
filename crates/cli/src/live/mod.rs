//! What a run does, while it does it: lines for what happened, and on a terminal an area below them that is drawn
//! again with what runs, what the model says and what was used.

mod area;
mod machines;
mod people;
mod status;
mod tail;
mod view;

pub(super) use view::{Live, Manner};
