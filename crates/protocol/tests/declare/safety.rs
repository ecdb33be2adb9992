//! What a runtime must enforce before anything runs: each rule refused, and beside it the control that
//! differs in that rule alone.

use provost_protocol::{
    AssistantMessage, CARRIER_TOOL, Carrier, Code, Content, Finish, NativeCall, Speaking, Turn, accept,
};
use serde_json::{Value, json};

use super::world::{accepted, call, catalog, direct, fenced, graph, read, refused, say};

fn one_read() -> Value {
    graph(json!([read("a", json!({}))]))
}

fn flat_read() -> Value {
    json!({ "kind": "act", "calls": [{ "id": "a", "type": "tool", "name": "fs_read", "args": { "path": "a" } }] })
}

#[test]
fn only_an_enabled_agent_declares() {
    let mut turn = Turn::new(Speaking::Protocol, catalog());
    for message in [
        AssistantMessage::of_text(fenced(&one_read())),
        AssistantMessage::of_carrier_call(flat_read()),
        AssistantMessage {
            calls: vec![NativeCall { name: "fs_read".into(), arguments: json!({ "path": "a" }) }],
            ..AssistantMessage::default()
        },
    ] {
        turn.speaking = Speaking::Plain;
        assert_eq!(accepted(accept(&message, &turn)), Content::Plain);
        turn.speaking = Speaking::Protocol;
        assert_eq!(accepted(accept(&message, &turn)).actions().len(), 1);
    }
}

#[test]
fn only_a_finished_message_is_read() {
    let mut message = AssistantMessage::of_carrier_call(flat_read());
    message.finish = Finish::CutByLength;
    refused(accept(&message, &Turn::new(Speaking::Protocol, catalog())), Code::IncompleteOutput);
    message.finish = Finish::Complete;
    accepted(accept(&message, &Turn::new(Speaking::Protocol, catalog())));

    let whole = fenced(&one_read());
    refused(say(whole.trim_end().trim_end_matches('`')), Code::IncompleteOutput);
    accepted(say(&whole));
}

#[test]
fn only_a_marked_block_of_the_protocol_type_is_a_declaration() {
    let block = fenced(&one_read());
    assert_eq!(accepted(say(&block.replace(" agent-protocol", ""))), Content::Plain);
    refused(say(&block.replace("\"agent.protocol\"", "\"agent.workflow\"")), Code::WrongType);
    refused(say(&one_read().to_string()), Code::CarrierMissing);
    refused(say(&format!("{CARRIER_TOOL}({})", flat_read())), Code::CarrierMissing);
    assert_eq!(accepted(say(&block)).actions().len(), 1);
}

#[test]
fn exactly_one_declaration_by_exactly_one_carrier() {
    let block = fenced(&one_read());
    refused(say(&format!("{block}\n{block}")), Code::MultipleDeclarations);
    let twice = || AssistantMessage::of_carrier_call(flat_read()).calls.into_iter();
    let message = |calls: Vec<NativeCall>, text: &str| AssistantMessage {
        calls,
        text: text.to_owned(),
        ..AssistantMessage::default()
    };
    let other = NativeCall { name: "fs_read".into(), arguments: json!({ "path": "a" }) };
    let turn = Turn::new(Speaking::Protocol, catalog());
    refused(accept(&message(twice().chain(twice()).collect(), ""), &turn), Code::MultipleDeclarations);
    refused(accept(&message(twice().chain([other.clone()]).collect(), ""), &turn), Code::AmbiguousCarrier);
    refused(accept(&message(vec![other], &block), &turn), Code::AmbiguousCarrier);
    accepted(accept(&message(twice().collect(), ""), &turn));
}

#[test]
fn the_schema_is_checked_before_anything_else_happens() {
    refused(call(graph(json!([read("a", json!({ "depend_on": ["b"] }))]))), Code::InvalidSchema);
    refused(call(graph(json!([read("a", json!({ "input": { "path": 7 } }))]))), Code::InvalidArguments);
    refused(call(graph(json!([read("a", json!({ "input": {} }))]))), Code::InvalidArguments);
    accepted(call(one_read()));
}

#[test]
fn a_declaration_is_accepted_whole_or_not_at_all() {
    let good = read("a", json!({}));
    let bad = json!({ "type": "action", "id": "b", "executor": { "type": "tool", "target": "fs_raed" } });
    let refusal = call(graph(json!([good, bad]))).unwrap_err();
    assert_eq!(refusal.code, Code::UnknownTool);
    assert!(refusal.message.contains("did you mean fs_read?"), "{}", refusal.message);
    assert_eq!(accepted(call(graph(json!([good])))).actions().len(), 1);
}

