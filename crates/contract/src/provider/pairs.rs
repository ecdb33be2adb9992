//! Checking calls against results in a provider's own body.

use std::collections::HashSet;

use super::refusal::{Findings, Rule};

/// A call or result in a provider's body.
#[derive(Clone, Debug)]
pub(super) struct Half<'a> {
    /// The position of the message, item or content it stands in.
    pub(super) index: usize,
    pub(super) id: &'a str,
    /// The tool, where the block names it.
    pub(super) name: &'a str,
}

/// How a provider calls both halves, and where it looks for results.
pub(super) struct Words {
    pub(super) call: &'static str,
    pub(super) result: &'static str,
    pub(super) place: &'static str,
}

/// Checks the results found in the place where the provider looks for the results of these calls.
pub(super) fn check_pairs(calls: &[Half<'_>], results: &[Half<'_>], words: &Words, findings: &mut Findings) {
    let Words { call, result, place } = words;
    let answered: HashSet<&str> = results.iter().map(|half| half.id).collect();
    for half in calls.iter().filter(|half| !answered.contains(half.id)) {
        let name = if half.name.is_empty() { String::new() } else { format!(" ({})", half.name) };
        let explanation = format!("{call} {}{name} has no {result} {place}", half.id);
        findings.note(Rule::DanglingCall, half.index, explanation);
    }
    let asked: HashSet<&str> = calls.iter().map(|half| half.id).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    for half in results {
        if !asked.contains(half.id) {
            let explanation =
                format!("{result} for {} stands where no {call} of that id asks for it", half.id);
            findings.note(Rule::OrphanResult, half.index, explanation);
        } else if !seen.insert(half.id) {
            let explanation = format!("{call} {} has more than one {result}", half.id);
            findings.note(Rule::DuplicateResult, half.index, explanation);
        }
    }
}
