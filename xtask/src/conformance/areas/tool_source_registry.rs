//! Area `tool-source-registry`.

use provost_contract::json;
use provost_contract::json::Object;
use provost_contract::tool::{DEFAULT_PRIORITY, GatheredTools, ToolSourceRegistry};
use serde_json::{Value, json};

use super::{Answer, input, list, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let registry = registered(list(case, "steps"))?;
    match op {
        "gather" => Ok(gather(&registry, case.get("source_order"))),
        "sources" => Ok(registry.sources().into_iter().map(|(slug, _)| slug).collect()),
        _ => unknown_operation(op),
    }
}

fn registered(steps: &[Value]) -> Result<ToolSourceRegistry<Value>, Value> {
    let mut registry = ToolSourceRegistry::default();
    for step in steps {
        match input(step, "unregister").as_str() {
            Some(slug) => registry.unregister(slug),
            None => {
                let priority = input(step, "priority").as_i64().unwrap_or(DEFAULT_PRIORITY);
                registry.register(text(step, "register"), priority, input(step, "returns").clone())?;
            }
        }
    }
    Ok(registry)
}

fn gather(registry: &ToolSourceRegistry<Value>, order: Option<&Value>) -> Value {
    let sources = match order {
        None => registry.sources(),
        Some(order) if order.is_array() => registry.sources_in(&json::string_list(order)),
        Some(_) => Vec::new(),
    };
    let gathered = GatheredTools::gather(sources);
    let tools: Object = gathered.tools.iter().map(|(key, tool)| (key.clone(), tool.to_value())).collect();
    json!({ "order": tools.keys().collect::<Vec<_>>(), "tools": tools })
}
