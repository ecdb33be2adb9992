//! Results that become inputs: each reference that is refused, beside one that is accepted.

use provost_contract::action::Prompt;
use provost_protocol::{AssistantMessage, Code, Refused, Speaking, Turn, accept, check_in};
use serde_json::{Value, json};

use super::world::{accepted, call, catalog, direct, fenced, graph, read, refused, say};

/// Action `b` depends on `a`, `c` on `b`, `d` on nothing; `c` has this input and these fields.
fn with_input(input: Value, more: Value) -> Value {
    let mut last = read("c", more);
    last["depends_on"] = json!(["b"]);
    last["input"] = input;
    graph(json!([
        read("a", json!({})),
        read("b", json!({ "depends_on": ["a"] })),
        last,
        read("d", json!({}))
    ]))
}

fn path(reference: &str) -> Value {
    json!({ "path": { "$ref": reference } })
}

fn pointer(refused: &Refused) -> Option<&str> {
    refused.findings[0].place.pointer.as_deref()
}

#[test]
fn a_reference_names_what_exists_when_the_action_starts() {
    let each = json!({ "for_each": { "in": "action:a.output#/files", "max": 3 } });
    for (reference, more, code) in [
        ("action:b.output", json!({}), None),
        ("action:a.output#/files/0", json!({}), None),
        ("action:a.summary", json!({}), None),
        ("artifact:a#/x", json!({}), None),
        ("input:user.goal", json!({}), None),
        ("runtime://runs/r1/actions/a/output#/x", json!({}), None),
        ("artifact://r1/a", json!({}), None),
        ("item", each.clone(), None),
        ("item#/name", each.clone(), None),
        ("item", json!({}), Some(Code::UnresolvedReference)),
        ("action:d.output", json!({}), Some(Code::UnresolvedReference)),
        ("action:c.output", json!({}), Some(Code::UnresolvedReference)),
        ("action:nothing.output", json!({}), Some(Code::UnresolvedReference)),
        ("action:a.stdout", json!({}), Some(Code::UnresolvedReference)),
        ("artifact:d", json!({}), Some(Code::UnresolvedReference)),
        ("artifact:source/index", json!({}), Some(Code::UnresolvedReference)),
        ("md:nowhere", json!({}), Some(Code::UnresolvedReference)),
        ("file:a", json!({}), Some(Code::UnresolvedReference)),
        ("action:a.output#files", json!({}), Some(Code::InvalidSchema)),
        ("action:a.output#/a~3", json!({}), Some(Code::InvalidSchema)),
    ] {
        let read = call(with_input(path(reference), more));
        match (code, read) {
            (None, read) => {
                let content = accepted(read);
                assert_eq!(content.actions()[2].input["path"]["$ref"], reference);
            }
            (Some(code), Ok(_)) => panic!("{reference} is accepted instead of {code:?}"),
            (Some(code), Err(refusal)) => {
                assert_eq!(refusal.code, code, "{reference}: {}", refusal.message);
                assert_eq!(pointer(&refusal), Some("/payload/actions/2/input/path"), "{reference}");
                assert!(refusal.findings[0].hint.is_some(), "{reference}");
            }
        }
    }
}

#[test]
fn a_reference_stands_alone_and_is_a_text() {
    for wrong in [
        json!({ "path": { "$ref": "action:a.output", "default": 1 } }),
        json!({ "path": { "$ref": 1 } }),
        json!({ "path": { "$ref": null } }),
        json!({ "path": { "$literal": "x", "more": 1 } }),
        json!({ "path": { "$literal": "x", "$ref": "action:a.output" } }),
    ] {
        refused(call(with_input(wrong, json!({}))), Code::InvalidSchema);
    }
    accepted(call(with_input(json!({ "path": { "$ref": "action:a.output" } }), json!({}))));
    let literal = json!({ "path": { "$literal": "x" } });
    assert_eq!(
        accepted(call(with_input(literal.clone(), json!({})))).actions()[2].input,
        *literal.as_object().unwrap()
    );
}