#[test]
fn a_plan_can_be_shown_and_has_nothing_to_execute() {
    let mut declared = one_read();
    assert_eq!(accepted(call(declared.clone())).actions().len(), 1);
    declared["intent"] = json!("plan");
    let read = call(declared).unwrap();
    assert!(read.content.actions().is_empty());
    let Content::Plan(preview) = &read.content else { panic!("{:?}", read.content) };
    assert_eq!(Value::from(preview.to_values()), read.to_value()["actions"]);
    assert_eq!(preview.len(), 1);
}

#[test]
fn who_is_not_in_the_catalog_of_the_turn_cannot_be_asked() {
    let asked = |executor: Value| call(graph(json!([{ "type": "action", "id": "a", "executor": executor }])));
    refused(asked(json!({ "type": "agent", "target": "janitor" })), Code::UnknownAgent);
    refused(asked(json!({ "type": "agent", "target": "fs_read" })), Code::UnknownAgent);
    refused(asked(json!({ "type": "service", "target": "crm" })), Code::UnresolvedExecutor);
    refused(asked(json!({ "type": "service", "target": "auto" })), Code::UnresolvedExecutor);
    refused(asked(json!({ "type": "tool", "target": "auto" })), Code::UnresolvedExecutor);
    refused(asked(json!({ "type": "auto", "target": "reader" })), Code::InvalidSchema);
    accepted(asked(json!({ "type": "agent", "target": "reader" })));
    accepted(asked(json!({ "type": "human", "target": "auto" })));
    accepted(asked(json!({ "type": "tool", "target": "auto", "capabilities": ["filesystem"] })));
}

#[test]
fn a_direct_call_is_recovered_only_when_it_can_only_look() {
    let path = json!({ "path": "a" });
    refused(direct("fs_write", path.clone()), Code::UnsafeRecovery);
    refused(direct("shell", json!({})), Code::UnsafeRecovery);
    refused(direct("probe", json!({})), Code::UnsafeRecovery);
    refused(direct("secret", json!({})), Code::UnsafeRecovery);
    refused(direct("fs_read", json!({ "path": 1 })), Code::InvalidArguments);
    refused(direct("fs_read", json!("{\"path\": ")), Code::InvalidJson);
    refused(direct("fs_read", json!("")), Code::InvalidJson);
    refused(direct("fs_raed", path.clone()), Code::UnknownTool);
    assert_eq!(accepted(direct("fs_read", path)).actions().len(), 1);
    assert_eq!(accepted(direct("clock", json!("{}"))).actions().len(), 1);
}

#[test]
fn arguments_that_do_not_parse_never_become_none() {
    for broken in ["", "{", "null", "[]", "{\"a\":1,\"a\":2}"] {
        assert!(direct("clock", json!(broken)).is_err(), "{broken:?}");
    }
    assert!(direct("clock", Value::Null).is_err());
    assert!(direct("clock", json!({})).is_ok());
}

#[test]
fn recovery_is_visible_and_plain_speech_is_not_a_recovery() {
    let recovered = direct("clock", json!({})).unwrap();
    assert!(recovered.recovered());
    assert_eq!(recovered.violations.len(), 1);
    let declared =
        call(json!({ "kind": "act", "calls": [{ "id": "a", "type": "tool", "name": "clock" }] })).unwrap();
    assert!(!declared.recovered());
    assert_eq!(declared.violations, []);
}

#[test]
fn private_reasoning_is_never_a_carrier() {
    let block = fenced(&one_read());
    for private in [format!("<think>{block}</think>Fine."), format!("{block}</think>Fine.")] {
        let read = say(&private).unwrap();
        assert_eq!((read.carrier, read.message.as_deref()), (Carrier::None, Some("Fine.")));
    }
    refused(say(&format!("<think>{block}")), Code::EmptyOutput);
    accepted(say(&format!("<think>hm</think>{block}")));
}

#[test]
fn a_wish_for_the_result_cannot_ask_for_more_than_the_words_allow() {
    let wish = |policy: Value| call(graph(json!([read("a", json!({ "result_policy": policy }))])));
    refused(wish(json!({ "return_to_model": "full", "ignore_privacy": true })), Code::InvalidSchema);
    refused(wish(json!({ "return_to_model": "everything" })), Code::InvalidSchema);
    refused(wish(json!({ "return_to_model": "full", "max_tokens": 0 })), Code::InvalidSchema);
    accepted(wish(json!({ "return_to_model": "full", "max_tokens": 1 })));
}

#[test]
fn what_must_survive_says_so_and_cannot_say_both() {
    let with = |more: Value| {
        let mut declaration = one_read();
        for (key, value) in more.as_object().unwrap() {
            declaration[key] = value.clone();
        }
        call(declaration)
    };
    refused(with(json!({ "persist": false, "execution": { "mode": "durable" } })), Code::InvalidSchema);
    refused(with(json!({ "persist": true, "execution": { "mode": "ephemeral" } })), Code::InvalidSchema);
    refused(with(json!({ "execution": { "max_parallel": 64 } })), Code::InvalidSchema);
    let read = with(json!({ "persist": true, "execution": { "mode": "durable" } })).unwrap();
    assert!(read.content.actions().iter().all(|action| action.persist));
}

