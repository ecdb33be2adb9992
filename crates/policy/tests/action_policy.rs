//! Action policy: what refuses a call, and that the same call goes through without it.

use provost_contract::json::Object;
use provost_policy::ActionPolicy::{self, Direct, Forbidden, Preview};
use provost_policy::action_policy::{Consulted, Question, judge, resolve};
use provost_policy::{Explained, HookAnswer, HookFailure};
use serde_json::{Value, json};

fn question(more: Value) -> Question {
    let mut context = Object::new();
    context.insert("tool_name".into(), json!("mail/send"));
    context.insert("workspace".into(), json!({"workspace_type": "site", "workspace_id": "1"}));
    context.insert("user_id".into(), json!(9));
    context.insert("agent_id".into(), json!("writer"));
    context.extend(more.as_object().cloned().unwrap_or_default());
    Question::parse(&context, |_| None)
}

fn decide(context: Value, consulted: Consulted) -> Explained<ActionPolicy> {
    resolve(&question(context), &consulted)
}

fn last_word(answer: HookAnswer<ActionPolicy>) -> Consulted {
    Consulted { final_override: answer, ..Consulted::default() }
}

fn remembered(policy: ActionPolicy) -> Consulted {
    Consulted { remembered: Some(policy), ..Consulted::default() }
}

#[test]
fn the_last_word_changes_everything_but_a_refusal() {
    let says = |policy| last_word(Ok(Some(policy)));
    let preview = json!({"tool_def": {"action_policy": "preview"}});
    assert_eq!(decide(preview.clone(), says(Direct)).decision.verdict, Direct);
    assert_eq!(decide(preview, says(Forbidden)).decision.verdict, Forbidden);
    for refusal in [
        json!({"deny": "mail/send"}),
        json!({"action_policy": {"tools": {"mail/send": "forbidden"}}}),
        json!({"tool_def": {"action_policy": "forbidden"}}),
    ] {
        let explained = decide(refusal.clone(), says(Direct));
        assert_eq!(explained.decision.verdict, Forbidden, "{refusal}");
        assert_eq!(explained.said.last().map(|decision| decision.layer), Some("final_override"));
    }
}

#[test]
fn a_last_word_that_fails_refuses() {
    for failure in [HookFailure::Failed, HookFailure::TimedOut, HookFailure::Nonsense] {
        let explained = decide(json!({}), last_word(Err(failure)));
        assert_eq!((explained.decision.verdict, &*explained.decision.rule), (Forbidden, "override_failed"));
    }
    assert_eq!(decide(json!({}), last_word(ActionPolicy::from_hook(&Value::Null))).decision.verdict, Direct);
}

#[test]
fn a_provider_that_fails_refuses_where_its_answer_would_have_counted() {
    let asked = |providers: Vec<HookAnswer<ActionPolicy>>| Consulted { providers, ..Consulted::default() };
    let nonsense = || ActionPolicy::from_hook(&json!("sure"));
    let failed = decide(json!({}), asked(vec![Ok(None), nonsense(), Ok(Some(Direct))])).decision;
    assert_eq!((failed.verdict, &*failed.rule), (Forbidden, "provider_failed"));
    assert_eq!(failed.inputs["provider"], 1);
    assert_eq!(decide(json!({}), asked(vec![Ok(None), Ok(Some(Direct))])).decision.verdict, Direct);
    let named = json!({"action_policy": {"tools": {"mail/send": "direct"}}});
    assert_eq!(decide(named, asked(vec![nonsense()])).decision.verdict, Direct, "the provider is not asked");
}

#[test]
fn a_remembered_approval_spares_a_question_but_lifts_no_refusal() {
    let asks = json!({"tool_def": {"action_policy": "preview"}});
    assert_eq!(decide(asks.clone(), Consulted::default()).decision.verdict, Preview);
    assert_eq!(decide(asks, remembered(Direct)).decision.layer, "remembered");
    for refusal in [json!({"action_policy": "forbidden"}), json!({"action_policy_chat": "forbidden"})] {
        let decision = decide(json!({"tool_def": refusal}), remembered(Direct)).decision;
        assert_eq!(decision.verdict, Forbidden, "{refusal}");
    }
}

