//! One check and its output.

use provost_project::Failure;
use serde_json::{Value, json};

use crate::text::{Line, Mark, Role, Span, width};

/// The width of the name column.
const NAME: usize = 12;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Passed.
    Right,
    /// Failed, but a run of the default agent would still work.
    Wrong,
    /// Failed, and a run of the default agent would not work.
    Blocks,
    /// Information.
    Note,
    /// A person must act.
    Waits,
}

/// One check.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) what: &'static str,
    pub(super) state: State,
    pub(super) found: String,
    pub(super) hint: Option<String>,
    /// The location in a file.
    pub(super) source: Option<String>,
}

impl Check {
    pub(super) fn new(what: &'static str, state: State, found: impl Into<String>) -> Self {
        Self { what, state, found: found.into(), hint: None, source: None }
    }

    pub(super) fn right(what: &'static str, found: impl Into<String>) -> Self {
        Self::new(what, State::Right, found)
    }

    /// A setting that a run would reject or could not use.
    pub(super) fn failed(what: &'static str, state: State, failure: &Failure) -> Self {
        let check = Self::new(what, state, failure.what());
        Self { hint: failure.hint.clone(), source: failure.place.clone(), ..check }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the location, unless a more exact one is known.
    pub(super) fn at(mut self, source: Option<String>) -> Self {
        self.source = self.source.or(source);
        self
    }

    pub(super) fn is_wrong(&self) -> bool {
        matches!(self.state, State::Wrong | State::Blocks)
    }

    pub(super) fn document(&self) -> Value {
        json!({
            "type": "check",
            "what": self.what,
            "ok": !self.is_wrong(),
            "blocks": self.state == State::Blocks,
            "found": self.found,
            "hint": self.hint,
            "source": self.source,
        })
    }

    /// Returns its lines; of several checks with one name only the first shows it.
    pub(super) fn lines(&self, is_first: bool) -> Vec<Line> {
        let (mark, word) = match self.state {
            State::Right => (Mark::Completed, "ok"),
            State::Wrong | State::Blocks => (Mark::Failed, "wrong"),
            State::Note => (Mark::Nothing, "note"),
            State::Waits => (Mark::Asks, ""),
        };
        let subject = match self.state {
            State::Waits => self.what.to_owned(),
            _ => format!("{word} {}", self.what),
        };
        let name = if is_first { self.what } else { "" };
        let source: Vec<Span> = self.source.iter().map(Span::quiet).collect();
        let mut lines = vec![row(mark, subject, name, &self.found)];
        lines.extend(self.hint.iter().map(|hint| row(Mark::Nothing, "try".to_owned(), "", hint)));
        if let Some(last) = lines.last_mut() {
            last.right = source;
        }
        lines
    }
}

fn row(mark: Mark, subject: String, name: &str, text: &str) -> Line {
    let label = format!("{name}{}", " ".repeat(NAME.saturating_sub(width(name))));
    let mut line = Line::new(mark, subject, vec![Span::label(label, Role::Text), Span::text(text)]);
    line.hang = NAME;
    line
}
