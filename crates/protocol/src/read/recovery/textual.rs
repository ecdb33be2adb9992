//! Classifies a text without a carrier: an answer, a misplaced declaration, or a call written as text.

use std::ops::Range;

use provost_contract::json::{self, Object};
use serde_json::Value;

use super::direct::{DirectCall, Origin};
use super::heredoc::{Heredoc, find_heredocs};
use super::invoke::{Invoke, find_invokes, read_invoke};
use crate::read::forms::TYPE;
use crate::read::message::CARRIER_TOOL;
use crate::read::notes::{Fault, Spot};
use crate::read::text::{Document, joined, parse_strict};
use crate::{Catalog, Code};

/// Marks of call notations that are not supported. A text that contains one was meant as a call.
const MARKS: [&str; 12] = [
    "[TOOL_CALL]",
    "[TOOL_CALLS]",
    "[TOOL_REQUEST]",
    "<tool_call>",
    "<tool_calls>",
    "<function_call>",
    "<function_calls>",
    "<function=",
    "<|tool_call",
    "<|python_tag|>",
    "<｜tool▁call",
    ":invoke name=",
];
/// The maximum offset of the name in a tag.
const TAG_CHARS_MAX: usize = 80;
const WRAPPERS: [(&str, &str); 1] = [("<function_calls>", "</function_calls>")];

/// The classification.
pub(crate) enum Textual {
    /// An ordinary text.
    Plain,
    /// One complete call, and the text around it.
    Call { call: DirectCall, prose: Option<String> },
    /// A text that must not be taken for an answer.
    Fault(Fault),
}

/// Classifies a text that has no protocol block.
pub(crate) fn read_textual(document: &Document<'_>, catalog: &Catalog) -> Textual {
    let text = document.text();
    if let Some(whole) = whole_object(text) {
        return read_whole(&whole, text);
    }
    let invokes = find_invokes(document);
    let heredocs = find_heredocs(document);
    if let Some(at) = carrier_in_words(document, &invokes, &heredocs) {
        return carrier_missing(at);
    }
    match (invokes.as_slice(), heredocs.as_slice()) {
        ([], []) => match first_mark(document) {
            Some(at) => unsafe_text(at, "the text looks like a tool call but cannot be read as one"),
            None => Textual::Plain,
        },
        ([at], []) => match read_invoke(text, *at) {
            Ok(invoke) => invoke_call(text, invoke, catalog),
            Err(Code::IncompleteOutput) => incomplete(*at),
            Err(_) => unsafe_text(*at, "the call in the text is not one that can be read"),
        },
        ([], [heredoc]) => heredoc_call(text, heredoc),
        (_, _) => {
            let at = invokes.iter().copied().chain(heredocs.iter().map(|call| call.range.start)).min();
            unsafe_text(at.unwrap_or_default(), "the text holds more than one tool call")
        }
    }
}

fn whole_object(text: &str) -> Option<Object> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    match parse_strict(text) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    }
}

/// Classifies a message that is one JSON object: a declaration, a call, or requested data.
fn read_whole(object: &Object, text: &str) -> Textual {
    let at = text.len() - text.trim_start().len();
    let kind = json::text(object, "kind");
    if matches!(kind, Some("act" | "answer" | "done")) || json::text(object, "type") == Some(TYPE) {
        return carrier_missing(at);
    }
    for (name_key, arguments_key) in [("name", "arguments"), ("tool", "args")] {
        let (Some(name), Some(arguments)) = (json::text(object, name_key), object.get(arguments_key)) else {
            continue;
        };
        if object.len() != 2 || !(arguments.is_object() || arguments.is_string()) {
            continue;
        }
        if name == CARRIER_TOOL {
            return carrier_missing(at);
        }
        return Textual::Call { call: direct(name, arguments.clone(), at), prose: None };
    }
    Textual::Plain
}

fn direct(name: &str, arguments: Value, at: usize) -> DirectCall {
    DirectCall { name: name.to_owned(), arguments, spot: Spot::TextByte(at), origin: Origin::Text }
}

