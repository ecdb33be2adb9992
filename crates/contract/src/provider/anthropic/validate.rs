//! What Anthropic would refuse.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

use super::blocks::{is_thinking, refusal};
use super::server_tools;
use crate::provider::body::{entries_to_check, text_at, text_or_blocks, type_of};
use crate::provider::item::Speaker;
use crate::provider::pairs::{Half, Words, check_pairs};
use crate::provider::refusal::{Findings, Refusal, Rule};

const WORDS: Words =
    Words { call: "tool_use", result: "tool_result", place: "at the start of the next user message" };

/// A message whose shape could be read.
struct Said<'a> {
    index: usize,
    speaker: Speaker,
    blocks: Cow<'a, [Value]>,
}

/// Everything Anthropic would refuse in `{system, messages}` or a list of messages.
pub fn validate(body: &Value) -> Vec<Refusal> {
    let mut findings = Findings::default();
    let messages = entries_to_check(body, "messages", &mut findings);
    let last = messages.len().saturating_sub(1);
    check_system(body, &mut findings);
    let said: Vec<Said<'_>> = messages
        .iter()
        .enumerate()
        .filter_map(|(index, message)| read_message(index, index == last, message, &mut findings))
        .collect();
    if let Some(first) = said.first().filter(|first| first.speaker != Speaker::User) {
        findings.note(Rule::FirstRole, first.index, "the first message must be the user's");
    }
    let turns: Vec<&[Said<'_>]> = said.chunk_by(|left, right| left.speaker == right.speaker).collect();
    check_call_ids(&turns, &mut findings);
    check_results(&turns, &mut findings);
    check_thinking(body, &turns, &mut findings);
    check_server_tools(&turns, &mut findings);
    check_last(&turns, &mut findings);
    findings.sorted()
}

fn check_system(body: &Value, findings: &mut Findings) {
    let blocks = match body.get("system") {
        None | Some(Value::String(_)) => return,
        Some(system) => text_or_blocks(system, "text"),
    };
    let Some(blocks) = blocks else {
        return findings.note(Rule::Shape, 0, "system must be text or a list of text blocks");
    };
    for block in blocks.iter() {
        if type_of(block) != "text" {
            findings.note(Rule::BlockPlace, 0, "system can hold only text blocks");
        } else if let Some((rule, why)) = refusal(block, Speaker::User) {
            findings.note(rule, 0, format!("system: {why}"));
        }
    }
}

/// Reads a message and checks what needs no neighbours. Only a last message of the assistant may be empty.
fn read_message<'a>(
    index: usize,
    is_last: bool,
    message: &'a Value,
    findings: &mut Findings,
) -> Option<Said<'a>> {
    let speaker = match text_at(message, "role") {
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        "system" => {
            findings.note(Rule::Role, index, "instructions belong into system, not into messages");
            return None;
        }
        role => {
            findings.note(Rule::Role, index, format!("the role {role:?} must be user or assistant"));
            return None;
        }
    };
    let Some(blocks) = message.get("content").and_then(|content| text_or_blocks(content, "text")) else {
        findings.note(Rule::Shape, index, "content must be text or a list of blocks");
        return None;
    };
    if blocks.is_empty() && !(is_last && speaker == Speaker::Assistant) {
        findings.note(Rule::EmptyContent, index, "a message must say something");
    }
    for block in blocks.iter() {
        if let Some((rule, why)) = refusal(block, speaker) {
            findings.note(rule, index, why);
        }
    }
    Some(Said { index, speaker, blocks })
}

fn blocks<'a>(turn: &'a [Said<'_>]) -> impl Iterator<Item = (usize, &'a Value)> + Clone {
    turn.iter().flat_map(|said| said.blocks.iter().map(|block| (said.index, block)))
}

