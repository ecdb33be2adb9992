use serde_json::{Value, json};

use super::validate;
use crate::provider::refusal_tests::check as check_provider;
use crate::provider::{Provider, Rule};

#[track_caller]
fn check(rule: Rule, control: Value, broken: Value) {
    check_provider(Provider::Anthropic, rule, control, broken);
}

/// A list of messages, each a role and its content.
fn talk(messages: &[(&str, Value)]) -> Value {
    messages.iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn call(id: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": "kb__find", "input": {} })
}

fn result(id: &str) -> Value {
    json!({ "type": "tool_result", "tool_use_id": id, "content": "found" })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn thinking() -> Value {
    json!({ "type": "thinking", "thinking": "hm", "signature": "c2ln" })
}

fn search(id: &str) -> [Value; 2] {
    [
        json!({ "type": "server_tool_use", "id": id, "name": "web_search", "input": {} }),
        json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": [] }),
    ]
}

/// Question, these blocks of the assistant, these of the user.
fn exchange(assistant: Value, user: Value) -> Value {
    talk(&[("user", json!("hi")), ("assistant", assistant), ("user", user)])
}

#[test]
fn shape() {
    let control = exchange(json!([text("a")]), json!([text("b")]));
    check(Rule::Shape, control.clone(), exchange(json!([{ "text": "a" }]), json!("b")));
    check(Rule::Shape, control.clone(), exchange(json!(7), json!("b")));
    check(Rule::Shape, control, json!({ "messages": "hi" }));
}

#[test]
fn no_messages() {
    check(Rule::NoMessages, talk(&[("user", json!("hi"))]), json!([]));
}

#[test]
fn role() {
    let control = json!({ "system": "be brief", "messages": [{ "role": "user", "content": "hi" }] });
    check(Rule::Role, control, talk(&[("system", json!("be brief")), ("user", json!("hi"))]));
}

#[test]
fn first_role() {
    let greeting = talk(&[("assistant", json!("hello")), ("user", json!("hi"))]);
    check(Rule::FirstRole, talk(&[("user", json!("hi")), ("assistant", json!("hello"))]), greeting);
}

#[test]
fn empty_content_is_refused_except_in_a_last_message_of_the_assistant() {
    let last = talk(&[("user", json!("hi")), ("assistant", json!([]))]);
    check(Rule::EmptyContent, last, exchange(json!([]), json!("go on")));
}

#[test]
fn empty_text() {
    let control = exchange(json!([text("a")]), json!([text("b")]));
    check(Rule::EmptyText, control.clone(), exchange(json!([text(" \n")]), json!("b")));
    let system = json!({ "system": [text("")], "messages": [{ "role": "user", "content": "hi" }] });
    check(Rule::EmptyText, control, system);
}

#[test]
fn trailing_whitespace_counts_only_at_the_end_of_the_last_message() {
    let control = exchange(json!("a "), json!("b "));
    check(Rule::TrailingWhitespace, control, talk(&[("user", json!("hi")), ("assistant", json!("a "))]));
}

#[test]
fn block_place() {
    let control = exchange(json!([call("a")]), json!([result("a")]));
    let image = json!({ "type": "image", "source": { "type": "url", "url": "https://example.org/a.png" } });
    check(Rule::BlockPlace, control, exchange(json!([image.clone()]), json!([image])));
}

#[test]
fn call_id() {
    let control = exchange(json!([call("toolu_1-a")]), json!([result("toolu_1-a")]));
    check(Rule::CallId, control, exchange(json!([call("call:1")]), json!([result("call:1")])));
}

#[test]
fn duplicate_call_id() {
    let twice = |second: &str| {
        talk(&[
            ("user", json!("hi")),
            ("assistant", json!([call("a")])),
            ("user", json!([result("a")])),
            ("assistant", json!([call(second)])),
            ("user", json!([result(second)])),
        ])
    };
    check(Rule::DuplicateCallId, twice("b"), twice("a"));
}

#[test]
fn tool_name() {
    let mut broken = call("a");
    broken["name"] = json!("kb/find");
    let control = exchange(json!([call("a")]), json!([result("a")]));
    check(Rule::ToolName, control, exchange(json!([broken]), json!([result("a")])));
}

#[test]
fn call_arguments() {
    let mut broken = call("a");
    broken["input"] = json!("{\"q\"");
    let control = exchange(json!([call("a")]), json!([result("a")]));
    check(Rule::CallArguments, control, exchange(json!([broken]), json!([result("a")])));
}

#[test]
fn dangling_call() {
    let calls = json!([call("a"), call("b")]);
    let control = exchange(calls.clone(), json!([result("b"), result("a")]));
    check(Rule::DanglingCall, control.clone(), exchange(calls.clone(), json!([result("a")])));
    check(Rule::DanglingCall, control, talk(&[("user", json!("hi")), ("assistant", calls)]));
}

#[test]
fn neighbouring_messages_of_one_role_are_one_turn() {
    let split = talk(&[
        ("user", json!("hi")),
        ("assistant", json!([text("one")])),
        ("assistant", json!([call("a"), call("b")])),
        ("user", json!([result("a")])),
        ("user", json!([result("b"), text("and?")])),
    ]);
    assert_eq!(validate(&split), []);
}

#[test]
fn orphan_result() {
    let control = exchange(json!([call("a")]), json!([result("a")]));
    check(Rule::OrphanResult, control.clone(), exchange(json!("said"), json!([result("a")])));
    check(Rule::OrphanResult, control, talk(&[("user", json!([result("a")]))]));
}

#[test]
fn duplicate_result() {
    let control = exchange(json!([call("a")]), json!([result("a")]));
    check(Rule::DuplicateResult, control, exchange(json!([call("a")]), json!([result("a"), result("a")])));
}

#[test]
fn results_first() {
    let control = exchange(json!([call("a")]), json!([result("a"), text("wait")]));
    check(Rule::ResultsFirst, control, exchange(json!([call("a")]), json!([text("wait"), result("a")])));
}

#[test]
fn thinking_signature() {
    let answer = |thinks: Value| exchange(json!([thinks, text("a")]), json!("b"));
    let cut = json!({ "type": "thinking", "thinking": "hm", "signature": "" });
    check(Rule::ThinkingSignature, answer(thinking()), answer(cut));
    let redacted = json!({ "type": "redacted_thinking", "data": "eA==" });
    check(Rule::ThinkingSignature, answer(redacted), answer(json!({ "type": "redacted_thinking" })));
}

#[test]
fn thinking_place() {
    let control = exchange(json!([thinking(), text("a")]), json!("b"));
    check(Rule::ThinkingPlace, control.clone(), exchange(json!([text("a"), thinking()]), json!("b")));
    check(Rule::ThinkingPlace, control, exchange(json!("a"), json!([thinking(), text("b")])));
}

#[test]
fn thinking_first_is_asked_only_where_thinking_is_on_and_a_call_is_open() {
    let body = |first: Value, thinking: &str| {
        let messages = exchange(json!([first, call("a")]), json!([result("a")]));
        json!({ "thinking": { "type": thinking }, "messages": messages })
    };
    check(Rule::ThinkingFirst, body(thinking(), "enabled"), body(text("so"), "enabled"));
    assert_eq!(validate(&body(text("so"), "disabled")), []);
}

#[test]
fn server_tools_need_their_partner() {
    let [uses, found] = search("srvtoolu_1");
    let control = exchange(json!([uses.clone(), found.clone(), text("a")]), json!("b"));
    check(Rule::ServerTool, control.clone(), exchange(json!([uses.clone(), text("a")]), json!("b")));
    check(Rule::ServerTool, control, exchange(json!([found]), json!("b")));
    let paused = talk(&[("user", json!("hi")), ("assistant", json!([uses]))]);
    assert_eq!(validate(&paused), []);
}

#[test]
fn a_server_tool_that_called_a_tool_of_ours_is_still_running() {
    let [uses, _] = search("srvtoolu_1");
    let mut called = call("a");
    called["caller"] = json!({ "type": "code_execution_20250825", "tool_id": "srvtoolu_1" });
    assert_eq!(validate(&exchange(json!([uses, called]), json!([result("a")]))), []);
}

#[test]
fn server_tools_stand_before_calls() {
    let [uses, found] = search("srvtoolu_1");
    let control = exchange(json!([uses.clone(), found.clone(), call("a")]), json!([result("a")]));
    check(Rule::ServerTool, control, exchange(json!([call("a"), uses, found]), json!([result("a")])));
}
