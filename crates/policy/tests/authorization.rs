//! Authorisation: what keeps a request out, and that the same request is let in without it.

use provost_contract::access::{AccessGrant, AgentToken, CapabilityCeiling, TokenHash};
use provost_contract::json::Object;
use provost_contract::{ExecutionPrincipal, UserId};
use provost_policy::Verdict::{self, Allow, Deny};
use provost_policy::authorization::{
    AccessQuestion, AutonomousDenials, BearerRequest, Grants, PublicAudience, can, can_access_agent,
};
use provost_policy::{Authenticator, Decision, HookAnswer, HookFailure};
use serde_json::{Value, json};

fn principal(more: Value) -> ExecutionPrincipal {
    let mut raw = json!({
        "acting_user_id": 6, "effective_agent_id": "librarian", "auth_source": "user", "request_context": "rest",
    });
    raw.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    ExecutionPrincipal::parse(&raw).unwrap()
}

fn holds_all(_: UserId, _: &str) -> HookAnswer<Verdict> {
    Ok(Some(Allow))
}

fn may_read(
    principal: &ExecutionPrincipal,
    host_ceiling: Option<Value>,
    holds: impl FnOnce(UserId, &str) -> HookAnswer<Verdict>,
) -> Decision<Verdict> {
    let host_ceiling = host_ceiling.map(|ceiling| CapabilityCeiling::parse(&ceiling).unwrap());
    can(principal, "read", host_ceiling.as_ref(), &AutonomousDenials::default(), holds).decision
}

#[test]
fn a_host_ceiling_lifts_a_missing_allowance_but_no_denial() {
    let host = || Some(json!({"user_id": 6, "allowed_capabilities": ["read"]}));
    let narrow =
        principal(json!({"capability_ceiling": {"user_id": 6, "allowed_capabilities": ["comment"]}}));
    let denied = principal(json!({"capability_ceiling": {"user_id": 6, "denied_capabilities": ["read"]}}));
    assert_eq!(may_read(&narrow, None, holds_all).rule, "not_allowed");
    assert_eq!(may_read(&narrow, host(), holds_all).verdict, Allow);
    assert_eq!(may_read(&denied, host(), holds_all).rule, "denied");
}

#[test]
fn a_user_check_that_fails_or_does_not_answer_denies() {
    let person = principal(json!({}));
    assert_eq!(may_read(&person, None, |_, _| Ok(Some(Allow))).verdict, Allow);
    assert_eq!(may_read(&person, None, |_, _| Ok(None)).rule, "not_held");
    assert_eq!(may_read(&person, None, |_, _| Err(HookFailure::TimedOut)).rule, "check_failed");
    assert_eq!(may_read(&principal(json!({"acting_user_id": 0})), None, holds_all).rule, "nobody");
}

fn reach(principal: &ExecutionPrincipal, grants: Grants<'_>, host: HookAnswer<Verdict>) -> Decision<Verdict> {
    let question = AccessQuestion {
        principal,
        agent_id: "archivist",
        minimum_role: "viewer",
        public_audience: PublicAudience::Included,
    };
    can_access_agent(question, grants, host)
}

#[test]
fn a_host_that_fails_keeps_everybody_out() {
    let grants = [AccessGrant::parse(&json!({"agent_id": "archivist", "user_id": 6})).unwrap()];
    let person = principal(json!({}));
    assert_eq!(reach(&person, Grants::OfUsers(&grants), Ok(None)).rule, "granted");
    assert_eq!(reach(&person, Grants::OfUsers(&grants), Err(HookFailure::Nonsense)).rule, "host_failed");
    assert_eq!(reach(&person, Grants::NoStore, Ok(Some(Allow))).rule, "host_allows");
}

#[test]
fn a_grant_to_an_audience_is_not_a_grant_to_nobody() {
    let grants =
        [AccessGrant::parse(&json!({"agent_id": "archivist", "audience_id": "audience:staff"})).unwrap()];
    let visitor = principal(json!({"acting_user_id": 0, "auth_source": "audience"}));
    let staff =
        principal(json!({"acting_user_id": 0, "auth_source": "audience", "audience_id": "audience:staff"}));
    assert_eq!(reach(&visitor, Grants::OfUsersAndAudiences(&grants), Ok(None)).verdict, Deny);
    assert_eq!(reach(&staff, Grants::OfUsersAndAudiences(&grants), Ok(None)).verdict, Allow);
    assert_eq!(reach(&staff, Grants::OfUsers(&grants), Ok(None)).verdict, Deny);
}

fn token(raw: &str) -> AgentToken {
    AgentToken::parse(&json!({
        "token_id": 7, "agent_id": "librarian", "owner_user_id": 6, "token_prefix": "agt_",
        "token_hash": TokenHash::of(raw).expose(), "expires_at": "2026-01-01T00:00:00Z",
    }))
    .unwrap()
}

fn request(now: i64) -> BearerRequest<'static> {
    let metadata = Object::new();
    BearerRequest { headers: Vec::new(), request_context: "rest", metadata, request_id: "r-1", now }
}

#[test]
fn a_store_that_finds_another_token_lets_nobody_in() {
    let authenticator = Authenticator::default();
    let asked = authenticator.recognise(" agt_one ").unwrap();
    let admitted = authenticator.admit(&asked, Some(&token("agt_one")), &request(0)).unwrap();
    assert_eq!(admitted.touch.get(), 7);
    assert_eq!(admitted.principal.caller_context.unwrap().chain_root_request_id(), "r-1");
    let refused = authenticator.admit(&asked, Some(&token("agt_two")), &request(0)).unwrap_err();
    assert_eq!(refused.rule, "unknown_token");
}

#[test]
fn a_refusal_says_why_and_never_shows_the_token() {
    let authenticator = Authenticator { token_prefix: Some("agt_".to_owned()), ..Authenticator::default() };
    let asked = authenticator.recognise("agt_one").unwrap();
    let late = authenticator.admit(&asked, Some(&token("agt_one")), &request(1_767_225_600)).unwrap_err();
    assert_eq!((late.layer, &*late.rule), ("token", "expired"));
    assert_eq!(late.inputs["token_id"], 7);
    let foreign = authenticator.recognise("xyz_secret").unwrap_err();
    for decision in [late, foreign] {
        let record = decision.to_value().to_string();
        assert!(
            !record.contains("agt_one") && !record.contains("secret") && !record.contains(asked.expose())
        );
    }
}
