//! From a bearer token to a principal.
//!
//! The store is asked between the two steps: [`Authenticator::recognise`] says which hash to look up, if
//! any, and [`Authenticator::admit`] decides over what was found. Only an admission names a token to
//! touch, so a refused request leaves no trace on it.

use std::num::NonZeroU64;

use provost_contract::access::{AgentToken, TokenHash};
use provost_contract::json::Object;
use provost_contract::principal::RequestScope;
use provost_contract::{CallerContext, ExecutionPrincipal, MaxChainDepth};
use serde_json::json;

use super::Layer;
use crate::decision::{Decision, Verdict};

/// Reads bearer tokens of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authenticator {
    /// The prefix of the tokens it owns; none for all of them.
    pub token_prefix: Option<String>,
    /// How deep a chain of calling agents may be.
    pub max_chain_depth: MaxChainDepth,
}

/// The request a token came with.
#[derive(Clone, Debug)]
pub struct BearerRequest<'a> {
    pub headers: Vec<(&'a str, &'a str)>,
    pub request_context: &'a str,
    pub metadata: Object,
    /// Becomes the root of a chain that begins here.
    pub request_id: &'a str,
    /// The Unix second.
    pub now: i64,
}

/// Somebody is let in.
#[derive(Clone, Debug, PartialEq)]
pub struct Admission {
    pub principal: ExecutionPrincipal,
    /// The token whose use is to be recorded.
    pub touch: NonZeroU64,
    pub decision: Decision<Verdict>,
}

/// Why nobody is let in.
pub type Refusal = Box<Decision<Verdict>>;

impl Authenticator {
    /// The hash to ask the store for. A token of another kind never reaches the store.
    pub fn recognise(&self, raw_token: &str) -> Result<TokenHash, Refusal> {
        let token = raw_token.trim();
        if token.is_empty() {
            return Err(refused(Layer::Token, "no_token", "the request carries no token"));
        }
        if !token.starts_with(self.token_prefix.as_deref().unwrap_or_default()) {
            return Err(refused(Layer::Token, "foreign_prefix", "the token is of another kind"));
        }
        Ok(TokenHash::of(token))
    }

    /// Decides over what the store found under the hash.
    pub fn admit(
        &self,
        asked: &TokenHash,
        found: Option<&AgentToken>,
        request: &BearerRequest<'_>,
    ) -> Result<Admission, Refusal> {
        let Some(token) = found.filter(|token| token.token_hash() == asked) else {
            return Err(refused(Layer::Token, "unknown_token", "no such token is known"));
        };
        let about = |refusal: Refusal| Box::new(refusal.given("token_id", json!(token.token_id)));
        if token.is_expired(request.now) {
            return Err(about(refused(Layer::Token, "expired", "the token has expired")));
        }
        let headers = request.headers.iter().copied();
        let caller = CallerContext::from_headers(headers, self.max_chain_depth, request.request_id)
            .map_err(|error| about(refused(Layer::CallerContext, "malformed_caller", error.message())))?;
        let principal = principal_of(token, caller, request)
            .map_err(|error| about(refused(Layer::Token, "malformed_request", error.message())))?;
        let decision =
            Decision::new(Verdict::Allow, Layer::Token, "known_token", "the token is known and valid")
                .given("token_id", json!(token.token_id))
                .given("token_prefix", token.token_prefix());
        Ok(Admission { principal, touch: token.token_id, decision })
    }
}

/// The token's owner acts, within the token's ceiling. What the token says beats what the request says.
fn principal_of(
    token: &AgentToken,
    caller: CallerContext,
    request: &BearerRequest<'_>,
) -> provost_contract::Result<ExecutionPrincipal> {
    let mut request_metadata = request.metadata.clone();
    let of_token = [
        ("token_prefix", json!(token.token_prefix())),
        ("token_label", json!(token.label)),
        ("client_id", json!(token.client_id)),
        ("workspace_id", json!(token.workspace_id)),
        ("has_capability_restrictions", json!(token.is_restricted())),
    ];
    request_metadata.extend(of_token.map(|(key, value)| (key.to_owned(), value)));
    let scope = RequestScope {
        request_context: request.request_context.to_owned(),
        request_metadata,
        workspace_id: token.workspace_id.clone(),
        client_id: token.client_id.clone(),
    };
    let mut principal =
        ExecutionPrincipal::agent_token(token.owner(), token.agent_id(), token.token_id, scope)?;
    principal.capability_ceiling = Some(token.ceiling());
    principal.caller_context = Some(caller);
    Ok(principal)
}

fn refused(layer: Layer, rule: &'static str, reason: &str) -> Refusal {
    Box::new(Decision::new(Verdict::Deny, layer, rule, reason))
}
