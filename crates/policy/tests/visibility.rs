//! Tool visibility: what hides a tool, and that the same tool is seen without it.

use provost_contract::json::Object;
use provost_policy::visibility::{Context, Fragment, ToolVisibility, resolve};
use provost_policy::{HookAnswer, HookFailure, Verdict};
use serde_json::{Value, json};

const PERSON: &str = r#"{"auth_source": "user", "acting_user_id": 5}"#;

fn object(value: Value) -> Object {
    value.as_object().cloned().unwrap_or_default()
}

/// The decision over one tool, in a run a person attends unless the context says otherwise.
fn decide(
    declaration: Value,
    context: Value,
    providers: Vec<HookAnswer<Fragment>>,
    access: HookAnswer<Verdict>,
) -> ToolVisibility {
    let mut context = object(context);
    context.entry("principal").or_insert_with(|| serde_json::from_str(PERSON).unwrap());
    let context = Context::parse(&context, |_| None, providers);
    let mut decided = resolve(&object(json!({ "mail/send": declaration })), &context, |_| access);
    assert_eq!(decided.len(), 1);
    decided.remove(0)
}

fn check(declaration: Value, context: Value, expected: &str) {
    let tool = decide(declaration.clone(), context.clone(), Vec::new(), Ok(None));
    assert_eq!(words(&tool), expected, "{declaration} in {context}");
}

/// `visible by layer: rule`, as a person would read it.
fn words(tool: &ToolVisibility) -> String {
    let record = tool.explained.decision.to_value();
    let word = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
    format!("{} by {}: {}", word("verdict"), word("layer"), word("rule"))
}

const NOTHING: &str = "visible by declaration: nothing_hides_it";

#[test]
fn each_layer_names_itself_when_it_hides() {
    check(json!({}), json!({}), NOTHING);
    check(json!("x"), json!({}), "hidden by declaration: not_an_object");
    check(json!({"modes": ["job"]}), json!({}), "hidden by mode: not_listed");
    check(json!({"modes": ["job"]}), json!({"mode": ""}), NOTHING);
    check(
        json!({}),
        json!({"tool_policy": {"tools": "mail/send"}}),
        "hidden by named_policy: denied_by_name",
    );
    check(
        json!({}),
        json!({"tool_policy": {"mode": "allow"}}),
        "hidden by named_policy: not_allowed_by_name",
    );
    check(json!({}), json!({"categories": ["mail"]}), "hidden by categories: not_listed");
    check(json!({"category": "mail"}), json!({"categories": ["mail"]}), NOTHING);
    check(json!({}), json!({"allow_only": ["other/x"]}), "hidden by allow_only: not_listed");
    check(json!({}), json!({"deny": ["mail/send"]}), "hidden by deny: denied");
    check(json!({}), json!({"deny": ["mail/sendmail"]}), NOTHING);
}

#[test]
fn a_tool_that_writes_needs_a_person_or_an_opt_in() {
    let nobody = |more: Value| {
        let mut context = object(more);
        context.insert("principal".into(), json!({"auth_source": "agent_token", "acting_user_id": 5}));
        Value::Object(context)
    };
    check(json!({"write": true}), json!({}), NOTHING);
    check(json!({"write": true}), nobody(json!({})), "hidden by write_gate: not_opted_in");
    check(json!({"write": false}), nobody(json!({})), NOTHING);
    check(
        json!({"write": true}),
        nobody(json!({"allow_write_tools": true})),
        "visible by write_gate: writes_allowed",
    );
    check(
        json!({"write": true}),
        nobody(json!({"runtime_tools": ["mail/send"]})),
        "visible by write_gate: opted_in",
    );
}

#[test]
fn any_one_mark_makes_a_tool_a_clients_and_hides_it_until_opted_in() {
    for mark in [json!({"runtime_tool": true}), json!({"executor": "client"}), json!({"scope": "run"})] {
        check(mark.clone(), json!({}), "hidden by client_tools: not_opted_in");
        check(mark, json!({"runtime_tools": ["mail/send"]}), "visible by client_tools: opted_in");
    }
    check(json!({"runtime_tool": 1, "executor": "host", "scope": "session"}), json!({}), NOTHING);
}

