//! Area `action-policy`.

use provost_contract::{WorkspaceScope, json};
use provost_policy::ActionPolicy;
use provost_policy::action_policy::{self, Consulted, MemoryKey, Question};
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let value = input(case, "value");
    match op {
        "resolve" => Ok(resolve(case).word().into()),
        "normalize" => {
            let policy = ActionPolicy::parse(value).or_else(|| ActionPolicy::parse(input(case, "fallback")));
            Ok(json!(policy.map(ActionPolicy::word)))
        }
        "classify" => Ok(ActionPolicy::classify(value)),
        _ => unknown_operation(op),
    }
}

fn resolve(case: &Value) -> ActionPolicy {
    let registered = object(case, "registered_agents");
    let question = Question::parse(&object(case, "context"), |name| json::object(&registered, name).cloned());
    let consulted = Consulted {
        providers: list(case, "providers").iter().map(ActionPolicy::from_hook).collect(),
        remembered: question.memory_key().and_then(|key| remembered(case, key)),
        final_override: ActionPolicy::from_hook(input(input(case, "final_override"), "returns")),
    };
    action_policy::resolve(&question, &consulted).decision.verdict
}

/// What the scripted memory holds under a key.
fn remembered(case: &Value, key: &MemoryKey) -> Option<ActionPolicy> {
    let record = list(case, "memory").iter().find(|record| {
        WorkspaceScope::parse(record).is_ok_and(|scope| scope == key.workspace)
            && input(record, "user_id").as_u64().map(|user| user.to_string()) == Some(key.user_id.to_string())
            && text(record, "agent_id") == key.agent_id
            && text(record, "tool_name") == key.tool_name
    });
    ActionPolicy::parse(input(record?, "policy"))
}
