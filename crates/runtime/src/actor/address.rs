//! Addresses of stored results: read by any process, for runs of the same workspace.

use std::fmt;

use provost_contract::action::Reference;
use provost_contract::policies::{Audience, OutcomePart};
use provost_engine::state::Action;
use provost_engine::view::{outcome_of, output_of};
use provost_engine::{RunId, RunState};
use serde_json::Value;

use super::load::{Agents, LoadError, ReadRun};
use crate::port::Fault;
use crate::store::Store;

/// The address of a result: `runtime://runs/RUN/actions/ACTION/output`, the same with `summary`, the short form
/// without `runs`, or `artifact://RUN/ACTION`. The action is its id, or the newest one of its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    run: RunId,
    action: String,
    summary: bool,
}

/// Why an address leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is none.
    #[error("{0} is no address of a result")]
    Malformed(String),
    /// There is no such run, action or result.
    #[error("{0} leads nowhere")]
    Missing(String),
    /// The result is not for this reader.
    #[error("{0} may not be read from here")]
    Withheld(String),
    /// The store failed.
    #[error("{0} cannot be read: {1}")]
    Failed(String, String),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = if self.summary { "summary" } else { "output" };
        write!(f, "runtime://runs/{}/actions/{}/{part}", self.run, self.action)
    }
}

impl Address {
    /// Returns the address of an action without the part of it that is meant.
    pub fn of_action(run: &RunId, action: &Action) -> String {
        format!("runtime://runs/{run}/actions/{}", action.spec.id)
    }

    /// Reads an address.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let malformed = || AddressError::Malformed(text.to_owned());
        match Reference::parse(text).map_err(|_| malformed())? {
            Reference::StoredArtifact(path) => match path.split('/').collect::<Vec<_>>().as_slice() {
                [run, action] => Self::new(run, action, false).ok_or_else(malformed),
                _ => Err(malformed()),
            },
            Reference::Runtime(path) => {
                let path = path.strip_prefix("runs/").unwrap_or(&path);
                match path.split('/').collect::<Vec<_>>().as_slice() {
                    [run, "actions", action, "output"] => Self::new(run, action, false),
                    [run, "actions", action, "summary"] => Self::new(run, action, true),
                    _ => None,
                }
                .ok_or_else(malformed)
            }
            Reference::Section(_)
            | Reference::Action { .. }
            | Reference::UserGoal
            | Reference::Artifact(_) => Err(malformed()),
        }
    }

    fn new(run: &str, action: &str, summary: bool) -> Option<Self> {
        Some(Self { run: run.parse().ok()?, action: action.to_owned(), summary })
    }

    /// Reads what the address leads to, for a reader in a workspace.
    ///
    /// # Errors
    /// If it leads nowhere, belongs to another workspace, or is kept from other runs.
    pub async fn read(
        &self,
        store: &dyn Store,
        agents: &dyn Agents,
        reader: (&RunId, &str),
    ) -> Result<Value, AddressError> {
        let text = self.to_string();
        let failed = |fault: Fault| AddressError::Failed(text.clone(), fault.to_string());
        let read = match ReadRun::read(store, agents, &self.run).await {
            Ok(read) => read,
            Err(LoadError::Unknown(_)) => return Err(AddressError::Missing(text)),
            Err(error) => return Err(AddressError::Failed(text, error.to_string())),
        };
        let read = read.with_artifacts(store).await.map_err(failed)?;
        let state = RunState::fold(read.agent, read.history, &read.events);
        let state = state.map_err(|error| AddressError::Failed(text.clone(), error.to_string()))?;
        self.of_state(&state, reader)
    }

    fn of_state(&self, state: &RunState, (run, workspace): (&RunId, &str)) -> Result<Value, AddressError> {
        let missing = || AddressError::Missing(self.to_string());
        if state.spec.workspace != workspace {
            // Whether it exists is none of the reader's business.
            return Err(missing());
        }
        let action = find(state, &self.action).filter(|action| action.is_ended()).ok_or_else(missing)?;
        let visibility = &action.policies.data_visibility;
        let other = self.run != *run;
        let part = if self.summary { OutcomePart::Summary } else { OutcomePart::Output };
        let withheld = action.policies.privacy.requires(&part);
        if withheld
            || !visibility.shows(Audience::Model)
            || (other && !visibility.shows(Audience::FutureRuns))
        {
            return Err(AddressError::Withheld(self.to_string()));
        }
        if self.summary {
            return Ok(summary_of(state, action).into());
        }
        Ok(output_of(state, action))
    }
}