fn halves<'a>(turn: &'a [Said<'_>], kind: &str, id: &str) -> Vec<Half<'a>> {
    let halves = blocks(turn).filter(|(_, block)| type_of(block) == kind);
    halves
        .map(|(index, block)| Half { index, id: text_at(block, id), name: text_at(block, "name") })
        .collect()
}

fn check_call_ids(turns: &[&[Said<'_>]], findings: &mut Findings) {
    let mut seen = HashSet::new();
    for call in turns.iter().flat_map(|turn| halves(turn, "tool_use", "id")) {
        if !seen.insert(call.id) {
            let why = format!("two tool_use blocks have the id {}; ids must be unique", call.id);
            findings.note(Rule::DuplicateCallId, call.index, why);
        }
    }
}

/// Each turn of calls is answered at the start of the very next turn, and nothing else is answered.
fn check_results(turns: &[&[Said<'_>]], findings: &mut Findings) {
    for (position, turn) in turns.iter().enumerate() {
        let calls = halves(turn, "tool_use", "id");
        let next = turns.get(position + 1).copied().unwrap_or_default();
        if position == 0 {
            check_pairs(&[], &halves(turn, "tool_result", "tool_use_id"), &WORDS, findings);
        }
        check_pairs(&calls, &halves(next, "tool_result", "tool_use_id"), &WORDS, findings);
        let mut other = false;
        for (index, block) in blocks(next) {
            let is_result = type_of(block) == "tool_result";
            if is_result && other {
                let why = "tool_result blocks must stand before everything else in their message";
                findings.note(Rule::ResultsFirst, index, why);
            }
            other |= !is_result;
        }
    }
}

fn check_thinking(body: &Value, turns: &[&[Said<'_>]], findings: &mut Findings) {
    for turn in turns {
        if let Some((index, block)) = blocks(turn).last().filter(|(_, block)| is_thinking(block)) {
            let why = format!("a {} block cannot be the last of its message", type_of(block));
            findings.note(Rule::ThinkingPlace, index, why);
        }
    }
    let thinking_on = body.pointer("/thinking/type").and_then(Value::as_str) == Some("enabled");
    let open_loop =
        turns.iter().rfind(|turn| turn.first().is_some_and(|said| said.speaker == Speaker::Assistant));
    let Some(turn) = open_loop.filter(|_| thinking_on) else { return };
    let calls = blocks(turn).any(|(_, block)| type_of(block) == "tool_use");
    if let Some((index, first)) = blocks(turn).next().filter(|(_, first)| calls && !is_thinking(first)) {
        let why = format!(
            "thinking is enabled, so the assistant's calls must come after its thinking; found {:?} first",
            type_of(first)
        );
        findings.note(Rule::ThinkingFirst, index, why);
    }
}

fn check_server_tools(turns: &[&[Said<'_>]], findings: &mut Findings) {
    let all: Vec<(usize, &Value)> = turns.iter().flat_map(|turn| blocks(turn)).collect();
    let last_turn = turns.last().map_or(0, |turn| blocks(turn).count());
    let ends = |position: usize| position + last_turn >= all.len();
    for misplaced in server_tools::lonely(all.iter().map(|(_, block)| *block), ends) {
        let index = all.get(misplaced.position).map_or(0, |(index, _)| *index);
        findings.note(Rule::ServerTool, index, misplaced.why);
    }
    for turn in turns {
        for position in server_tools::behind_calls(blocks(turn).map(|(_, block)| block)) {
            let index = blocks(turn).nth(position).map_or(0, |(index, _)| index);
            let why = "blocks of server tools must stand before the tool_use blocks of their message";
            findings.note(Rule::ServerTool, index, why);
        }
    }
}

fn check_last(turns: &[&[Said<'_>]], findings: &mut Findings) {
    let last = turns.last().copied().unwrap_or_default();
    let assistant = last.first().is_some_and(|said| said.speaker == Speaker::Assistant);
    let Some((index, block)) = blocks(last).last().filter(|_| assistant) else { return };
    if type_of(block) == "text" && text_at(block, "text").ends_with(char::is_whitespace) {
        let why = "the last message is the assistant's and must not end in whitespace";
        findings.note(Rule::TrailingWhitespace, index, why);
    }
}
