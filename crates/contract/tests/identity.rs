//! Identities take anything without a panic, and what they let in reads its own wire form.

use proptest::prelude::*;
use provost_contract::access::{AccessGrant, AgentToken, CapabilityCeiling, TokenHash};
use provost_contract::principal::EffectiveAgentQuestion;
use provost_contract::{CallerContext, ExecutionPrincipal, MaxChainDepth, WorkspaceScope, timestamp};
use serde_json::{Value, json};

use crate::any_json::any_json;

fn caller() -> Value {
    json!({
        "caller_agent_id": "planner", "caller_user_id": 4, "caller_host": "https://peer.example", "chain_depth": 2,
        "chain_root_request_id": "r", "metadata": {},
    })
}

fn ceiling() -> Value {
    json!({ "user_id": 4, "allowed_capabilities": ["read"], "denied_capabilities": ["write"], "metadata": {} })
}

fn principal() -> Value {
    json!({
        "acting_user_id": 4, "effective_agent_id": "a", "auth_source": "user", "request_context": "rest",
        "token_id": 9, "request_metadata": {}, "workspace_id": "w", "client_id": "c",
        "capability_ceiling": ceiling(), "caller_context": caller(), "audience_id": "audience:x",
        "audience_claims": {}, "owner_type": "team", "owner_key": "red", "binding": {},
    })
}

fn grant() -> Value {
    json!({
        "grant_id": 1, "agent_id": "a", "user_id": 4, "role": "admin", "workspace_id": "w",
        "granted_by_user_id": 2, "granted_at": "2026-01-01", "metadata": {}, "audience_id": "audience:x",
    })
}

fn token() -> Value {
    json!({
        "token_id": 1, "agent_id": "a", "owner_user_id": 4, "token_hash": TokenHash::of("t").expose(),
        "token_prefix": "agt_", "label": "CI", "allowed_capabilities": ["read"], "expires_at": "2031-01-01",
        "last_used_at": null, "created_at": null, "client_id": "c", "workspace_id": "w", "metadata": {},
    })
}

/// The sample with a few of its own fields replaced by anything.
fn spoilt(sample: Value) -> impl Strategy<Value = Value> {
    let keys: Vec<String> = sample.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    prop::collection::vec((prop::sample::select(keys), any_json()), 0..3).prop_map(move |changes| {
        let mut object = sample.as_object().cloned().unwrap_or_default();
        object.extend(changes);
        Value::Object(object)
    })
}

proptest! {
    #[test]
    fn principals(raw in spoilt(principal())) {
        let Ok(principal) = ExecutionPrincipal::parse(&raw) else { return Ok(()) };
        prop_assert_eq!(ExecutionPrincipal::parse(&principal.to_value()), Ok(principal));
    }

    #[test]
    fn callers(raw in spoilt(caller())) {
        let Ok(caller) = CallerContext::parse(&raw) else { return Ok(()) };
        prop_assert_eq!(CallerContext::parse(&caller.to_value()), Ok(caller));
    }

    #[test]
    fn grants(raw in spoilt(grant())) {
        let Ok(grant) = AccessGrant::parse(&raw) else { return Ok(()) };
        prop_assert_eq!(AccessGrant::parse(&grant.to_value()), Ok(grant));
    }

    #[test]
    fn ceilings(raw in spoilt(ceiling())) {
        let Ok(ceiling) = CapabilityCeiling::parse(&raw) else { return Ok(()) };
        prop_assert_eq!(CapabilityCeiling::parse(&ceiling.to_value()), Ok(ceiling));
    }

    #[test]
    fn tokens_export_everything_but_their_hash(raw in spoilt(token()), now in any::<i64>()) {
        let Ok(token) = AgentToken::parse(&raw) else { return Ok(()) };
        token.is_expired(now);
        let mut wire = token.to_value();
        prop_assert_eq!(wire.get("token_hash"), None);
        wire["token_hash"] = token.token_hash().expose().into();
        prop_assert_eq!(AgentToken::parse(&wire), Ok(token));
    }

    #[test]
    fn workspaces(raw in spoilt(json!({ "workspace_type": "site", "workspace_id": "1" }))) {
        let Ok(scope) = WorkspaceScope::parse(&raw) else { return Ok(()) };
        prop_assert_eq!(WorkspaceScope::parse(&scope.to_value()), Ok(scope));
    }

    #[test]
    fn a_chain_survives_its_headers(agent in "[a-z]{1,6}", user in any::<u64>(), depth in 1..16_u64, root in "[a-z]{1,6}") {
        let user = user >> 1;
        let stored = CallerContext::parse(&json!({
            "caller_agent_id": agent, "caller_user_id": user, "caller_host": "http://peer:80/x",
            "chain_depth": depth, "chain_root_request_id": root,
        }));
        let sent = stored.as_ref().map(CallerContext::to_headers).unwrap_or_default();
        let headers: Vec<(&str, &str)> =
            sent.as_object().into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
        prop_assert_eq!(CallerContext::from_headers(headers, MaxChainDepth::default(), "unused"), stored);
    }

    #[test]
    fn headers_of_any_kind(names in prop::collection::vec("(?i)X-Agents-Api-(Caller-(Agent|User|Host)|Chain-(Depth|Root))", 0..6), value in ".{0,8}") {
        let headers = names.iter().map(|name| (name.as_str(), value.as_str()));
        if let Ok(caller) = CallerContext::from_headers(headers, MaxChainDepth::default(), "request") {
            prop_assert!(!caller.chain_root_request_id().is_empty());
        }
    }

    #[test]
    fn questions_of_any_kind(context in any_json(), text in "[0-9TZ:+. é-]{0,26}") {
        let _ = EffectiveAgentQuestion::parse(&context).map(|question| question.resolve([]));
        let _ = timestamp::unix_seconds(&text);
    }
}