/// Finds a call of the carrier tool as text: `AgentProtocolOutput({…})`, as an invoke or as a heredoc.
fn carrier_in_words(document: &Document<'_>, invokes: &[usize], heredocs: &[Heredoc]) -> Option<usize> {
    let text = document.text();
    let mut line_start = 0;
    let written = text.split_inclusive('\n').find_map(|line| {
        let at = line_start + (line.len() - line.trim_start().len());
        line_start += line.len();
        let after = line.trim_start().strip_prefix(CARRIER_TOOL)?.trim_start();
        (after.starts_with(['(', '{']) && !document.is_code(at)).then_some(at)
    });
    let invoked = invokes.iter().copied().find(|at| {
        let tag: String = text.get(*at..).unwrap_or_default().chars().take(TAG_CHARS_MAX).collect();
        tag.split('>').next().is_some_and(|tag| tag.contains(CARRIER_TOOL))
    });
    let heredoc = heredocs.iter().find(|call| call.name == CARRIER_TOOL).map(|call| call.range.start);
    written.or(invoked).or(heredoc)
}

fn first_mark(document: &Document<'_>) -> Option<usize> {
    let outside = |mark: &&str| {
        document.text().match_indices(*mark).map(|(at, _)| at).find(|at| !document.is_code(*at))
    };
    MARKS.iter().filter_map(outside).min()
}

fn invoke_call(text: &str, invoke: Invoke, catalog: &Catalog) -> Textual {
    let schema = catalog.tool(&invoke.name).and_then(|entry| entry.input_schema.as_ref());
    let mut arguments = Object::new();
    for (name, value) in invoke.parameters {
        let wants_json = schema.is_some_and(|schema| schema.wants_scalar(&name));
        let typed = if wants_json { parse_strict(value.trim()).ok() } else { None };
        arguments
            .insert(name, typed.filter(|typed| !json::is_container(typed)).unwrap_or(Value::String(value)));
    }
    let prose = prose_without(text, with_wrapper(text, invoke.range.clone()));
    Textual::Call { call: direct(&invoke.name, Value::Object(arguments), invoke.range.start), prose }
}

fn heredoc_call(text: &str, heredoc: &Heredoc) -> Textual {
    let at = heredoc.range.start;
    let Some(body) = &heredoc.body else { return incomplete(at) };
    if heredoc.class != "tool" || heredoc.crowded {
        return unsafe_text(at, "only one tool call by itself can be read from a text");
    }
    let body = text.get(body.clone()).unwrap_or_default();
    let call = direct(&heredoc.name, Value::String(body.to_owned()), at);
    Textual::Call { call, prose: prose_without(text, heredoc.range.clone()) }
}

fn prose_without(text: &str, call: Range<usize>) -> Option<String> {
    let prose = joined(text, 0..text.len(), &[call]);
    Some(prose.trim().to_owned()).filter(|prose| !prose.is_empty())
}

/// Returns the range of a call with its wrapping tags.
fn with_wrapper(text: &str, call: Range<usize>) -> Range<usize> {
    for (open, close) in WRAPPERS {
        let before = text.get(..call.start).unwrap_or_default().trim_end();
        let after = text.get(call.end..).unwrap_or_default();
        if before.ends_with(open) && after.trim_start().starts_with(close) {
            let blank = after.len() - after.trim_start().len();
            return before.len() - open.len()..call.end + blank + close.len();
        }
    }
    call
}

fn carrier_missing(at: usize) -> Textual {
    let message = format!(
        "a declaration must be carried by one {CARRIER_TOOL} call or one fenced agent-protocol block"
    );
    Textual::Fault(Fault::new(Code::CarrierMissing, Spot::TextByte(at), message))
}

fn unsafe_text(at: usize, message: &str) -> Textual {
    Textual::Fault(Fault::new(Code::UnsafeRecovery, Spot::TextByte(at), message))
}

fn incomplete(at: usize) -> Textual {
    Textual::Fault(Fault::new(Code::IncompleteOutput, Spot::TextByte(at), "the call in the text is cut"))
}
