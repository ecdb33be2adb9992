//! Where the work stands, from the record and not from anybody's memory: what was done to the world, what
//! is in doubt, and what comes next.

use std::fmt::Write as _;

use crate::engine::{CallDeclared, Entry, RunState, SettledBy};

/// How many actions of each kind are told; older ones are only counted.
const TOLD_MAX: usize = 20;

/// The frontier of a run as text for a model whose older messages give way; empty when nothing was done
/// that a summary must not lose. Reads change nothing and are left out.
pub(super) fn frontier(state: &RunState) -> String {
    let (mut done, mut in_doubt) = (Vec::new(), Vec::new());
    for (call, settled) in state.records.entries.iter().filter_map(Entry::settled) {
        let settled = settled.read();
        let call = (call.turn(), call.declared.read());
        match settled.by {
            SettledBy::Doubt => in_doubt.push(call),
            _ if settled.success() && !state.rules.only_reads(&call.1.name) => done.push(call),
            _ => {}
        }
    }
    let mut text = String::new();
    tell(&mut text, "Done, do not repeat", &done);
    tell(&mut text, "In doubt, look before trying again", &in_doubt);
    if !text.is_empty() {
        let _ = write!(text, "Next: turn {} of the run.", state.turn);
    }
    text
}

fn tell(text: &mut String, heading: &str, calls: &[(u64, CallDeclared)]) {
    if calls.is_empty() {
        return;
    }
    let _ = writeln!(text, "{heading} ({} in all):", calls.len());
    for (turn, call) in calls.iter().rev().take(TOLD_MAX).rev() {
        let shown = serde_json::Value::Object(call.parameters.clone()).to_string();
        let shown: String = shown.chars().take(120).collect();
        let _ = writeln!(text, "- turn {turn}: {} {shown}", call.name);
    }
}
