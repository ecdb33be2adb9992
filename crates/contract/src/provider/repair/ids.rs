//! Ids that tell every pair from every other.

use std::collections::{HashMap, HashSet};

use crate::provider::write::GIVEN_ID;

/// The ids of the pairs so far.
#[derive(Debug, Default)]
pub(super) struct Ids {
    taken: HashSet<String>,
    /// The next number behind an id that was used before: an id may be used very often.
    next: HashMap<String, usize>,
}

impl Ids {
    /// The id a pair keeps or gets. The first pair of an id keeps it; a new one is not of those that
    /// stand elsewhere in the transcript.
    pub(super) fn take(&mut self, id: &str, elsewhere: &HashSet<&str>) -> String {
        if !id.is_empty() && self.taken.insert(id.to_owned()) {
            return id.to_owned();
        }
        let stem = if id.is_empty() { GIVEN_ID.to_owned() } else { format!("{id}-") };
        let number = self.next.entry(id.to_owned()).or_insert(if id.is_empty() { 1 } else { 2 });
        loop {
            let new = format!("{stem}{number}");
            *number += 1;
            if !elsewhere.contains(new.as_str()) && self.taken.insert(new.clone()) {
                return new;
            }
        }
    }
}
