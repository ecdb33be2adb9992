//! What the policies of the layers refuse in a declaration, and what a declaration can do at most.

use provost_contract::policies::{ConflictResolution, Layer, Policies};
use provost_protocol::{
    Accepted, AssistantMessage, Catalog, Code, Refused, Speaking, Turn, accept, merged_policies, price,
};
use serde_json::{Value, json};

use super::world::{accepted, call, catalog, graph, read, refused};

fn policies(value: Value) -> Policies {
    Policies::parse(&value).unwrap()
}

fn read_in(turn: &Turn<'_>, declaration: Value) -> Result<Accepted, Refused> {
    accept(&AssistantMessage::of_carrier_call(declaration), turn)
}

#[test]
fn actions_that_may_meet_are_refused_where_a_layer_says_so() {
    let refuse = json!({ "conflict_resolution": "refuse" });
    let write = |id: &str, more: Value| {
        let mut action = read(id, more);
        action["resources"] = json!(["file:a"]);
        action
    };
    let looks = |id: &str, more: Value| {
        let mut action = read(id, more);
        action["resources"] = json!([{ "ref": "file:a", "access": "read" }]);
        action
    };
    let none = || json!({});
    let own = || json!({ "policies": refuse });
    let after = || json!({ "depends_on": ["a"], "policies": refuse });
    let other = || {
        let mut action = read("b", own());
        action["resources"] = json!(["file:b"]);
        action
    };
    let serialise = || json!({ "policies": { "conflict_resolution": "last_writer" } });
    for (layer, actions, meets) in [
        (None, json!([write("a", none()), write("b", own())]), true),
        (None, json!([write("a", own()), write("b", none())]), true),
        (None, json!([write("a", own()), looks("b", none())]), true),
        (Some(Layer::Runtime), json!([write("a", none()), write("b", serialise())]), true),
        (Some(Layer::Agent), json!([write("a", none()), write("b", none())]), true),
        (Some(Layer::Envelope), json!([write("a", none()), write("b", none())]), true),
        (
            None,
            json!([write("a", own()), write("x", json!({ "depends_on": ["a"] })), write("b", none())]),
            true,
        ),
        (None, json!([write("a", none()), write("b", none())]), false),
        (None, json!([write("a", none()), write("b", after())]), false),
        (None, json!([looks("a", own()), looks("b", none())]), false),
        (None, json!([write("a", own()), other()]), false),
        (
            Some(Layer::Runtime),
            json!([
                write("a", none()),
                read("x", json!({ "depends_on": ["a"] })),
                write("b", json!({ "depends_on": ["x"] }))
            ]),
            false,
        ),
    ] {
        let mut turn = Turn::new(Speaking::Protocol, catalog());
        let mut declaration = graph(actions);
        match layer {
            Some(Layer::Runtime) => turn.runtime_policies = policies(refuse.clone()),
            Some(Layer::Agent) => turn.agent_policies = policies(refuse.clone()),
            Some(Layer::Envelope) => declaration["policies"] = refuse.clone(),
            Some(Layer::Action) | None => {}
        }
        let result = read_in(&turn, declaration.clone());
        match result {
            Ok(_) => assert!(!meets, "{declaration}"),
            Err(refusal) => {
                assert!(meets && refusal.code == Code::ResourceConflict, "{declaration}\n{refusal}");
                let message = &refusal.findings[0].message;
                for word in ["and b may", "file:a", layer.map_or("action", <&str>::from)] {
                    assert!(message.contains(word), "{message} does not name {word}");
                }
            }
        }
    }
}

#[test]
fn the_policies_of_an_action_name_the_layer_that_decided() {
    let mut turn = Turn::new(Speaking::Protocol, catalog());
    turn.runtime_policies =
        policies(json!({ "conflict_resolution": "serialise", "permission_policy": "ask" }));
    turn.agent_policies = policies(json!({ "privacy": ["error"] }));
    let mut declaration = graph(json!([read(
        "a",
        json!({ "policies": { "permission_policy": "allow", "privacy": ["output"] } })
    )]));
    declaration["policies"] = json!({ "conflict_resolution": "refuse" });
    let accepted = read_in(&turn, declaration).unwrap();
    let action = &accepted.content.actions()[0];
    let merged = accepted.merged_policies(action, &turn);
    assert_eq!(merged, merged_policies(action, accepted.envelope.as_ref(), &turn));
    assert_eq!(merged.effective().conflict_resolution, ConflictResolution::Refuse);
    let layers = ["conflict_resolution", "permission_policy", "privacy", "idempotency"]
        .map(|field| merged.decided_by(field));
    assert_eq!(layers, [Some(Layer::Envelope), Some(Layer::Runtime), Some(Layer::Action), None]);
}

/// A declaration with an unknown field at every level.
fn newer(version: &str) -> Value {
    let mut action = read("a", json!({ "colour": 1, "repeat": { "max": 1, "pause": 2 } }));
    action["executor"]["zone"] = json!("eu");
    action["resources"] = json!([{ "ref": "x", "mode": 1 }]);
    let mut declaration = graph(json!([action]));
    declaration["version"] = json!(version);
    declaration["mood/~"] = json!({ "any": 1 });
    declaration["payload"]["note"] = json!("n");
    declaration["policies"] = json!({ "new_policy": true });
    declaration
}

