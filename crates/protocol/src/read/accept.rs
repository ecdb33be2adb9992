//! The decision table for one complete assistant message: accepted, recovered or refused.

use provost_contract::json::Object;
use serde_json::Value;

use crate::read::forms::{TYPE, read_flat, read_full};
use crate::read::message::{AssistantMessage, CARRIER_TOOL, Finish, NativeCall};
use crate::read::notes::{Fault, JsonText, Notes, Spot};
use crate::read::recovery::{DirectCall, Textual, read_textual, recover};
use crate::read::text::{Document, Lookup, Visible, parse_strict};
use crate::{Accepted, Carrier, Code, Content, Refused, Speaking, Turn, Violation};

/// Parses a complete message. It executes nothing and asks for no permission; a declaration is
/// accepted as a whole or not at all.
pub fn accept(message: &AssistantMessage, turn: &Turn<'_>) -> Result<Accepted, Refused> {
    match turn.speaking {
        Speaking::Plain => return Ok(plain_agent(message)),
        Speaking::Protocol => {}
    }
    let visible = Visible::of(&message.text);
    let document = Document::read(visible.text());
    let mut notes = Notes::default();
    let read = decide(message, &document, turn, &mut notes);
    match read {
        Some(accepted) if notes.faults.is_empty() => {
            Ok(Accepted { violations: notes.violations, ..accepted })
        }
        Some(_) | None => Err(Refused::new(&notes, &visible, turn)),
    }
}

/// The text of a plain agent is only text, even if it looks like a declaration.
fn plain_agent(message: &AssistantMessage) -> Accepted {
    let mut accepted = Accepted::new(Carrier::None, Content::Plain);
    accepted.message = Some(message.text.clone());
    if message.calls.iter().any(|call| call.name == CARRIER_TOOL) {
        accepted.violations.push(Violation::ProtocolNotEnabled);
    }
    accepted
}