/// Returns an action by its id, or the newest of a label.
pub(crate) fn find<'a>(state: &'a RunState, name: &str) -> Option<&'a Action> {
    let by_id = name.parse().ok().and_then(|id| state.action(id));
    by_id.or_else(|| {
        state.actions.values().rev().map(|action| &**action).find(|action| action.spec.label == name)
    })
}

/// What an action came to in short: its executor's words, its tool's, or how its output begins.
pub(crate) fn summary_of(state: &RunState, action: &Action) -> String {
    /// How many characters of an output stand for a summary where there is none.
    const BEGINNING: usize = 1_000;
    let Some(outcome) = outcome_of(state, action) else { return String::new() };
    let native = outcome.native_summary.as_str().map(str::to_owned);
    let output = || match &outcome.output {
        Value::Null => outcome.error.clone().unwrap_or_default(),
        Value::String(text) => text.chars().take(BEGINNING).collect(),
        value => value.to_string().chars().take(BEGINNING).collect(),
    };
    outcome.summary.clone().or(native).unwrap_or_else(output)
}

/// Which part of a text is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of it.
    Whole,
    /// Lines, the first and the last of them; the first line is 1.
    Lines(usize, usize),
    /// The lines that contain a text, each with some around it.
    Around(String, usize),
    /// A part of a JSON value.
    Pointer(String),
}

impl Selection {
    /// Reads `{lines: [from, to]}`, `{around_matches: TEXT, context_lines}` or `{pointer}`.
    ///
    /// # Errors
    /// If it is none of these.
    pub fn parse(range: Option<&Value>) -> Result<Self, String> {
        let Some(range) = range.filter(|range| !range.is_null()) else { return Ok(Self::Whole) };
        let Some(map) = range.as_object() else { return Err("the range must be an object".into()) };
        let known = ["lines", "around_matches", "pattern", "context_lines", "pointer"];
        if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(format!("the range has no field {key}"));
        }
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        if let Some(lines) = map.get("lines") {
            let ends = lines.as_array().map(|ends| ends.iter().filter_map(number).collect::<Vec<_>>());
            return match ends.as_deref() {
                Some([from, to]) if *from >= 1 && from <= to => Ok(Self::Lines(*from, *to)),
                _ => Err("lines must be [from, to], the first line is 1".into()),
            };
        }
        if let Some(pointer) = map.get("pointer") {
            return match pointer.as_str() {
                Some(pointer) if pointer.is_empty() || pointer.starts_with('/') => {
                    Ok(Self::Pointer(pointer.to_owned()))
                }
                _ => Err("pointer must be a JSON pointer such as /a/0".into()),
            };
        }
        let pattern = match map.get("around_matches") {
            Some(Value::String(text)) => Some(text.as_str()),
            Some(Value::Bool(true)) => map.get("pattern").and_then(Value::as_str),
            _ => None,
        };
        let context = map.get("context_lines").map_or(Some(0), number);
        match (pattern.filter(|pattern| !pattern.is_empty()), context) {
            (Some(pattern), Some(context)) => Ok(Self::Around(pattern.to_owned(), context)),
            _ => {
                Err("the range must be lines, around_matches with a text (or with pattern), or pointer"
                    .into())
            }
        }
    }

    /// Returns the selected part of a value.
    ///
    /// # Errors
    /// If there is no such part.
    pub fn of(&self, value: &Value) -> Result<Value, String> {
        let text = || {
            value
                .as_str()
                .map_or_else(|| serde_json::to_string_pretty(value).unwrap_or_default(), str::to_owned)
        };
        match self {
            Self::Whole => Ok(value.clone()),
            Self::Pointer(pointer) => {
                value.pointer(pointer).cloned().ok_or_else(|| format!("there is nothing at {pointer:?}"))
            }
            Self::Lines(from, to) => {
                let text = text();
                let count = text.lines().count();
                let lines: Vec<&str> = text.lines().skip(from - 1).take(to - from + 1).collect();
                if lines.is_empty() {
                    Err(format!("there are only {count} lines"))
                } else {
                    Ok(lines.join("\n").into())
                }
            }
            Self::Around(pattern, context) => around(&text(), pattern, *context),
        }
    }
}

