//! Where the work of a run stands, from the record and not from a model's memory: what was done to the world, and
//! what is in doubt.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::Action;
use crate::WorldEffect;
use crate::event::ActionEnd;

/// How many actions of each kind are listed; older ones are only counted.
const LISTED_MAX: usize = 20;
/// How much of an action's arguments is listed.
const ARGUMENTS_CHARS: usize = 120;

/// What a run did, for a model whose older messages give way to a summary. Reads change nothing and are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frontier {
    done: Listed,
    in_doubt: Listed,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Listed {
    count: u64,
    newest: VecDeque<String>,
}

impl Listed {
    fn add(&mut self, line: String) {
        self.count += 1;
        self.newest.push_back(line);
        if self.newest.len() > LISTED_MAX {
            self.newest.pop_front();
        }
    }

    fn write(&self, text: &mut String, heading: &str) {
        if self.count == 0 {
            return;
        }
        let _ = writeln!(text, "{heading} ({} in all):", self.count);
        for line in &self.newest {
            let _ = writeln!(text, "- {line}");
        }
    }
}

impl Frontier {
    /// Notes an action that ended.
    pub(super) fn note(&mut self, turn: u32, action: &Action) {
        let Some(end) = &action.end else { return };
        let line = || {
            let arguments = serde_json::Value::Object(action.args.redacted.clone()).to_string();
            let arguments: String = arguments.chars().take(ARGUMENTS_CHARS).collect();
            format!("turn {turn}: {} {arguments}", action.spec.operation)
        };
        if end.reason == "in_doubt" {
            self.in_doubt.add(line());
        } else if end.status == ActionEnd::Completed
            && action.effect != WorldEffect::None
            && !action.spec.only_reads()
        {
            self.done.add(line());
        }
    }

    /// Returns it as text for the model that continues in `turn`; empty when nothing was done that a summary must not
    /// lose.
    pub(crate) fn text(&self, turn: u32) -> String {
        let mut text = String::new();
        self.done.write(&mut text, "Done, do not repeat");
        self.in_doubt.write(&mut text, "In doubt, look before trying again");
        if !text.is_empty() {
            let _ = write!(text, "Next: turn {turn} of the run.");
        }
        text
    }
}