fn decide(
    message: &AssistantMessage,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Accepted> {
    if message.finish == Finish::CutByLength {
        notes.fault(
            Fault::new(Code::IncompleteOutput, Spot::Whole, "the message was cut at the length limit")
                .hint("send a shorter message: fewer actions at once, long texts as references"),
        );
        return None;
    }
    let (carriers, others): (Vec<&NativeCall>, Vec<&NativeCall>) =
        message.calls.iter().partition(|call| call.name == CARRIER_TOOL);
    match (carriers.as_slice(), others.as_slice()) {
        ([_, _, ..], _) => {
            refuse(notes, Code::MultipleDeclarations, "there is more than one declaration; send exactly one")
        }
        ([_], [_, ..]) => {
            refuse(notes, Code::AmbiguousCarrier, "a declaration stands beside other tool calls")
        }
        ([call], []) => read_native(call, document, turn, notes),
        ([], [_, ..]) if !document.blocks().is_empty() => {
            refuse(notes, Code::AmbiguousCarrier, "a declaration stands beside tool calls")
        }
        ([], [_, ..]) => {
            let calls: Vec<DirectCall> = others.into_iter().map(DirectCall::from).collect();
            let actions = recover(&calls, turn, notes)?;
            let message = document.whole_prose();
            Some(Accepted { message, ..Accepted::new(Carrier::RecoveredToolCall, Content::Act(actions)) })
        }
        ([], []) => read_text(document, turn, notes),
    }
}

fn refuse(notes: &mut Notes, code: Code, message: &str) -> Option<Accepted> {
    notes.fault(Fault::new(code, Spot::Whole, message));
    None
}

/// Handles a single native call of the carrier tool.
fn read_native(
    call: &NativeCall,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Accepted> {
    if !document.blocks().is_empty() {
        notes.violation(Violation::ExtraFencedBlockIgnored);
    }
    let parsed;
    let value = match &call.arguments {
        Value::String(text) => {
            notes.json = JsonText::Alone(text.clone());
            parsed = parse_declaration(text, turn, notes)?;
            &parsed
        }
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            if too_long(json_length(value), turn, notes) {
                return None;
            }
            value
        }
    };
    read_declaration(value, Carrier::ToolCall, document, turn, notes)
}

/// Handles a message without native calls: a fenced block, or only text.
pub(crate) fn read_text(document: &Document<'_>, turn: &Turn<'_>, notes: &mut Notes) -> Option<Accepted> {
    match document.blocks() {
        [] => read_unmarked(document, turn, notes),
        [block] if !block.closed => {
            let spot = Spot::TextByte(block.range.start);
            notes.fault(Fault::new(Code::IncompleteOutput, spot, "the agent-protocol block is not closed"));
            None
        }
        [block] => {
            notes.json = JsonText::InMessage(block.body.clone());
            let text = document.text().get(block.body.clone()).unwrap_or_default();
            let value = parse_declaration(text, turn, notes)?;
            if !value.is_object() {
                return refuse(notes, Code::InvalidSchema, "a declaration must be one JSON object");
            }
            read_declaration(&value, Carrier::FencedBlock, document, turn, notes)
        }
        [_, second, ..] => {
            let open = document.blocks().iter().find(|block| !block.closed);
            let (code, at, message) = match open {
                Some(open) => (Code::IncompleteOutput, open, "an agent-protocol block is not closed"),
                None => {
                    let message = "there is more than one agent-protocol block; send exactly one";
                    (Code::MultipleDeclarations, second, message)
                }
            };
            notes.fault(Fault::new(code, Spot::TextByte(at.range.start), message));
            None
        }
    }
}

fn read_unmarked(document: &Document<'_>, turn: &Turn<'_>, notes: &mut Notes) -> Option<Accepted> {
    if document.text().trim().is_empty() {
        return refuse(notes, Code::EmptyOutput, "the message is empty");
    }
    match read_textual(document, turn.catalog) {
        Textual::Plain => {
            let message = Some(document.text().trim().to_owned());
            Some(Accepted { message, ..Accepted::new(Carrier::None, Content::Plain) })
        }
        Textual::Call { call, prose } => {
            let actions = recover(&[call], turn, notes)?;
            Some(Accepted { message: prose, ..Accepted::new(Carrier::RecoveredText, Content::Act(actions)) })
        }
        Textual::Fault(fault) => {
            notes.fault(fault);
            None
        }
    }
}

/// Parses the JSON text of a declaration, within the size limit.
pub(crate) fn parse_declaration(text: &str, turn: &Turn<'_>, notes: &mut Notes) -> Option<Value> {
    if too_long(text.len(), turn, notes) {
        return None;
    }
    let parsed = parse_strict(text);
    parsed
        .map_err(|fault| {
            let message = format!("the declaration is not JSON: {}", fault.message);
            notes.fault(Fault::new(Code::InvalidJson, Spot::JsonByte(fault.byte), message));
        })
        .ok()
}

fn too_long(bytes: usize, turn: &Turn<'_>, notes: &mut Notes) -> bool {
    let most = turn.limits.declaration_bytes_max;
    if bytes > most {
        let message = format!("the declaration has {bytes} bytes; at most {most} are read");
        notes.fault(Fault::new(Code::LimitExceeded, Spot::Whole, message));
    }
    bytes > most
}

/// Returns the size of a value as JSON text.
fn json_length(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail; for a value that cannot be serialized the count is partial.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// Parses a declaration of either form from a JSON value. A fenced block must have the full form.
pub(crate) fn read_declaration(
    value: &Value,
    carrier: Carrier,
    document: &Document<'_>,
    turn: &Turn<'_>,
    notes: &mut Notes,
) -> Option<Accepted> {
    let unwrapped;
    let Some(raw) = value.as_object() else {
        return refuse(notes, Code::InvalidSchema, "a declaration must be one JSON object");
    };
    let raw = match (carrier, wrapped(raw)) {
        (Carrier::ToolCall, Some((key, inner))) => {
            unwrapped = unwrap(key, inner, turn, notes)?;
            &unwrapped
        }
        _ => raw,
    };
    let is_full = carrier == Carrier::FencedBlock || raw.get("type").is_some_and(|word| word == TYPE);
    if is_full {
        let (envelope, content) = read_full(raw, document, turn, notes)?;
        let user_visible = user_visible(document, notes);
        let message = document.lead_prose();
        return Some(Accepted {
            message,
            user_visible,
            envelope: Some(envelope),
            ..Accepted::new(carrier, content)
        });
    }
    let (content, message) = read_flat(raw, document, turn, notes)?;
    Some(Accepted { message, ..Accepted::new(carrier, content) })
}

/// Returns the content of an object whose single key is one that models tend to wrap arguments in.
fn wrapped(raw: &Object) -> Option<(&'static str, &Value)> {
    let (key, inner) = raw.iter().next().filter(|_| raw.len() == 1)?;
    let key = ["input", "arguments"].into_iter().find(|known| known == key)?;
    (inner.is_object() || inner.is_string()).then_some((key, inner))
}

fn unwrap(key: &str, inner: &Value, turn: &Turn<'_>, notes: &mut Notes) -> Option<Object> {
    notes.violation(Violation::WrappedArguments);
    let object = if let Value::String(text) = inner {
        notes.json = JsonText::Alone(text.clone());
        parse_declaration(text, turn, notes)?
    } else {
        notes.base = format!("/{key}");
        inner.clone()
    };
    match object {
        Value::Object(object) => Some(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            notes.fault(Fault::new(
                Code::InvalidSchema,
                Spot::Whole,
                "a declaration must be one JSON object",
            ));
            None
        }
    }
}

/// Returns the note that the user reads while the declaration runs.
fn user_visible(document: &Document<'_>, notes: &mut Notes) -> Option<String> {
    match document.section("user.visible") {
        Lookup::Missing => None,
        Lookup::Found(text) => Some(text).filter(|text| !text.trim().is_empty()),
        Lookup::Several => {
            let message = "there is more than one section user.visible";
            notes.fault(Fault::new(Code::DuplicateSection, Spot::Whole, message));
            None
        }
    }
}
