//! Ids that tell every pair from every other.

use std::collections::{HashMap, HashSet};

use crate::provider::write::GIVEN_ID;

/// The ids of the pairs of a transcript, or of a part of it.
#[derive(Debug, Default)]
pub(in crate::provider) struct PairIds {
    taken: HashSet<String>,
    /// The next number behind an id that was used before: an id may be used very often.
    next: HashMap<String, usize>,
    /// The ids that a repair made.
    made: HashSet<String>,
}

/// Gives ids to the pairs of messages that follow others.
pub(super) struct IdsAfter<'a> {
    before: &'a PairIds,
    now: PairIds,
}

impl PairIds {
    /// Whether a repair made this id.
    pub(in crate::provider) fn made(&self, id: &str) -> bool {
        self.made.contains(id)
    }

    /// Takes over the ids of the messages that follow.
    pub(in crate::provider) fn extend(&mut self, more: Self) {
        self.taken.extend(more.taken);
        self.next.extend(more.next);
        self.made.extend(more.made);
    }
}

impl<'a> IdsAfter<'a> {
    pub(super) fn new(before: &'a PairIds) -> Self {
        Self { before, now: PairIds::default() }
    }

    /// The ids given so far.
    pub(super) fn into_ids(self) -> PairIds {
        self.now
    }

    /// The id of a pair. The first pair of an id keeps it; a new one is not of those in `elsewhere`, the ids that
    /// the messages themselves use.
    pub(super) fn take(&mut self, id: &str, elsewhere: &HashSet<&str>) -> String {
        if !id.is_empty() && self.claim(id) {
            return id.to_owned();
        }
        let stem = if id.is_empty() { GIVEN_ID.to_owned() } else { format!("{id}-") };
        let first = if id.is_empty() { 1 } else { 2 };
        let earlier = self.before.next.get(id).copied().unwrap_or(first);
        let mut number = self.now.next.get(id).copied().unwrap_or(earlier);
        loop {
            let new = format!("{stem}{number}");
            number += 1;
            if !elsewhere.contains(new.as_str()) && self.claim(&new) {
                self.now.next.insert(id.to_owned(), number);
                self.now.made.insert(new.clone());
                return new;
            }
        }
    }

    fn claim(&mut self, id: &str) -> bool {
        !self.before.taken.contains(id) && self.now.taken.insert(id.to_owned())
    }
}