#[test]
fn there_is_no_scripting_language_and_no_endless_loop() {
    let with = |more: Value| call(graph(json!([read("a", json!({})), read("b", more)])));
    refused(with(json!({ "script": "rm -rf /" })), Code::InvalidSchema);
    refused(with(json!({ "when": "a.status == 'failed'" })), Code::InvalidSchema);
    refused(with(json!({ "when": { "action": "a", "status": "failed" } })), Code::UnknownDependency);
    refused(with(json!({ "repeat": { "max": 21 } })), Code::InvalidSchema);
    refused(with(json!({ "repeat": {} })), Code::InvalidSchema);
    refused(
        with(json!({ "repeat": { "max": 2, "until": { "field": "/a", "equals": [1] } } })),
        Code::InvalidSchema,
    );
    accepted(with(json!({
        "depends_on": ["a"],
        "when": { "action": "a", "status": "failed" },
        "repeat": { "max": 20, "until": { "field": "/a", "equals": 1 } },
    })));
}

#[test]
fn a_graph_that_cannot_end_is_refused() {
    let two = |first: Value, second: Value| call(graph(json!([read("a", first), read("b", second)])));
    refused(two(json!({ "depends_on": ["b"] }), json!({ "depends_on": ["a"] })), Code::DependencyCycle);
    refused(two(json!({ "depends_on": ["a"] }), json!({})), Code::DependencyCycle);
    refused(two(json!({ "depends_on": ["c"] }), json!({})), Code::UnknownDependency);
    refused(call(graph(json!([read("a", json!({})), read("a", json!({}))]))), Code::DuplicateId);
    accepted(two(json!({ "depends_on": ["b"] }), json!({})));
}

#[test]
fn a_reference_must_be_able_to_exist_when_the_action_starts() {
    let with = |refs: Value, depends: Value| {
        call(graph(json!([
            read("a", json!({})),
            read("b", json!({ "context_refs": refs, "depends_on": depends }))
        ])))
    };
    refused(with(json!(["action:a.output"]), json!([])), Code::UnresolvedReference);
    refused(with(json!(["action:b.output"]), json!(["a"])), Code::UnresolvedReference);
    refused(with(json!(["md:nowhere"]), json!([])), Code::UnresolvedReference);
    refused(with(json!(["file:///etc/passwd"]), json!([])), Code::UnresolvedReference);
    accepted(with(json!(["action:a.output"]), json!(["a"])));
}

#[test]
fn a_section_that_was_cut_is_not_a_task() {
    let task = |body: &str| {
        say(&format!(
            "{}\n# task\n\n{body}",
            fenced(&graph(json!([read("a", json!({ "prompt_ref": "md:task" }))])))
        ))
    };
    refused(task("Copy this:\n```\nfn main"), Code::IncompleteOutput);
    refused(task(""), Code::UnresolvedReference);
    accepted(task("Copy this:\n```\nfn main\n```"));
}

#[test]
fn a_report_is_made_from_what_is_known() {
    let report = |refs: Value| {
        let payload = json!({
            "type": "final_report_spec",
            "sections": [{ "id": "s", "title": "S", "refs": refs }],
        });
        let mut turn = Turn::new(Speaking::Protocol, catalog());
        turn.completed.insert("done_before".to_owned());
        let declaration =
            json!({ "type": "agent.protocol", "version": "1", "intent": "report", "payload": payload });
        accept(&AssistantMessage::of_carrier_call(declaration), &turn)
    };
    refused(report(json!(["action:never.summary"])), Code::UnresolvedReference);
    refused(report(json!(["md:nowhere"])), Code::UnresolvedReference);
    refused(report(json!([])), Code::InvalidSchema);
    let Content::Report(spec) = accepted(report(json!(["action:done_before.summary", "input:user.goal"])))
    else {
        panic!("a report is a report");
    };
    assert_eq!(spec.sections[0].refs.len(), 2);
}

#[test]
fn one_retry_by_default_and_none_after_it() {
    let mut turn = Turn::new(Speaking::Protocol, catalog());
    let empty = AssistantMessage::of_text("");
    for (attempt, retries_max, retry) in [(1, 1, true), (2, 1, false), (1, 0, false), (2, 2, true)] {
        (turn.attempt, turn.retries_max) = (attempt, retries_max);
        assert_eq!(accept(&empty, &turn).unwrap_err().retry, retry, "attempt {attempt} of {retries_max}");
    }
}
