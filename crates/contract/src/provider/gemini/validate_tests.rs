use serde_json::{Value, json};

use super::validate;
use crate::provider::refusal_tests::check as check_provider;
use crate::provider::{Provider, Rule};

#[track_caller]
fn check(rule: Rule, control: Value, broken: Value) {
    check_provider(Provider::Gemini, rule, control, broken);
}

fn user(parts: Value) -> Value {
    json!({ "role": "user", "parts": parts })
}

fn model(parts: Value) -> Value {
    json!({ "role": "model", "parts": parts })
}

fn hi() -> Value {
    user(json!([{ "text": "hi" }]))
}

fn call(name: &str) -> Value {
    json!({ "functionCall": { "name": name, "args": {} } })
}

fn signed(name: &str) -> Value {
    json!({ "functionCall": { "name": name, "args": {} }, "thoughtSignature": "c2ln" })
}

fn response(name: &str) -> Value {
    json!({ "functionResponse": { "name": name, "response": { "output": "found" } } })
}

/// Question, these parts of the model, these of the user.
fn exchange(model_parts: Value, user_parts: Value) -> Value {
    json!([hi(), model(model_parts), user(user_parts)])
}

#[test]
fn shape() {
    check(Rule::Shape, json!([hi()]), json!({ "contents": 7 }));
    check(Rule::Shape, json!([hi()]), json!([user(json!([{}]))]));
    check(Rule::Shape, json!([hi()]), json!([user(json!([{ "text": "a", "inlineData": {} }]))]));
    let control = exchange(json!([call("find")]), json!([response("find")]));
    let bare = json!({ "functionResponse": { "name": "find", "response": "found" } });
    check(Rule::Shape, control, exchange(json!([call("find")]), json!([bare])));
}

#[test]
fn no_messages() {
    check(Rule::NoMessages, json!([hi()]), json!({ "contents": [] }));
}

#[test]
fn role() {
    check(
        Rule::Role,
        json!([hi(), model(json!([{ "text": "a" }]))]),
        json!([{ "role": "assistant", "parts": [{ "text": "a" }] }]),
    );
}

#[test]
fn first_role() {
    check(
        Rule::FirstRole,
        json!([hi(), model(json!([{ "text": "a" }]))]),
        json!([model(json!([{ "text": "a" }]))]),
    );
}

#[test]
fn empty_content() {
    check(Rule::EmptyContent, json!([hi()]), json!([hi(), user(json!([]))]));
}

#[test]
fn empty_text_is_allowed_only_with_a_signature() {
    let says = |part: Value| exchange(json!([part]), json!([{ "text": "go on" }]));
    check(
        Rule::EmptyText,
        says(json!({ "text": "", "thoughtSignature": "c2ln" })),
        says(json!({ "text": "" })),
    );
}

#[test]
fn block_place() {
    let control = exchange(json!([call("find")]), json!([response("find")]));
    let rules: Vec<Rule> =
        validate(&json!([user(json!([call("find")]))])).iter().map(|refusal| refusal.rule).collect();
    assert_eq!(validate(&control), []);
    assert!(rules.contains(&Rule::BlockPlace), "{rules:?}");
}

#[test]
fn tool_name() {
    let named = |name: &str| exchange(json!([call(name)]), json!([response(name)]));
    check(Rule::ToolName, named("kb__find"), named("kb/find"));
}

#[test]
fn call_arguments() {
    let given = |args: Value| {
        exchange(json!([{ "functionCall": { "name": "find", "args": args } }]), json!([response("find")]))
    };
    check(Rule::CallArguments, given(json!({ "q": 1 })), given(json!("{\"q\":1}")));
}

#[test]
fn dangling_call() {
    let calls = json!([call("find"), call("get")]);
    let control = exchange(calls.clone(), json!([response("get"), response("find")]));
    check(Rule::DanglingCall, control.clone(), exchange(calls.clone(), json!([response("find")])));
    check(Rule::DanglingCall, control, json!([hi(), model(calls)]));
}

#[test]
fn orphan_result() {
    let control = exchange(json!([call("find")]), json!([response("find")]));
    check(Rule::OrphanResult, control, exchange(json!([{ "text": "a" }]), json!([response("find")])));
}

#[test]
fn call_turn() {
    let (calls, found) = (model(json!([call("find")])), user(json!([response("find")])));
    let control = json!([hi(), model(json!([{ "text": "so" }, call("find")])), found]);
    check(Rule::CallTurn, control, json!([hi(), model(json!([{ "text": "so" }])), calls, found]));
}

#[test]
fn response_turn() {
    let control = json!([hi(), model(json!([call("find")])), user(json!([response("find")])), hi()]);
    let mixed = exchange(json!([call("find")]), json!([response("find"), { "text": "wait" }]));
    check(Rule::ResponseTurn, control.clone(), mixed);
    check(Rule::ResponseTurn, control, exchange(json!([call("find")]), json!([response("get")])));
}

#[test]
fn thought_signature_is_asked_of_the_first_call_of_each_step_of_the_current_turn() {
    let steps = |second: Value| {
        json!([
            hi(),
            model(json!([signed("find"), call("get")])),
            user(json!([response("find"), response("get")])),
            model(json!([second])),
            user(json!([response("get")])),
        ])
    };
    check(Rule::ThoughtSignature, steps(signed("get")), steps(call("get")));
    let mut over = steps(call("get"));
    over.as_array_mut().unwrap().push(hi());
    assert_eq!(validate(&over), []);
}
