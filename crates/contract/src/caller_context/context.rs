//! The caller context: the top of a chain, or a remote caller somewhere in one.

use std::num::NonZeroU64;

use serde_json::{Value, json};

use super::CODE;
use super::host::{self, SELF};
use crate::json::{self, Object};
use crate::{ContractError, Result, UserId, loose};

/// The claims that came with a request: where the chain of calls began, and who called last.
#[derive(Clone, Debug, PartialEq)]
pub struct CallerContext {
    /// Never empty.
    chain_root_request_id: String,
    /// No one at the top of a chain.
    caller: Option<RemoteCaller>,
    /// What the host noted about the claims; it never leaves the host.
    pub metadata: Object,
}

/// The agent on another host that made the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteCaller {
    /// Its id over there; empty when a stored context does not say.
    pub agent_id: String,
    /// The user over there it acted for.
    pub user_id: UserId,
    /// An absolute URL.
    host: String,
    /// How many calls deep the chain is.
    pub chain_depth: NonZeroU64,
}

impl RemoteCaller {
    /// The URL of the calling host.
    pub fn host(&self) -> &str {
        &self.host
    }
}

/// What a context says before it is checked for agreeing with itself.
pub(super) struct Claims {
    pub(super) agent_id: String,
    pub(super) user_id: UserId,
    pub(super) host: String,
    pub(super) chain_depth: u64,
    pub(super) chain_root_request_id: String,
}

impl CallerContext {
    /// A chain that begins with this request.
    pub fn top_of_chain(chain_root_request_id: &str) -> Result<Self> {
        Ok(Self {
            chain_root_request_id: checked_root(chain_root_request_id)?,
            caller: None,
            metadata: Object::new(),
        })
    }

    /// Reads a stored context; a chain of any depth is accepted.
    pub fn parse(value: &Value) -> Result<Self> {
        let field = |key| value.get(key).unwrap_or(&Value::Null);
        let text = |key, default: &str| loose::scalar(field(key)).unwrap_or_else(|| default.to_owned());
        let user_id = UserId::parse(field("caller_user_id"), CODE, "caller_user_id")?;
        let host = text("caller_host", SELF);
        if host != SELF {
            host::checked_url(&host)?;
        }
        let chain_depth = u64::try_from(loose::integer(field("chain_depth")).unwrap_or_default())
            .map_err(|_| bad_number("chain_depth"))?;
        let (agent_id, chain_root_request_id) =
            (text("caller_agent_id", ""), text("chain_root_request_id", ""));
        let claims = Claims { agent_id, user_id, host, chain_depth, chain_root_request_id };
        let metadata = value.as_object().map(|context| json::object_or_empty(context, "metadata"));
        Ok(Self { metadata: metadata.unwrap_or_default(), ..Self::from_claims(claims)? })
    }

    /// Checks that the claims agree with each other; the host's form is already checked.
    pub(super) fn from_claims(claims: Claims) -> Result<Self> {
        let top = Self::top_of_chain(&claims.chain_root_request_id)?;
        let is_local = claims.host == SELF;
        let Some(chain_depth) = NonZeroU64::new(claims.chain_depth) else {
            let nobody = claims.agent_id.is_empty() && !claims.user_id.is_somebody() && is_local;
            return if nobody { Ok(top) } else { Err(identity_at_the_top()) };
        };
        if is_local {
            return Err(ContractError::field(
                CODE,
                "caller_host",
                "chained context (chain_depth > 0) must specify a remote caller host, not \"self\"",
            ));
        }
        let Claims { agent_id, user_id, host, .. } = claims;
        Ok(Self { caller: Some(RemoteCaller { agent_id, user_id, host, chain_depth }), ..top })
    }

    /// Who called; no one at the top of a chain.
    pub fn caller(&self) -> Option<&RemoteCaller> {
        self.caller.as_ref()
    }

    /// The id of the request the chain began with.
    pub fn chain_root_request_id(&self) -> &str {
        &self.chain_root_request_id
    }

    /// Zero at the top of a chain.
    pub fn chain_depth(&self) -> u64 {
        self.caller.as_ref().map_or(0, |caller| caller.chain_depth.get())
    }

    /// Whether another host called.
    pub fn is_cross_site(&self) -> bool {
        self.caller.is_some()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let claims = self.claims();
        json!({
            "caller_agent_id": claims.agent_id,
            "caller_user_id": claims.user_id,
            "caller_host": claims.host,
            "chain_depth": claims.chain_depth,
            "chain_root_request_id": claims.chain_root_request_id,
            "metadata": self.metadata,
        })
    }

    pub(super) fn claims(&self) -> Claims {
        let chain_root_request_id = self.chain_root_request_id.clone();
        match &self.caller {
            Some(caller) => Claims {
                agent_id: caller.agent_id.clone(),
                user_id: caller.user_id,
                host: caller.host.clone(),
                chain_depth: caller.chain_depth.get(),
                chain_root_request_id,
            },
            None => Claims {
                agent_id: String::new(),
                user_id: UserId::NOBODY,
                host: SELF.to_owned(),
                chain_depth: 0,
                chain_root_request_id,
            },
        }
    }
}

fn checked_root(id: &str) -> Result<String> {
    if id.is_empty() {
        return Err(ContractError::field(CODE, "chain_root_request_id", "must be a non-empty string"));
    }
    Ok(id.to_owned())
}

/// Refuses a caller named by a request that says nobody called.
pub(super) fn identity_at_the_top() -> ContractError {
    let reason = "top-of-chain context cannot include remote caller identity";
    ContractError::field(CODE, "chain_depth", reason)
}

pub(super) fn bad_number(field: &str) -> ContractError {
    ContractError::field(CODE, field, "must be zero or a positive integer")
}
