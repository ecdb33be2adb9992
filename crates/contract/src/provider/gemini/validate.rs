//! What Gemini would refuse.

use serde_json::Value;

use super::parts::{is_call, is_response, is_signed, refusal};
use crate::provider::body::{entries_to_check, text_at};
use crate::provider::refusal::{Findings, Refusal, Rule};

/// A content whose shape could be read.
struct Content<'a> {
    index: usize,
    is_model: bool,
    parts: &'a [Value],
}

impl Content<'_> {
    fn calls(&self) -> impl Iterator<Item = &Value> {
        self.parts.iter().filter(|part| is_call(part))
    }

    fn responses(&self) -> impl Iterator<Item = &Value> {
        self.parts.iter().filter(|part| is_response(part))
    }
}

/// Everything Gemini would refuse in `{systemInstruction, contents}` or a list of contents.
pub fn validate(body: &Value) -> Vec<Refusal> {
    let mut findings = Findings::default();
    check_system(body, &mut findings);
    let entries = entries_to_check(body, "contents", &mut findings);
    let contents: Vec<Content<'_>> = entries
        .iter()
        .enumerate()
        .filter_map(|(index, content)| read_content(index, content, &mut findings))
        .collect();
    if let Some(first) = contents.first().filter(|first| first.is_model) {
        findings.note(Rule::FirstRole, first.index, "the first content must be the user's");
    }
    check_turns(&contents, &mut findings);
    check_signatures(&contents, &mut findings);
    findings.sorted()
}

fn check_system(body: &Value, findings: &mut Findings) {
    let Some(system) = body.get("systemInstruction") else { return };
    let parts = system.get("parts").and_then(Value::as_array);
    let Some(parts) = parts.filter(|parts| !parts.is_empty()) else {
        return findings.note(Rule::Shape, 0, "systemInstruction must hold parts");
    };
    for (rule, why) in parts.iter().filter_map(|part| refusal(part, "user")) {
        findings.note(rule, 0, format!("systemInstruction: {why}"));
    }
}

fn read_content<'a>(index: usize, content: &'a Value, findings: &mut Findings) -> Option<Content<'a>> {
    let role = match content.get("role") {
        None => "user",
        Some(_) => text_at(content, "role"),
    };
    if !matches!(role, "user" | "model" | "function") {
        findings.note(Rule::Role, index, format!("the role {role:?} must be user or model"));
        return None;
    }
    let Some(parts) = content.get("parts").and_then(Value::as_array).filter(|parts| !parts.is_empty()) else {
        findings.note(Rule::EmptyContent, index, "a content must hold at least one part");
        return None;
    };
    for (rule, why) in parts.iter().filter_map(|part| refusal(part, role)) {
        findings.note(rule, index, why);
    }
    Some(Content { index, is_model: role == "model", parts })
}

fn check_turns(contents: &[Content<'_>], findings: &mut Findings) {
    let mut before: Option<&Content<'_>> = None;
    let mut contents = contents.iter().peekable();
    while let Some(content) = contents.next() {
        if content.calls().next().is_some() {
            if before.is_none_or(|before| before.is_model) {
                let why =
                    "a content with functionCall parts must follow a content of the user or of responses";
                findings.note(Rule::CallTurn, content.index, why);
            }
            check_answers(content, contents.peek().copied(), findings);
        }
        if content.responses().next().is_some() {
            check_responses(content, before, findings);
        }
        before = Some(content);
    }
}

fn names<'a>(functions: impl Iterator<Item = &'a Value>, key: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> =
        functions.filter_map(|part| part.get(key)).map(|function| text_at(function, "name")).collect();
    names.sort_unstable();
    names
}

/// Calls want their responses in the very next content.
fn check_answers(content: &Content<'_>, next: Option<&Content<'_>>, findings: &mut Findings) {
    let calls = names(content.calls(), "functionCall");
    let responses = next.map_or(0, |next| next.responses().count());
    if responses < calls.len() {
        let why = format!(
            "{} functionCall parts ({}) have {responses} functionResponse parts in the next content",
            calls.len(),
            calls.join(", ")
        );
        findings.note(Rule::DanglingCall, content.index, why);
    }
}

/// Responses want their calls in the content before, and nothing beside them.
fn check_responses(content: &Content<'_>, before: Option<&Content<'_>>, findings: &mut Findings) {
    let calls = before.map(|before| names(before.calls(), "functionCall")).unwrap_or_default();
    let responses = names(content.responses(), "functionResponse");
    if responses.len() > calls.len() {
        let why = format!(
            "{} functionResponse parts ({}) follow {} functionCall parts",
            responses.len(),
            responses.join(", "),
            calls.len()
        );
        findings.note(Rule::OrphanResult, content.index, why);
    } else if responses.len() == calls.len() && responses != calls {
        let why = format!(
            "the responses ({}) are not those of the calls ({})",
            responses.join(", "),
            calls.join(", ")
        );
        findings.note(Rule::ResponseTurn, content.index, why);
    }
    if content.parts.iter().any(|part| !is_response(part)) {
        let why = "a content with functionResponse parts must hold nothing else";
        findings.note(Rule::ResponseTurn, content.index, why);
    }
}

/// In the current turn either no step is signed, or the first call of each is.
fn check_signatures(contents: &[Content<'_>], findings: &mut Findings) {
    let said = |content: &Content<'_>| !content.is_model && content.responses().next().is_none();
    let start = contents.iter().rposition(said).map_or(0, |last| last + 1);
    let current = contents.get(start..).unwrap_or_default();
    if !current.iter().flat_map(Content::calls).any(is_signed) {
        return;
    }
    for content in current {
        if content.calls().next().is_some_and(|first| !is_signed(first)) {
            let why =
                "the first functionCall of each step of the current turn must carry its thoughtSignature";
            findings.note(Rule::ThoughtSignature, content.index, why);
        }
    }
}
