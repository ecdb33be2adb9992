//! Which agent an operation is for, when several places may say so.

use serde_json::Value;

use super::ExecutionPrincipal;
use crate::json;
use crate::{ContractError, Result, UserId, loose, slug};

const CODE: &str = "invalid_effective_agent_resolution";

/// Everything that may name the agent of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveAgentQuestion {
    /// Slugs in the order they are believed; none is empty.
    named: Vec<String>,
    /// Whose only agent it may be.
    owner: UserId,
    /// The owner's agents, when the caller lists them itself.
    owner_agents: Option<Vec<String>>,
}

/// A registered agent and who owns it.
#[derive(Clone, Copy, Debug)]
pub struct OwnedAgent<'a> {
    /// The agent's slug.
    pub slug: &'a str,
    /// Nobody for an agent without an owner.
    pub owner: UserId,
}

impl EffectiveAgentQuestion {
    /// Reads the context of an operation. What the caller says explicitly comes first, then the principal,
    /// then what was persisted.
    pub fn parse(context: &Value) -> Result<Self> {
        let field = |key| context.get(key).and_then(as_slug);
        let principal = context.get("principal").filter(|value| value.is_object());
        let principal = principal.map(ExecutionPrincipal::parse).transpose()?;
        let named = [
            field("agent_slug"),
            field("effective_agent_id"),
            principal.map(|principal| slug(principal.effective_agent_id())).filter(|slug| !slug.is_empty()),
            field("persisted_agent_slug"),
            field("persisted_effective_agent_id"),
        ];
        let owner = context.get("owner_user_id").and_then(loose::integer).unwrap_or_default();
        let listed = context.as_object().and_then(|context| json::list(context, "owner_agent_slugs"));
        Ok(Self {
            named: named.into_iter().flatten().collect(),
            owner: UserId::new(owner.try_into().unwrap_or_default()),
            owner_agents: listed.map(|slugs| slugs.iter().filter_map(as_slug).collect()),
        })
    }

    /// The slug of the agent; empty when nothing names one. An owner of several agents must say which.
    pub fn resolve<'a>(&self, registered: impl IntoIterator<Item = OwnedAgent<'a>>) -> Result<String> {
        if let Some(named) = self.named.first() {
            return Ok(named.clone());
        }
        if !self.owner.is_somebody() {
            return Ok(String::new());
        }
        let owned = || {
            let owned = registered.into_iter().filter(|agent| agent.owner == self.owner);
            owned.map(|agent| slug(agent.slug)).filter(|slug| !slug.is_empty()).collect()
        };
        only_one(self.owner_agents.clone().unwrap_or_else(owned))
    }
}

fn only_one(candidates: Vec<String>) -> Result<String> {
    let mut distinct: Vec<String> = Vec::new();
    for candidate in candidates {
        if !distinct.contains(&candidate) {
            distinct.push(candidate);
        }
    }
    match distinct.as_slice() {
        [] => Ok(String::new()),
        [only] => Ok(only.clone()),
        [_, _, ..] => Err(ContractError::field(
            CODE,
            "owner_user_id",
            &format!(
                "is ambiguous; provide an explicit agent_slug or execution principal. Candidates: {}",
                distinct.join(", ")
            ),
        )),
    }
}

/// The slug of a scalar, unless nothing is left of it.
fn as_slug(value: &Value) -> Option<String> {
    loose::scalar(value).map(|text| slug(&text)).filter(|slug| !slug.is_empty())
}
