//! One called tool, and what its run says about it.

use provost_contract::json::{self, Object};
use provost_contract::{UserId, WorkspaceScope, loose};

use super::ActionPolicy;
use crate::{agent_policy, tool};

const DEFAULT_MODE: &str = "chat";

/// How may this tool execute in this run?
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub(super) tool_name: String,
    pub(super) declaration: Object,
    pub(super) mode: String,
    pub(super) deny: Vec<String>,
    /// The run's action policy, or else its agent's.
    pub(super) policy: Object,
    memory_key: Option<MemoryKey>,
}

/// What a remembered decision is filed under. It holds for one user in one workspace, never for others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemoryKey {
    pub workspace: WorkspaceScope,
    pub user_id: UserId,
    pub agent_id: String,
    pub tool_name: String,
}

impl Question {
    /// Reads the runtime context of a call. `registered_config` finds the configuration of the agent it
    /// names. A policy given with the run replaces the agent's completely, even when it is empty.
    pub fn parse(context: &Object, registered_config: impl FnOnce(&str) -> Option<Object>) -> Self {
        let tool_name = json::text(context, "tool_name").unwrap_or_default().to_owned();
        let of_run = json::get(context, "action_policy").and_then(json::object_from);
        let policy = of_run.or_else(|| agent_policy::policy_of(context, registered_config, "action_policy"));
        Self {
            memory_key: memory_key(context, &tool_name),
            tool_name,
            declaration: json::object_or_empty(context, "tool_def"),
            mode: json::text(context, "mode").unwrap_or(DEFAULT_MODE).to_owned(),
            deny: context.get("deny").map(json::string_list).unwrap_or_default(),
            policy: policy.unwrap_or_default(),
        }
    }

    /// Where a remembered decision would be filed; none when the run does not say whose it would be.
    pub fn memory_key(&self) -> Option<&MemoryKey> {
        self.memory_key.as_ref()
    }

    pub(super) fn named(&self) -> Option<ActionPolicy> {
        ActionPolicy::parse(json::object(&self.policy, "tools")?.get(&self.tool_name)?)
    }

    /// The first category of the policy, in its own order, that the tool has.
    pub(super) fn by_category(&self) -> Option<(&str, ActionPolicy)> {
        let own = tool::categories(&self.declaration);
        let listed = json::object(&self.policy, "categories")?.iter();
        let mut matching = listed.filter(|(category, _)| own.contains(category));
        matching.find_map(|(category, value)| Some((category.as_str(), ActionPolicy::parse(value)?)))
    }

    pub(super) fn declared(&self) -> Option<ActionPolicy> {
        self.declaration.get("action_policy").and_then(ActionPolicy::parse)
    }

    pub(super) fn declared_for_mode(&self) -> Option<ActionPolicy> {
        self.declaration.get(&format!("action_policy_{}", self.mode)).and_then(ActionPolicy::parse)
    }
}

fn memory_key(context: &Object, tool_name: &str) -> Option<MemoryKey> {
    let first = |keys: [&str; 2]| keys.into_iter().find_map(|key| json::present(context, key));
    let user = first(["user_id", "acting_user_id"]).and_then(loose::integer)?;
    let user_id = UserId::new(u64::try_from(user).ok()?);
    Some(MemoryKey {
        workspace: WorkspaceScope::parse(context.get("workspace")?).ok()?,
        user_id: Some(user_id).filter(|user| user.is_somebody())?,
        agent_id: first(["agent_id", "agent_slug"]).and_then(loose::text)?,
        tool_name: tool_name.to_owned(),
    })
}