#[test]
fn nothing_is_remembered_for_a_run_that_does_not_say_whose_it_is() {
    assert!(question(json!({})).memory_key().is_some());
    for missing in [
        json!({"user_id": 0}),
        json!({"user_id": -1}),
        json!({"user_id": null}),
        json!({"workspace": {"workspace_type": "site"}}),
        json!({"agent_id": " "}),
    ] {
        assert_eq!(question(missing.clone()).memory_key(), None, "{missing}");
        let decision = decide(missing.clone(), remembered(Forbidden)).decision;
        assert_eq!(decision.verdict, Direct, "{missing}");
    }
}

#[test]
fn an_empty_policy_or_configuration_stands_for_the_whole_however_it_is_written() {
    let agent = json!({"action_policy": {"tools": {"mail/send": "preview"}}});
    let verdict = |context: Value| decide(context, Consulted::default()).decision.verdict;
    assert_eq!(verdict(json!({"agent_config": agent.clone()})), Preview);
    for empty in [json!({}), json!([])] {
        let of_run = json!({"agent_config": agent.clone(), "action_policy": empty.clone()});
        assert_eq!(verdict(of_run), Direct);
        let context = json!({"tool_name": "mail/send", "agent_slug": "writer", "agent_config": empty});
        let asked = Question::parse(context.as_object().unwrap(), |_| agent.as_object().cloned());
        assert_eq!(resolve(&asked, &Consulted::default()).decision.verdict, Direct);
    }
}

#[test]
fn a_provider_that_says_no_outvotes_an_earlier_layer_and_one_that_does_not_waits_its_turn() {
    let named = || question(json!({"action_policy": {"tools": {"mail/send": "direct"}}}));
    for (provider, rule) in
        [(Ok(Some(Forbidden)), "forbidden"), (Err(HookFailure::Failed), "provider_failed")]
    {
        let decision = judge(&named(), provider);
        assert_eq!((decision.verdict, decision.layer, &*decision.rule), (Forbidden, "provider", rule));
    }
    for provider in [Ok(None), Ok(Some(Preview))] {
        let decision = judge(&named(), provider);
        assert_eq!((decision.verdict, decision.layer), (Direct, "tool_policy"));
    }
    assert_eq!(judge(&question(json!({})), Ok(Some(Preview))).layer, "provider");
    assert_eq!(judge(&question(json!({})), Ok(None)).layer, "default");
    let denied = judge(&question(json!({"deny": "mail/send"})), Ok(Some(Forbidden)));
    assert_eq!(denied.layer, "deny", "the first no is the one that is told");
}

#[test]
fn a_policy_of_the_run_replaces_what_the_agent_says_but_lifts_no_refusal() {
    let told = |of_run: Value, of_agent: Value| {
        let context = json!({
            "tool_def": { "categories": ["write", "mail"] },
            "action_policy": of_run,
            "agent_config": { "action_policy": of_agent },
        });
        decide(context, Consulted::default()).decision.verdict
    };
    let tool = |word: &str| json!({ "tools": { "mail/send": word } });
    let category = |word: &str| json!({ "categories": { "write": word } });
    for refusal in [tool("forbidden"), category("forbidden")] {
        for of_run in [tool("direct"), category("direct"), tool("preview"), json!({}), json!({ "tools": {} })]
        {
            assert_eq!(told(of_run.clone(), refusal.clone()), Forbidden, "{of_run} over {refusal}");
        }
    }
    assert_eq!(told(tool("direct"), tool("preview")), Direct);
    assert_eq!(told(tool("preview"), tool("direct")), Preview);
    assert_eq!(told(tool("forbidden"), tool("direct")), Forbidden);
    assert_eq!(told(json!({}), tool("preview")), Direct, "an empty one replaces it too");
    let named_direct = json!({ "tools": { "mail/send": "direct" }, "categories": { "write": "forbidden" } });
    assert_eq!(told(tool("preview"), named_direct), Preview, "the agent does not forbid this tool");
}
