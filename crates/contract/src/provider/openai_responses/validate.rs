//! What Responses would refuse.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::items::{
    CALL_IDS, calls, id_refusal, item_type, message_refusals, outputs, part_refusal, reasoning_alone,
    reasoning_refusal,
};
use crate::json;
use crate::provider::body::{entries_to_check, text_at};
use crate::provider::pairs::{Half, Words, check_pairs};
use crate::provider::prepare::is_tool_name;
use crate::provider::refusal::{Findings, Refusal, Rule};

const WORDS: Words = Words { call: "function call", result: "output", place: "later in the input" };

/// Everything Responses would refuse in `{input}` or a list of items.
pub fn validate(body: &Value) -> Vec<Refusal> {
    let mut findings = Findings::default();
    if body.get("input").is_some_and(Value::is_string) {
        return Vec::new();
    }
    let items = entries_to_check(body, "input", &mut findings);
    let mut ids = HashSet::new();
    for (index, item) in items.iter().enumerate() {
        check_item(index, item, &mut findings);
        let id = text_at(item, "id");
        if !id.is_empty() && !ids.insert(id) {
            findings.note(Rule::ItemId, index, format!("two items have the id {id}"));
        }
    }
    check_results(items, &mut findings);
    for index in reasoning_alone(items.iter()) {
        let why = "a reasoning item must be followed by the item it led to";
        findings.note(Rule::ReasoningAlone, index, why);
    }
    findings.sorted()
}

fn check_item(index: usize, item: &Value, findings: &mut Findings) {
    for (rule, why) in [id_refusal(item), reasoning_refusal(item)].into_iter().flatten() {
        findings.note(rule, index, why);
    }
    match item_type(item) {
        "" => findings.note(Rule::Shape, index, "an item must be an object with a type or a role"),
        "message" => {
            for (rule, why) in message_refusals(item) {
                findings.note(rule, index, why);
            }
        }
        "function_call" => check_call(index, item, findings),
        "function_call_output" => check_output(index, item, findings),
        // A kind of item newer than this code: the provider knows better.
        _ => {}
    }
}

fn check_call(index: usize, item: &Value, findings: &mut Findings) {
    check_call_id(index, item, findings);
    let name = text_at(item, "name");
    if !is_tool_name(name) {
        let why = format!("the tool name {name:?} must be letters, digits, _ and - (at most 64)");
        findings.note(Rule::ToolName, index, why);
    }
    let arguments = item.get("arguments").and_then(Value::as_str);
    if !arguments.is_some_and(|text| json::parse_text(text).is_ok_and(|value| value.is_object())) {
        let why = format!("the arguments of {} must be text that is a JSON object", text_at(item, "call_id"));
        findings.note(Rule::CallArguments, index, why);
    }
}

fn check_output(index: usize, item: &Value, findings: &mut Findings) {
    check_call_id(index, item, findings);
    match item.get("output") {
        Some(Value::String(_)) => {}
        Some(Value::Array(parts)) => {
            for (rule, why) in parts.iter().filter_map(|part| part_refusal(part, "user")) {
                findings.note(rule, index, why);
            }
        }
        _ => findings.note(Rule::Shape, index, "output must be text or a list of parts"),
    }
}

fn check_call_id(index: usize, item: &Value, findings: &mut Findings) {
    let id = text_at(item, "call_id");
    if !CALL_IDS.allow(id) {
        let why = format!("the call_id {id:?} must be text of 1 to {} characters", CALL_IDS.length_max);
        findings.note(Rule::CallId, index, why);
    }
}

fn check_results(items: &[Value], findings: &mut Findings) {
    let numbered = || items.iter().enumerate();
    let (calls, outputs) = (calls(numbered()), outputs(numbered()));
    let mut seen = HashSet::new();
    for call in calls.iter().filter(|call| !seen.insert(call.id)) {
        findings.note(Rule::DuplicateCallId, call.index, format!("two calls have the call_id {}", call.id));
    }
    let first: HashMap<&str, usize> = calls.iter().rev().map(|call| (call.id, call.index)).collect();
    let early = |output: &Half<'_>| first.get(output.id).is_some_and(|call| output.index < *call);
    let (early, later): (Vec<Half<'_>>, Vec<Half<'_>>) = outputs.into_iter().partition(early);
    for output in early {
        let why = format!("the output for {} stands before its function call", output.id);
        findings.note(Rule::OrphanResult, output.index, why);
    }
    check_pairs(&calls, &later, &WORDS, findings);
}