#[test]
fn results_of_earlier_runs_are_named_as_dependencies() {
    let mut turn = Turn::new(Speaking::Protocol, catalog());
    turn.completed.insert("before".to_owned());
    let declared = |depends: Value| {
        let more = json!({ "depends_on": depends, "input": path("action:before.output") });
        AssistantMessage::of_carrier_call(graph(json!([read("a", more)])))
    };
    refused(accept(&declared(json!([])), &turn), Code::UnresolvedReference);
    accepted(accept(&declared(json!(["before"])), &turn));
    let checked =
        check_in(&graph(json!([read("a", json!({ "depends_on": ["before"] }))])).to_string(), &turn);
    assert_eq!(checked.findings, []);
}

#[test]
fn a_section_becomes_its_text() {
    let message = |input: Value, body: &str| {
        say(&format!("{}\n# spec\n\n{body}", fenced(&graph(json!([read("a", json!({ "input": input }))])))))
    };
    let content = accepted(message(path("md:Spec"), "A path."));
    assert_eq!(content.actions()[0].input["path"], "A path.");
    refused(message(path("md:spec"), ""), Code::UnresolvedReference);
    refused(message(path("md:spec#/a"), "A path."), Code::UnresolvedReference);
    refused(message(json!({ "$ref": "md:spec" }), "A path."), Code::InvalidSchema);
    // The text is known now, so it is checked now.
    let counted = json!({ "path": "a", "count": { "$ref": "md:spec" } });
    refused(message(counted, "A path."), Code::InvalidArguments);
    let escaped = json!({ "path": { "$literal": "md:spec" } });
    assert_eq!(accepted(message(escaped, "A path.")).actions()[0].input["path"]["$literal"], "md:spec");
}

#[test]
fn expanded_sections_have_one_limit_with_prompts() {
    let section = "x".repeat(100_000);
    let with = |times: usize| {
        let actions = (0..times).map(|at| read(&format!("n{at}"), json!({ "input": path("md:big") })));
        say(&format!("{}\n# big\n\n{section}", fenced(&graph(actions.collect()))))
    };
    assert!(with(40).is_ok());
    refused(with(50), Code::LimitExceeded);
}

#[test]
fn arguments_are_checked_as_far_as_they_are_known() {
    for (input, fits) in [
        (json!({ "path": { "$ref": "action:a.output" } }), true),
        (json!({ "path": "x", "count": { "$ref": "action:a.output#/n" } }), true),
        (json!({ "$ref": "action:a.output" }), true),
        (json!({ "$literal": { "path": "x" } }), true),
        (json!({ "count": { "$ref": "action:a.output" } }), false),
        (json!({ "path": { "$ref": "action:a.output" }, "paht": 1 }), false),
        (json!({ "path": { "$ref": "action:a.output" }, "count": 0 }), false),
        (json!({ "path": [{ "$ref": "action:a.output" }] }), false),
        (json!({ "path": { "$literal": 7 } }), false),
        (json!({ "$literal": { "count": 1 } }), false),
    ] {
        let read = call(with_input(input.clone(), json!({})));
        match fits {
            true => drop(accepted(read)),
            false => refused(read, Code::InvalidArguments),
        }
    }
    let entry = catalog().tool("fs_read").unwrap();
    let faults = |arguments: Value| entry.argument_faults(arguments.as_object().unwrap()).len();
    assert_eq!((faults(json!({ "path": "x" })), faults(json!({ "path": { "$ref": "item" } }))), (0, 1));
}

#[test]
fn the_flat_form_has_references_and_no_items() {
    let second = |args: Value, depends: Value| {
        call(json!({ "kind": "act", "calls": [
            { "id": "a", "type": "tool", "name": "fs_read", "args": { "path": "a" } },
            { "id": "b", "type": "tool", "name": "fs_read", "args": args, "depends": depends },
        ] }))
    };
    accepted(second(path("action:a.output"), json!(["a"])));
    refused(second(path("item"), json!(["a"])), Code::UnresolvedReference);
    let refusal = second(path("action:a.output"), json!([])).unwrap_err();
    assert_eq!((refusal.code, pointer(&refusal)), (Code::UnresolvedReference, Some("/calls/1/args/path")));
    assert_eq!(refusal.findings[0].hint.as_deref(), Some("add a to depends, or take the reference away"));
    let each = json!({ "id": "a", "type": "tool", "name": "clock", "for_each": { "in": "action:x.output", "max": 1 } });
    refused(call(json!({ "kind": "act", "calls": [each] })), Code::InvalidSchema);
}

