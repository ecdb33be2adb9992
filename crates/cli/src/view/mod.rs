//! Displays a journal: typed values in, lines out.

mod call;
mod context;
mod decision;
mod diff;
mod ending;
mod folder;
mod gauge;
mod markdown;
mod object;
mod question;
#[cfg(test)]
mod snapshot_tests;
mod speech;
mod story;
pub(super) mod verdict;

pub(super) use context::{Context, Fold};
pub(super) use decision::{decision_document, decision_line, decision_lines, decisions, spoken_rule};
pub(super) use ending::{fact, mark_of, over, waits};
pub(super) use folder::{elsewhere, seen_from_here};
pub(super) use gauge::{Gauge, gauges, untouched};
pub(super) use object::object;
pub(super) use question::QuestionLines;
pub(super) use speech::{prompt as said_by_person, words_so_far};
pub(super) use story::{HUMAN, lines};
