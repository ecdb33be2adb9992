//! What people read of a journal.

mod arguments;
mod decision;
mod folder;
mod gauge;
mod story;

pub(super) use arguments::shown;
pub(super) use decision::{decision_document, decision_line, decisions};
pub(super) use folder::{elsewhere, seen_from_here};
pub(super) use gauge::{Gauge, gauges, untouched};
pub(super) use story::story;
