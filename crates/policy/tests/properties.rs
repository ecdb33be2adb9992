//! The laws that hold whatever the policies say.

use proptest::prelude::*;
use provost_contract::json::Object;
use provost_contract::{ExecutionPrincipal, UserId, json};
use provost_policy::action_policy::{self, Consulted, Question};
use provost_policy::authorization::{AutonomousDenials, can};
use provost_policy::tool_call_gate::{GateRule, normalize_rules};
use provost_policy::tool_tiers::TierRequest;
use provost_policy::visibility::{Context, Fragment, resolve};
use provost_policy::{ActionPolicy, HookFailure, Verdict, Visibility};
use serde_json::{Value, json};

use crate::arbitrary::{TOOLS, action_answer, answers, context, declaration, gate_rule, tools};

/// The verdict over every tool, in order of name.
fn verdicts(tools: &Object, context: &Object, answers: &[Value]) -> Vec<(String, Visibility)> {
    let providers = answers.iter().map(Fragment::from_hook).collect();
    let context = Context::parse(context, |_| None, providers);
    let decided = resolve(tools, &context, |_| Ok(None));
    let mut verdicts: Vec<_> =
        decided.into_iter().map(|tool| (tool.name, tool.explained.decision.verdict)).collect();
    verdicts.sort_unstable();
    verdicts
}

/// Adds a name to the deny-list of a policy, whatever stood there before.
fn denying(policy: &Object, name: &str) -> Object {
    let mut denied = policy.get("deny").map(json::string_list).unwrap_or_default();
    denied.push(name.to_owned());
    let mut policy = policy.clone();
    policy.insert("deny".into(), json!(denied));
    policy
}

fn reversed(list: &Value) -> Value {
    let mut names = json::string_list(list);
    names.reverse();
    json!(names)
}

fn tool_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(TOOLS.to_vec())
}

proptest! {
    #[test]
    fn every_tool_gets_one_verdict_and_none_is_invented(
        tools in tools(), context in context(), answers in answers(),
    ) {
        let decided: Vec<String> = verdicts(&tools, &context, &answers).into_iter().map(|(name, _)| name).collect();
        let mut given: Vec<String> = tools.keys().cloned().collect();
        given.sort_unstable();
        prop_assert_eq!(decided, given);
    }

    #[test]
    fn one_more_deny_never_shows_a_tool(
        tools in tools(), context in context(), answers in answers(), name in tool_name(), by_provider: bool,
    ) {
        let before = verdicts(&tools, &context, &answers);
        let after = if by_provider {
            let mut more = answers.clone();
            more.push(json!({ "deny": [name] }));
            verdicts(&tools, &context, &more)
        } else {
            verdicts(&tools, &denying(&context, name), &answers)
        };
        for ((tool, before), (_, after)) in before.into_iter().zip(after) {
            prop_assert!(after >= before, "{tool}");
            prop_assert!(tool != name || after == Visibility::Hidden, "{tool} is denied and seen");
        }
    }

    #[test]
    fn the_order_of_denies_and_providers_does_not_matter(
        tools in tools(), context in context(), answers in answers(),
    ) {
        let before = verdicts(&tools, &context, &answers);
        let mut turned = context.clone();
        turned.extend(context.get("deny").map(|list| ("deny".to_owned(), reversed(list))));
        let answers: Vec<Value> = answers.into_iter().rev().collect();
        prop_assert_eq!(before, verdicts(&tools, &turned, &answers));
    }

    #[test]
    fn a_failed_provider_hides_every_tool(tools in tools(), context in context()) {
        let context = Context::parse(&context, |_| None, vec![Err(HookFailure::Failed)]);
        let decided = resolve(&tools, &context, |_| Ok(Some(Verdict::Allow)));
        prop_assert!(decided.iter().all(|tool| !tool.is_visible()));
    }

    #[test]
    fn a_denied_tool_is_forbidden_and_one_more_deny_permits_nothing(
        mut context in context(), declaration in declaration(), called in tool_name(), denied in tool_name(),
        providers in prop::collection::vec(action_answer(), 0..3), memory in action_answer(), last_word in action_answer(),
    ) {
        context.insert("tool_name".into(), json!(called));
        context.insert("tool_def".into(), Value::Object(declaration));
        let consulted = Consulted {
            providers: providers.iter().map(ActionPolicy::from_hook).collect(),
            remembered: ActionPolicy::parse(&memory),
            final_override: ActionPolicy::from_hook(&last_word),
        };
        let decide = |context: &Object| {
            action_policy::resolve(&Question::parse(context, |_| None), &consulted).decision.verdict
        };
        let (before, after) = (decide(&context), decide(&denying(&context, denied)));
        prop_assert!(after >= before);
        prop_assert!(called != denied || after == ActionPolicy::Forbidden);
    }

    #[test]
    fn one_more_denied_capability_permits_nothing(
        allowed in prop::option::of(prop::collection::vec("[abc]", 0..3)),
        denied in prop::collection::vec("[abc]", 0..3), more in "[abc]", asked in "[abc ]{0,2}",
        source in prop::sample::select(vec!["user", "agent_token", "system"]), user in 0_u64..3,
    ) {
        let decide = |denied: &[String]| {
            let principal = ExecutionPrincipal::parse(&json!({
                "acting_user_id": user, "effective_agent_id": "a", "auth_source": source, "request_context": "rest",
                "capability_ceiling": { "user_id": user, "allowed_capabilities": allowed, "denied_capabilities": denied },
            })).unwrap();
            let holds = |_: UserId, _: &str| Ok(Some(Verdict::Allow));
            can(&principal, &asked, None, &AutonomousDenials::default(), holds).decision.verdict
        };
        let after = decide(&[denied.clone(), vec![more.clone()]].concat());
        prop_assert!(after >= decide(&denied));
        prop_assert!(asked.trim() != more || after == Verdict::Deny);
    }

    #[test]
    fn tiers_lose_no_tool_and_keep_to_their_cap(tools in tools(), context in context(), cap in -2_i64..7) {
        let request = TierRequest::parse(&context, cap);
        let tiers = request.split(&tools, &[]);
        prop_assert!(tiers.tier_1.len() <= request.cap());
        let mut both: Vec<&String> = tiers.tier_1.iter().map(|(name, _)| name).chain(&tiers.tier_2).collect();
        both.sort_unstable();
        let mut given: Vec<&String> = tools.keys().collect();
        given.sort_unstable();
        prop_assert_eq!(both, given);
    }

    #[test]
    fn gate_rules_are_in_normal_form_after_one_reading(rules in prop::collection::vec(gate_rule(), 0..4)) {
        let once: Vec<Value> = normalize_rules(&rules).iter().map(GateRule::to_value).collect();
        let twice: Vec<Value> = normalize_rules(&once).iter().map(GateRule::to_value).collect();
        prop_assert_eq!(once, twice);
    }
}
