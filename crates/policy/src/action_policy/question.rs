//! One called tool, and what its run says about it.

use provost_contract::json::{self, Object};
use provost_contract::{UserId, WorkspaceScope, loose};

use super::ActionPolicy;
use crate::{agent_policy, tool};

const DEFAULT_MODE: &str = "chat";

/// How may this tool execute in this run? Holds what everybody said who need not be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub(super) tool_name: String,
    pub(super) mode: String,
    /// Whether the run denies the tool.
    pub(super) is_denied: bool,
    /// The policy's word about this tool.
    pub(super) named: Option<ActionPolicy>,
    /// The first category of the policy, in its own order, that the tool has.
    pub(super) by_category: Option<(String, ActionPolicy)>,
    /// The tool's own default.
    pub(super) declared: Option<ActionPolicy>,
    /// The tool's default for the mode.
    pub(super) declared_for_mode: Option<ActionPolicy>,
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
    /// names. A policy given with the run takes the place of the agent's, even when it is empty; but what the
    /// agent's forbids stays forbidden.
    pub fn parse(context: &Object, registered_config: impl FnOnce(&str) -> Option<Object>) -> Self {
        let tool_name = json::text(context, "tool_name").unwrap_or_default();
        let declaration = json::object_or_empty(context, "tool_def");
        let of_run = json::get(context, "action_policy").and_then(json::object_from);
        let of_agent = agent_policy::policy_of(context, registered_config, "action_policy");
        let forbids = |policy: &Object| {
            let word = named(policy, tool_name).or_else(|| Some(by_category(policy, &declaration)?.1));
            word == Some(ActionPolicy::Forbidden)
        };
        let policy = match (of_run, of_agent) {
            (Some(_), Some(of_agent)) if forbids(&of_agent) => of_agent,
            (Some(of_run), _) => of_run,
            (None, of_agent) => of_agent.unwrap_or_default(),
        };
        let declared = |key: &str| json::get(&declaration, key).and_then(ActionPolicy::parse);
        let mode = json::text(context, "mode").unwrap_or(DEFAULT_MODE);
        let deny = json::get(context, "deny").map(json::string_list).unwrap_or_default();
        Self {
            is_denied: deny.iter().any(|denied| denied == tool_name),
            named: named(&policy, tool_name),
            by_category: by_category(&policy, &declaration),
            declared: declared("action_policy"),
            declared_for_mode: declared(&format!("action_policy_{mode}")),
            memory_key: memory_key(context, tool_name),
            tool_name: tool_name.to_owned(),
            mode: mode.to_owned(),
        }
    }

    /// Where a remembered decision would be filed; none when the run does not say whose it would be.
    pub fn memory_key(&self) -> Option<&MemoryKey> {
        self.memory_key.as_ref()
    }
}

fn named(policy: &Object, tool_name: &str) -> Option<ActionPolicy> {
    ActionPolicy::parse(json::object(policy, "tools")?.get(tool_name)?)
}

fn by_category(policy: &Object, declaration: &Object) -> Option<(String, ActionPolicy)> {
    let own = tool::categories(declaration);
    let listed = json::object(policy, "categories")?.iter();
    let mut matching = listed.filter(|(category, _)| own.contains(category));
    matching.find_map(|(category, value)| Some((category.clone(), ActionPolicy::parse(value)?)))
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