#[test]
fn the_task_of_an_agent_may_be_a_result_or_a_section() {
    let delegate = |args: Value, text: &str| {
        let calls = json!([
            { "id": "a", "type": "tool", "name": "clock" },
            { "id": "b", "type": "agent", "name": "reader", "args": args, "depends": ["a"], "title": "Read" },
        ]);
        let mut message = AssistantMessage::of_carrier_call(json!({ "kind": "act", "calls": calls }));
        message.text = text.to_owned();
        accept(&message, &Turn::new(Speaking::Protocol, catalog()))
    };
    let prompt = |args: Value| accepted(delegate(args, "# task\n\nReview it.")).actions()[1].prompt.clone();
    assert_eq!(prompt(json!({ "prompt": { "$ref": "md:task" } })), Some(Prompt::inline("Review it.")));
    assert_eq!(prompt(json!({ "prompt": { "$ref": "action:a.output" } })), None);
    assert_eq!(prompt(json!({ "prompt": " ", "task": { "$ref": "action:a.output" } })), None);
    assert_eq!(
        prompt(json!({ "prompt": "Go.", "x": { "$ref": "action:a.output" } })),
        Some(Prompt::inline("Go."))
    );
    assert_eq!(prompt(json!({ "prompt": {} })), Some(Prompt::inline("Read")));
}

#[test]
fn a_loop_over_a_list_is_bounded_and_waits_for_the_list() {
    let each = |for_each: Value| {
        call(with_input(json!({ "path": { "$ref": "item" } }), json!({ "for_each": for_each })))
    };
    let content = accepted(each(json!({ "in": "action:a.output#/files", "max": 64 })));
    let wire = content.actions()[2].to_value();
    assert_eq!(wire["for_each"], json!({ "in": "action:a.output#/files", "max": 64 }));
    assert!(content.actions()[0].to_value().get("for_each").is_none());
    for (wrong, code, place) in [
        (json!({ "in": "action:a.output" }), Code::InvalidSchema, "/for_each/max"),
        (json!({ "in": "action:a.output", "max": 65 }), Code::InvalidSchema, "/for_each/max"),
        (json!({ "in": "action:a.output", "max": 1, "x": 1 }), Code::InvalidSchema, "/for_each/x"),
        (json!({ "in": { "$ref": "action:a.output" }, "max": 1 }), Code::InvalidSchema, "/for_each/in"),
        (json!({ "in": "item", "max": 1 }), Code::UnresolvedReference, "/for_each/in"),
        (json!({ "in": "action:d.output", "max": 1 }), Code::UnresolvedReference, "/for_each/in"),
        (json!({ "in": "md:spec", "max": 1 }), Code::UnresolvedReference, "/for_each/in"),
    ] {
        let refusal = each(wrong.clone()).unwrap_err();
        let place = format!("/payload/actions/2{place}");
        assert_eq!((refusal.code, pointer(&refusal)), (code, Some(place.as_str())), "{wrong}");
        assert_eq!(refusal.findings.len(), 1, "a second finding about item: {}", refusal.message);
    }
    let twice = json!({ "for_each": { "in": "action:a.output", "max": 1 }, "repeat": { "max": 2 } });
    refused(call(with_input(json!({ "path": "a" }), twice)), Code::InvalidSchema);
}

#[test]
fn a_call_outside_the_protocol_and_a_range_hold_values_only() {
    refused(direct("clock", json!({ "a": { "$ref": "action:a.output" } })), Code::UnsafeRecovery);
    refused(
        direct("task", json!({ "agent": "reader", "prompt": "x", "a": { "$literal": 1 } })),
        Code::UnsafeRecovery,
    );
    accepted(direct("clock", json!({ "a": { "ref": "action:a.output" } })));
    let expand = |range: Value| {
        let mut declaration = graph(json!([]));
        declaration["intent"] = json!("expand_ref");
        declaration["payload"] = json!({ "refs": [{ "ref": "runtime://r", "range": range }] });
        call(declaration)
    };
    refused(expand(json!({ "pointer": { "$ref": "input:user.goal" } })), Code::InvalidSchema);
    accepted(expand(json!({ "pointer": "/a" })));
}
