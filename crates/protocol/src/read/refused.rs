//! A refused message: the faults, the hints, and the
//! smallest correct example of this turn.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::read::example::smallest_declaration;
use crate::read::finding::{Finding, Place};
use crate::read::notes::{Fault, JsonText, Notes, Spot};
use crate::read::text::{Visible, line_column, locate};
use crate::{Code, Turn};

/// The maximum number of findings in the message; the list has all of them.
const TOLD_MAX: usize = 8;

/// Why a message is refused, and whether the model may retry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// The code of the first finding, in the order of the checks.
    pub code: Code,
    /// Whether the model may retry in this turn.
    pub retry: bool,
    /// The text that the model reads.
    pub message: String,
    /// All findings.
    pub findings: Vec<Finding>,
}

impl Refused {
    pub(crate) fn new(notes: &Notes, visible: &Visible<'_>, turn: &Turn<'_>) -> Self {
        let findings = findings(notes, visible);
        let code = findings.first().map_or(Code::InvalidSchema, |finding| finding.code);
        let retry = turn.may_retry();
        let message = told(&findings, notes, turn);
        Self { code, retry, message, findings }
    }

    /// Returns the wire form `{code, retry, message, findings}`.
    pub fn to_value(&self) -> Value {
        json!({
            "code": self.code,
            "retry": self.retry,
            "message": self.message,
            "findings": self.findings.iter().map(Finding::to_value).collect::<Value>(),
        })
    }
}

/// Converts faults to findings with positions.
pub(crate) fn findings(notes: &Notes, visible: &Visible<'_>) -> Vec<Finding> {
    let finding = |fault: &Fault| Finding {
        code: fault.code,
        place: place(&fault.spot, notes, visible),
        message: fault.message.clone(),
        hint: fault.hint.clone(),
    };
    notes.faults.iter().map(finding).collect()
}

fn place(spot: &Spot, notes: &Notes, visible: &Visible<'_>) -> Place {
    let in_message = |byte: usize| line_column(visible.original(), visible.original_byte(byte));
    let in_json = |byte: usize| match &notes.json {
        JsonText::None => None,
        JsonText::InMessage(range) => Some(in_message(range.start + byte)),
        JsonText::Alone(text) => Some(line_column(text, byte)),
    };
    let json_text = || match &notes.json {
        JsonText::None => None,
        JsonText::InMessage(range) => visible.text().get(range.clone()),
        JsonText::Alone(text) => Some(text.as_str()),
    };
    match spot {
        Spot::Whole => Place::default(),
        Spot::TextByte(byte) => Place { pointer: None, line_column: Some(in_message(*byte)) },
        Spot::JsonByte(byte) => Place { pointer: None, line_column: in_json(*byte) },
        Spot::Pointer(pointer) => {
            let pointer = format!("{}{pointer}", notes.base);
            let byte = json_text().map(|text| locate(text, &pointer));
            Place { line_column: byte.and_then(in_json), pointer: Some(pointer) }
        }
    }
}

fn told(findings: &[Finding], notes: &Notes, turn: &Turn<'_>) -> String {
    let mut text = String::from("Nothing was run.");
    for (number, finding) in findings.iter().take(TOLD_MAX).enumerate() {
        let code: &'static str = finding.code.into();
        let _ = write!(text, "\n{}. {code}{}: {}", number + 1, where_it_is(&finding.place), finding.message);
        if let Some(hint) = &finding.hint {
            let _ = write!(text, " ({hint})");
        }
    }
    if findings.len() > TOLD_MAX {
        let _ = write!(text, "\nand {} more.", findings.len() - TOLD_MAX);
    }
    if turn.may_retry() {
        text.push_str("\nSend the whole message again, corrected.");
    }
    if let Some(example) = smallest_declaration(notes, turn) {
        let _ = write!(text, " The smallest correct form:\n{example}");
    }
    text
}

fn where_it_is(place: &Place) -> String {
    let pointer = place.pointer.as_deref().filter(|pointer| !pointer.is_empty());
    match (pointer, place.line_column) {
        (Some(pointer), Some((line, column))) => format!(" at {pointer} (line {line}, column {column})"),
        (Some(pointer), None) => format!(" at {pointer}"),
        (None, Some((line, column))) => format!(" at line {line}, column {column}"),
        (None, None) => String::new(),
    }
}
