//! Where an agent's own policy is found: in the run's context, or with the registered agent it names.

use provost_contract::json::{self, Object};

/// The policy under `key` of the run's agent. A configuration in the context stands for the whole agent:
/// when it has no such policy, the registered agent is not asked for one.
pub(crate) fn policy_of(
    context: &Object,
    registered_config: impl FnOnce(&str) -> Option<Object>,
    key: &str,
) -> Option<Object> {
    if let Some(config) = json::get(context, "agent_config").and_then(json::object_from) {
        return json::object(&config, key).cloned();
    }
    let name =
        json::trimmed_text(context, "agent_slug").or_else(|| json::trimmed_text(context, "agent_id"))?;
    json::object(&registered_config(name)?, key).cloned()
}
