//! The five request headers that carry a caller context from host to host.

use serde_json::{Value, json};

use super::CODE;
use super::context::{CallerContext, Claims, bad_number, identity_at_the_top};
use super::host::{self, SELF};
use crate::{ContractError, Result, UserId};

const AGENT: &str = "X-Agents-Api-Caller-Agent";
const USER: &str = "X-Agents-Api-Caller-User";
const HOST: &str = "X-Agents-Api-Caller-Host";
const DEPTH: &str = "X-Agents-Api-Chain-Depth";
const ROOT: &str = "X-Agents-Api-Chain-Root";

/// How deep a chain of calls may be; a request at exactly this depth is still heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MaxChainDepth(u64);

impl MaxChainDepth {
    /// Sets the limit; a negative one is refused.
    pub fn new(depth: i64) -> Result<Self> {
        depth.try_into().map(Self).map_err(|_| bad_number("max_chain_depth"))
    }
}

impl Default for MaxChainDepth {
    fn default() -> Self {
        Self(16)
    }
}

impl CallerContext {
    /// Reads the caller headers of a request, given as names and values in any case and order; of several
    /// values of one name the first counts. A chain without a root begins with this request.
    pub fn from_headers<'a>(
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        limit: MaxChainDepth,
        request_id: &str,
    ) -> Result<Self> {
        let headers = CallerHeaders::pick(headers);
        let user_id = UserId::new(number(headers.user, "caller_user_id")?);
        let chain_depth = number(headers.depth, "chain_depth")?;
        if chain_depth > limit.0 {
            return Err(ContractError::field(CODE, "chain_depth", "exceeds maximum chain depth"));
        }
        if chain_depth == 0 {
            return headers.top_of_chain(user_id, request_id);
        }
        headers.check_chain()?;
        Self::from_claims(Claims {
            agent_id: headers.agent.to_owned(),
            user_id,
            host: headers.host.to_owned(),
            chain_depth,
            chain_root_request_id: headers.root.to_owned(),
        })
    }

    /// All five headers, ready to send. The depth is this context's own: who calls on adds one.
    pub fn to_headers(&self) -> Value {
        let claims = self.claims();
        json!({
            AGENT: claims.agent_id,
            USER: claims.user_id.to_string(),
            HOST: claims.host,
            DEPTH: claims.chain_depth.to_string(),
            ROOT: claims.chain_root_request_id,
        })
    }
}

/// The trimmed caller headers of a request; what is missing is empty.
struct CallerHeaders<'a> {
    agent: &'a str,
    user: &'a str,
    host: &'a str,
    depth: &'a str,
    root: &'a str,
}

impl<'a> CallerHeaders<'a> {
    fn pick(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut picked = [AGENT, USER, HOST, DEPTH, ROOT].map(|name| (name, None));
        for (name, value) in headers {
            if let Some((_, first)) = picked.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                first.get_or_insert(value.trim());
            }
        }
        let [agent, user, host, depth, root] = picked.map(|(_, first)| first.unwrap_or_default());
        Self { agent, user, host, depth, root }
    }

    /// At depth zero nobody called, so nobody may be named; even `self` is more than nothing.
    fn top_of_chain(&self, user_id: UserId, request_id: &str) -> Result<CallerContext> {
        if !self.agent.is_empty() || user_id.is_somebody() || !self.host.is_empty() {
            return Err(identity_at_the_top());
        }
        CallerContext::top_of_chain(if self.root.is_empty() { request_id } else { self.root })
    }

    fn check_chain(&self) -> Result<()> {
        let missing = |field| {
            ContractError::field(CODE, field, "must be present when chain_depth is greater than zero")
        };
        if self.agent.is_empty() {
            return Err(missing("caller_agent_id"));
        }
        if self.host.is_empty() {
            return Err(missing("caller_host"));
        }
        if self.host == SELF {
            let reason = "must name a remote host when chain_depth is greater than zero";
            return Err(ContractError::field(CODE, "caller_host", reason));
        }
        if self.root.is_empty() {
            return Err(missing("chain_root_request_id"));
        }
        host::checked_url(self.host)
    }
}

/// ASCII digits only; nothing at all is zero.
fn number(text: &str, field: &str) -> Result<u64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(bad_number(field));
    }
    if text.is_empty() { Ok(0) } else { text.parse().map_err(|_| bad_number(field)) }
}
