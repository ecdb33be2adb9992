//! The progress of the work: done, in doubt, next.

use std::fmt::Write as _;

use provost_contract::action::ActionId;

/// If there are more ids, they are counted and not listed.
const IDS_MAX: usize = 40;

/// What a model must know after earlier turns were compacted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    /// Completed.
    pub done: Vec<ActionId>,
    /// Started, with an unknown outcome.
    pub in_doubt: Vec<ActionId>,
    /// Running, waiting or not started.
    pub next: Vec<ActionId>,
}

impl Frontier {
    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty() && self.in_doubt.is_empty() && self.next.is_empty()
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push_str("## Where the work stands\n\n");
        let _ = writeln!(out, "Done: {}", listed(&self.done));
        let _ = writeln!(out, "In doubt: {}", listed(&self.in_doubt));
        let _ = writeln!(out, "Next: {}\n", listed(&self.next));
    }
}

fn listed(ids: &[ActionId]) -> String {
    if ids.is_empty() {
        return "nothing".to_owned();
    }
    let shown: Vec<String> = ids.iter().take(IDS_MAX).map(|id| format!("`{id}`")).collect();
    match ids.len().saturating_sub(IDS_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