/// The lines around each match, with their numbers; gaps are marked.
fn around(text: &str, pattern: &str, context: usize) -> Result<Value, String> {
    let lines: Vec<&str> = text.lines().collect();
    let matches = lines.iter().enumerate().filter(|(_, line)| line.contains(pattern)).map(|(at, _)| at);
    let mut shown: Vec<usize> = matches.flat_map(|at| at.saturating_sub(context)..=at + context).collect();
    shown.retain(|at| *at < lines.len());
    shown.dedup();
    shown.sort_unstable();
    shown.dedup();
    if shown.is_empty() {
        return Err(format!("no line contains {pattern:?}"));
    }
    let mut out = Vec::new();
    let mut before = None;
    for at in shown {
        if before.is_some_and(|before| at > before + 1) {
            out.push("…".to_owned());
        }
        before = Some(at);
        out.push(format!("{}: {}", at + 1, lines.get(at).copied().unwrap_or_default()));
    }
    Ok(out.join("\n").into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn selected(range: Value, value: Value) -> Result<Value, String> {
        Selection::parse(Some(&range))?.of(&value)
    }

    #[test]
    fn every_way_to_write_an_address_names_the_same_result() {
        let long = Address::parse("runtime://runs/r1/actions/1.0/output").unwrap();
        assert_eq!(Address::parse("runtime://r1/actions/1.0/output").unwrap(), long);
        assert_eq!(Address::parse("artifact://r1/1.0").unwrap(), long);
        for bad in
            ["runtime://runs/r1", "runtime://runs/r1/actions/a/stdout", "artifact://r1", "md:a", "file:x"]
        {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn ranges_select_lines_matches_and_parts() {
        let text = json!("one\ntwo\nthree\nfour\nfive");
        for (range, shown) in [
            (json!({ "lines": [2, 3] }), json!("two\nthree")),
            (json!({ "lines": [5, 9] }), json!("five")),
            (json!({ "around_matches": "three", "context_lines": 1 }), json!("2: two\n3: three\n4: four")),
            (json!({ "around_matches": true, "pattern": "e" }), json!("1: one\n…\n3: three\n…\n5: five")),
        ] {
            assert_eq!(selected(range, text.clone()), Ok(shown));
        }
        assert_eq!(selected(json!({ "pointer": "/a/0" }), json!({ "a": [7] })), Ok(json!(7)));
    }

    #[test]
    fn a_range_that_selects_nothing_says_why() {
        let text = json!("one");
        for range in [
            json!({ "lines": [2, 3] }),
            json!({ "lines": [0, 1] }),
            json!({ "lines": 1 }),
            json!({ "around_matches": "x" }),
            json!({ "around_matches": true }),
            json!({ "pointer": "/a" }),
            json!({ "pointer": "a" }),
            json!({ "bytes": 1 }),
            json!("all"),
        ] {
            assert!(selected(range.clone(), text.clone()).is_err(), "{range}");
        }
    }
}