#[test]
fn a_client_cannot_make_its_own_tool_mandatory() {
    let narrow = json!({"tool_policy": {"mode": "allow", "tools": ["other/x"]}});
    check(json!({"mandatory": true}), narrow.clone(), "visible by mandatory: declared");
    for mark in ["executor", "scope"] {
        let word = if mark == "executor" { "client" } else { "run" };
        let own = json!({"mandatory": true, mark: word});
        check(own.clone(), narrow.clone(), "hidden by named_policy: not_allowed_by_name");
        check(
            own,
            json!({"tool_policy": {"mandatory_tools": ["mail/send"]}}),
            "visible by mandatory: pinned",
        );
    }
}

#[test]
fn a_deny_from_anywhere_beats_mandatory_from_anywhere() {
    let pinned = json!({"mandatory_tools": ["mail/send"]});
    let pins = || Fragment::from_hook(&pinned);
    let denies = || Fragment::from_hook(&json!({"deny": ["mail/send"]}));
    let agent_denies = json!({"agent_config": {"tool_policy": {"deny": ["mail/send"]}}});
    let hidden = "hidden by deny: denied";
    assert_eq!(words(&decide(json!({}), json!({}), vec![pins()], Ok(None))), "visible by mandatory: pinned");
    assert_eq!(words(&decide(json!({}), json!({}), vec![pins(), denies()], Ok(None))), hidden);
    assert_eq!(words(&decide(json!({}), json!({}), vec![denies(), pins()], Ok(None))), hidden);
    assert_eq!(words(&decide(json!({}), agent_denies, vec![pins()], Ok(None))), hidden);
}

#[test]
fn a_provider_that_fails_hides_even_mandatory_tools() {
    let declared = json!({"mandatory": true});
    let nonsense = [json!("allow"), json!(["mail/send"])].map(|answer| Fragment::from_hook(&answer));
    let failures = [Err(HookFailure::Failed), Err(HookFailure::TimedOut)].into_iter().chain(nonsense);
    for failed in failures {
        let tool = decide(declared.clone(), json!({}), vec![Ok(None), failed], Ok(None));
        assert_eq!(words(&tool), "hidden by provider: provider_failed");
        assert_eq!(tool.explained.decision.inputs["provider"], 1);
    }
    for harmless in [Value::Null, json!({}), json!([])] {
        let providers = vec![Ok(None), Fragment::from_hook(&harmless)];
        let shown = decide(declared.clone(), json!({}), providers, Ok(None));
        assert_eq!(words(&shown), "visible by mandatory: declared", "{harmless}");
    }
}

#[test]
fn an_access_check_that_fails_refuses() {
    let with = |answer: Value| words(&decide(json!({}), json!({}), Vec::new(), Verdict::from_hook(&answer)));
    assert_eq!(with(json!("yes")), "hidden by access: check_failed");
    assert_eq!(with(json!(1)), "hidden by access: check_failed");
    assert_eq!(with(json!(false)), "hidden by access: refused");
    assert_eq!(with(json!(true)), NOTHING);
    assert_eq!(with(json!(null)), NOTHING);
}

#[test]
fn everything_the_layers_said_is_kept_in_order() {
    let context = json!({"runtime_tools": ["mail/send"], "allow_only": ["mail/send"], "deny": ["mail/send"]});
    let declaration = json!({"executor": "client", "modes": ["chat"]});
    let providers = vec![Fragment::from_hook(&json!({"mode": "allow", "tools": ["mail/send"]}))];
    let tool = decide(declaration, context, providers, Ok(None));
    let said: Vec<&str> = tool.explained.said.iter().map(|decision| decision.layer).collect();
    assert_eq!(said, ["mode", "named_policy", "allow_only", "client_tools", "deny"]);
    assert_eq!(tool.explained.decision, tool.explained.said[4]);
}
