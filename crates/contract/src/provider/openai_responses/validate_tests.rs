use serde_json::{Value, json};

use super::validate;
use crate::provider::refusal_tests::check as check_provider;
use crate::provider::{Provider, Rule};

#[track_caller]
fn check(rule: Rule, control: Value, broken: Value) {
    check_provider(Provider::OpenaiResponses, rule, control, broken);
}

fn call(id: &str) -> Value {
    json!({ "type": "function_call", "call_id": id, "name": "kb__find", "arguments": "{}" })
}

fn output(id: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": id, "output": "found" })
}

fn said(role: &str, kind: &str) -> Value {
    json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": "a" }] })
}

fn reasoning() -> Value {
    json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "eA==" })
}

/// A call with one field changed, and its output.
fn called(key: &str, value: Value) -> Value {
    let mut call = call("a");
    call[key] = value;
    let id = call["call_id"].as_str().unwrap_or_default().to_owned();
    json!([call, output(&id)])
}

#[test]
fn shape() {
    let control = json!([said("user", "input_text")]);
    check(Rule::Shape, control.clone(), json!({ "input": 7 }));
    check(Rule::Shape, control.clone(), json!([{ "text": "a" }]));
    let bare =
        json!([{ "type": "reasoning", "encrypted_content": "eA==" }, said("assistant", "output_text")]);
    check(Rule::Shape, control, bare);
    assert_eq!(validate(&json!({ "input": "hi" })), []);
}

#[test]
fn no_messages() {
    check(Rule::NoMessages, json!([said("user", "input_text")]), json!([]));
}

#[test]
fn role() {
    check(Rule::Role, json!([said("developer", "input_text")]), json!([said("model", "input_text")]));
}

#[test]
fn empty_content() {
    let empty = json!([{ "role": "user", "content": [] }]);
    check(Rule::EmptyContent, json!([{ "role": "user", "content": "hi" }]), empty);
}

#[test]
fn block_place() {
    check(
        Rule::BlockPlace,
        json!([said("assistant", "output_text")]),
        json!([said("assistant", "input_text")]),
    );
    check(Rule::BlockPlace, json!([said("user", "input_text")]), json!([said("user", "output_text")]));
}

#[test]
fn call_id() {
    let long = |length: usize| called("call_id", json!("x".repeat(length)));
    check(Rule::CallId, long(64), long(65));
}

#[test]
fn duplicate_call_id() {
    let control = json!([call("a"), output("a"), call("b"), output("b")]);
    check(Rule::DuplicateCallId, control, json!([call("a"), call("a"), output("a")]));
}

#[test]
fn tool_name() {
    check(Rule::ToolName, called("name", json!("kb__find")), called("name", json!("kb/find")));
}

#[test]
fn call_arguments_are_json_text() {
    check(Rule::CallArguments, called("arguments", json!("{}")), called("arguments", json!({})));
}

#[test]
fn dangling_call_is_answered_anywhere_later() {
    let control = json!([call("a"), call("b"), output("b"), said("user", "input_text"), output("a")]);
    check(Rule::DanglingCall, control, json!([call("a"), call("b"), output("b")]));
}

#[test]
fn other_calls_need_their_output_too() {
    let shell = json!({ "type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls" });
    let shown = json!({ "type": "custom_tool_call_output", "call_id": "c", "output": "a" });
    check(Rule::DanglingCall, json!([shell, shown]), json!([shell]));
    check(Rule::OrphanResult, json!([shell, shown]), json!([shown]));
}

#[test]
fn orphan_result() {
    let control = json!([call("a"), output("a")]);
    check(Rule::OrphanResult, control, json!([said("user", "input_text"), output("a")]));
}

#[test]
fn an_output_before_its_call_answers_nothing() {
    let rules: Vec<Rule> =
        validate(&json!([output("a"), call("a")])).iter().map(|refusal| refusal.rule).collect();
    assert_eq!(rules, [Rule::OrphanResult, Rule::DanglingCall]);
}

#[test]
fn duplicate_result() {
    let control = json!([call("a"), output("a")]);
    check(Rule::DuplicateResult, control, json!([call("a"), output("a"), output("a")]));
}

#[test]
fn reasoning_alone() {
    let control = json!([reasoning(), call("a"), output("a"), said("user", "input_text")]);
    let cut = json!([reasoning(), said("user", "input_text")]);
    check(Rule::ReasoningAlone, control.clone(), cut);
    check(Rule::ReasoningAlone, control, json!([said("user", "input_text"), reasoning()]));
}

#[test]
fn item_id() {
    check(Rule::ItemId, called("id", json!("fc_1")), called("id", json!("call_1")));
    let long = format!("fc_{}", "x".repeat(62));
    check(Rule::ItemId, called("id", json!("fc_1")), called("id", json!(long)));
    let mut again = said("assistant", "output_text");
    again["id"] = json!("msg_1");
    check(Rule::ItemId, json!([again]), json!([again, again]));
}
