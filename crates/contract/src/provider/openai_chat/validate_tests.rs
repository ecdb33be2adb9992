use serde_json::{Value, json};

use super::validate;
use crate::provider::refusal_tests::check as check_provider;
use crate::provider::{Provider, Rule};

#[track_caller]
fn check(rule: Rule, control: Value, broken: Value) {
    check_provider(Provider::OpenaiChat, rule, control, broken);
}

fn user(content: Value) -> Value {
    json!({ "role": "user", "content": content })
}

fn call(id: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "kb__find", "arguments": "{}" } })
}

fn calls(calls: Value) -> Value {
    json!({ "role": "assistant", "content": null, "tool_calls": calls })
}

fn result(id: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": "found" })
}

/// One call, changed at one place, and its result.
fn called(path: &str, value: Value) -> Value {
    let mut call = call("a");
    if let Some(place) = call.pointer_mut(path) {
        *place = value;
    }
    let id = call["id"].as_str().unwrap_or_default().to_owned();
    json!([calls(json!([call])), result(&id)])
}

#[test]
fn shape() {
    let control = json!([user(json!("hi"))]);
    check(Rule::Shape, control.clone(), json!({ "messages": 7 }));
    check(Rule::Shape, control.clone(), json!([user(json!(7))]));
    check(Rule::Shape, control, json!([{ "role": "assistant", "content": "a", "tool_calls": [] }]));
}

#[test]
fn no_messages() {
    check(Rule::NoMessages, json!([user(json!("hi"))]), json!([]));
}

#[test]
fn role() {
    let control = json!([{ "role": "developer", "content": "be brief" }, user(json!("hi"))]);
    check(Rule::Role, control, json!([{ "role": "model", "content": "hi" }]));
}

#[test]
fn empty_content_is_allowed_only_beside_calls() {
    let control = json!([calls(json!([call("a")])), result("a")]);
    check(Rule::EmptyContent, control.clone(), json!([{ "role": "assistant", "content": null }]));
    check(Rule::EmptyContent, control, json!([user(json!([]))]));
}

#[test]
fn block_place() {
    let image = json!([{ "type": "image_url", "image_url": { "url": "https://example.org/a.png" } }]);
    let control = json!([user(image.clone())]);
    check(Rule::BlockPlace, control, json!([{ "role": "assistant", "content": image }]));
}

#[test]
fn call_id() {
    let long = |length: usize| called("/id", json!("x".repeat(length)));
    check(Rule::CallId, long(40), long(41));
}

#[test]
fn duplicate_call_id_counts_within_a_message() {
    let again = json!([calls(json!([call("a")])), result("a"), calls(json!([call("a")])), result("a")]);
    check(Rule::DuplicateCallId, again, json!([calls(json!([call("a"), call("a")])), result("a")]));
}

#[test]
fn tool_name() {
    let named = |name: &str| called("/function/name", json!(name));
    check(Rule::ToolName, named("kb__find"), named("kb/find"));
}

#[test]
fn call_arguments_are_json_text() {
    let given = |arguments: Value| called("/function/arguments", arguments);
    check(Rule::CallArguments, given(json!("{\"q\":1}")), given(json!({ "q": 1 })));
    check(Rule::CallArguments, given(json!("{}")), given(json!("{\"q\":")));
}

#[test]
fn dangling_call() {
    let calls = calls(json!([call("a"), call("b")]));
    let control = json!([calls, result("b"), result("a"), user(json!("so?"))]);
    check(Rule::DanglingCall, control, json!([calls, result("a"), user(json!("so?"))]));
}

#[test]
fn a_result_behind_another_message_answers_nothing() {
    let late = json!([calls(json!([call("a")])), user(json!("stop")), result("a")]);
    let rules: Vec<Rule> = validate(&late).iter().map(|refusal| refusal.rule).collect();
    assert_eq!(rules, [Rule::DanglingCall, Rule::OrphanResult]);
}

#[test]
fn orphan_result() {
    let control = json!([calls(json!([call("a")])), result("a")]);
    check(Rule::OrphanResult, control, json!([user(json!("hi")), result("a")]));
}

#[test]
fn duplicate_result() {
    let control = json!([calls(json!([call("a")])), result("a")]);
    check(Rule::DuplicateResult, control, json!([calls(json!([call("a")])), result("a"), result("a")]));
}