#[test]
fn a_minor_version_sets_unknown_fields_aside() {
    let accepted = call(newer("1.7")).unwrap();
    let pointers = [
        "/payload/actions/0/executor/zone",
        "/payload/actions/0/colour",
        "/payload/actions/0/repeat/pause",
        "/payload/actions/0/resources/0/mode",
        "/payload/note",
        "/mood~1~0",
        "/policies/new_policy",
    ];
    let mut violations: Vec<String> = accepted.violations.iter().map(ToString::to_string).collect();
    violations.sort();
    let mut expected: Vec<String> =
        pointers.iter().map(|pointer| format!("unknown_field:{pointer}")).collect();
    expected.sort();
    assert_eq!(violations, expected);
    let envelope = accepted.to_value()["declaration"].clone();
    assert_eq!(
        (&envelope["version"], &envelope["unknown_fields"]["/mood~1~0"]),
        (&json!("1.7"), &json!({ "any": 1 }))
    );
    assert_eq!(accepted.content.actions()[0].to_value().get("colour"), None);
}

#[test]
fn only_a_minor_version_may_have_unknown_fields() {
    refused(call(newer("1")), Code::InvalidSchema);
    for version in ["2", "1.", "1.x", "1.0.0", "01", "1.1 ", ""] {
        refused(call(newer(version)), Code::UnsupportedVersion);
    }
    for version in ["1.0", "1.12"] {
        assert!(call(newer(version)).is_ok(), "{version}");
    }
    let mut known = graph(json!([read("a", json!({ "input": { "path": "a" } }))]));
    known["version"] = json!("1.1");
    assert_eq!(call(known).unwrap().violations, []);
    // A value that version 1 does not know is refused: it may change the meaning of the field.
    let mut declaration = newer("1.1");
    declaration["payload"]["actions"][0]["failure_policy"] = json!("pray");
    refused(call(declaration), Code::InvalidSchema);
}

#[test]
fn a_policy_refuses_unknown_fields_of_minor_versions_too() {
    let refuse = || policies(json!({ "schema_evolution": "refuse_unknown_fields" }));
    let mut turn = Turn::new(Speaking::Protocol, catalog());
    turn.agent_policies = refuse();
    let refusal = read_in(&turn, newer("1.7")).unwrap_err();
    assert_eq!((refusal.code, refusal.findings.len()), (Code::InvalidSchema, 7));
    assert!(refusal.findings[0].message.contains("agent"), "{}", refusal.message);

    let turn = Turn::new(Speaking::Protocol, catalog());
    let mut declaration = newer("1.7");
    declaration["payload"]["actions"][0]["policies"] = refuse().to_value();
    assert_eq!(read_in(&turn, declaration).unwrap_err().findings.len(), 4, "the fields of this action alone");

    let mut turn = Turn::new(Speaking::Protocol, catalog());
    let flat = || json!({ "kind": "answer", "message": "x", "mood": 1 });
    assert_eq!(read_in(&turn, flat()).unwrap().violations.len(), 1);
    turn.runtime_policies = refuse();
    refused(read_in(&turn, flat()), Code::InvalidSchema);
}

#[test]
fn a_price_is_the_most_that_can_happen() {
    let tool = |name: &str, idempotency: &str, effects: Value| json!({ "name": name, "idempotency": idempotency, "side_effects": effects, "capabilities": ["x"] });
    let tools = [
        tool("pure", "pure", json!(["read"])),
        tool("once", "none", json!(["send", "none"])),
        json!({ "name": "silent", "idempotency": "keyed" }),
    ];
    let catalog = Catalog::parse(&tools, &[], &[]).unwrap();
    let turn = Turn::new(Speaking::Protocol, &catalog);
    let action = |id: &str, executor: Value, more: Value| {
        let mut action = read(id, more);
        action["executor"] = executor;
        action["input"] = json!({});
        action
    };
    let named = |name: &str| json!({ "type": "tool", "target": name });
    let any = || json!({ "type": "tool", "capabilities": ["x"] });
    let retry = || json!({ "failure_policy": { "on_failure": "retry", "max_attempts": 3 } });
    let resources =
        json!({ "resources": ["b", { "ref": "a", "access": "read" }, { "ref": "b", "access": "read" }] });
    let looped = json!({ "failure_policy": "retry", "repeat": { "max": 20 } });
    let each = json!({ "depends_on": ["a"], "for_each": { "in": "action:a.output", "max": 64 }, "failure_policy": { "on_failure": "retry", "max_attempts": 10 } });
    for (actions, calls, effects, unknown) in [
        (json!([action("a", named("once"), json!({}))]), 1, json!(["send"]), false),
        (json!([action("a", named("pure"), retry())]), 3, json!(["read"]), false),
        (json!([action("a", named("once"), retry())]), 1, json!(["send"]), false),
        (json!([action("a", named("silent"), looped)]), 40, json!([]), true),
        (json!([action("a", any(), retry())]), 3, json!(["read", "send"]), false),
        (
            json!([action("a", named("pure"), json!({})), action("b", named("pure"), each)]),
            641,
            json!(["read"]),
            false,
        ),
    ] {
        let accepted = read_in(&turn, graph(actions.clone())).unwrap();
        let found = accepted.price(&catalog).to_value();
        let expected =
            json!({ "calls": calls, "effects": effects, "resources": [], "unknown_effects": unknown });
        assert_eq!(found, expected, "{actions}");
        let mut plan = graph(actions);
        plan["intent"] = json!("plan");
        assert_eq!(read_in(&turn, plan).unwrap().price(&catalog).to_value(), expected);
    }
    let content = accepted(read_in(&turn, graph(json!([action("a", named("once"), resources)]))));
    let found = price(content.actions(), &catalog).to_value();
    assert_eq!(
        found["resources"],
        json!([{ "ref": "a", "access": "read" }, { "ref": "b", "access": "write" }])
    );
}
