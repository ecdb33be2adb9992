//! Which tools the model sees, and by which layer.

use provost_contract::json::{self, Object};
use provost_contract::tool::ToolDeclaration;
use provost_policy::visibility::{Context, resolve};
use serde_json::{Value, json};

use super::Decided;
use crate::Agent;

/// The decisions about tools, as they were recorded or, without a record, as the policy decides them.
pub(super) fn decided(agent: &Agent, at: &Decided) -> Vec<Decided> {
    let computed;
    let recorded = match agent.spec.visibility.as_slice() {
        [] => {
            computed = resolved(agent);
            &computed
        }
        recorded => recorded,
    };
    recorded.iter().map(|record| of_record(at.clone(), record)).collect()
}

fn of_record(at: Decided, record: &Value) -> Decided {
    let decision = record.get("decision").cloned().unwrap_or_default();
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let what = match text(decision.get("verdict")).as_str() {
        "allow" | "visible" => "is shown to the model".to_owned(),
        "" => "shown".to_owned(),
        verdict => verdict.to_owned(),
    };
    Decided { tool: text(record.get("tool_name")), ..at }.what(what).recorded(&decision)
}

/// Without a policy no layer speaks about a tool. What the compiled agent has is shown, also where a layer
/// looks at marks of the declaration that the agent does not have any more.
fn resolved(agent: &Agent) -> Vec<Value> {
    let policy = &agent.spec.policy;
    if policy.is_empty() {
        return Vec::new();
    }
    let config = |_: &str| json::object(policy, "agent_config").cloned();
    let context = Context::parse(policy, config, Vec::new());
    // A catalog gives every tool the scope of the run, which would mark it as supplied by a client.
    let declared = |tool: &ToolDeclaration| json::without(&json::into_object(tool.to_value()), &["scope"]);
    let tools = agent.catalog.tools().iter();
    let tools: Object = tools.map(|tool| (tool.name().to_string(), declared(tool).into())).collect();
    let compiled =
        json!({ "verdict": "visible", "layer": "agent", "reason": "the agent was compiled with the tool" });
    let decided = resolve(&tools, &context, |_| Ok(None)).into_iter().map(|tool| {
        let decision = if tool.is_visible() { tool.explained.decision.to_value() } else { compiled.clone() };
        json!({ "tool_name": tool.name, "decision": decision })
    });
    decided.collect()
}
