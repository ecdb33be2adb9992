//! Tools of the second tier: the model reads one line for each, and asks for the ones that it needs.
//!
//! A provider may refuse calls of tools that were not declared to it, so the model calls a declared tool first. What
//! that promotes is part of the run's state (`RunState::promoted`).

use provost_contract::json;
use provost_contract::tool::{ToolDeclaration, provider_safe_name};
use provost_contract::{ContractError, Message, Result};
use provost_engine::SHOW_TOOLS;
use provost_policy::tool_tiers::Tiers;
use serde_json::{Value, json};

use crate::actor::Work;

/// Returns the declaration of the tool by which a model asks for others.
///
/// # Errors
/// If it cannot be read: a defect.
pub(super) fn declaration() -> Result<ToolDeclaration> {
    let declaration = json::into_object(json!({
        "name": SHOW_TOOLS,
        "description": "Makes further tools available, with their full schemas, from your next message on.",
        "side_effects": ["read"],
        "parameters": {
            "type": "object",
            "properties": {
                "names": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "The names of the tools, as they are listed.",
                },
            },
            "required": ["names"],
            "additionalProperties": false,
        },
    }));
    ToolDeclaration::parse_request(&declaration)
}

/// Why an agent in tiers cannot have a tool of its own under this name.
pub(super) fn reserved() -> ContractError {
    let problem = format!("{SHOW_TOOLS} is the name of a built-in tool if an agent has tool tiers");
    ContractError::field("invalid_tool_declaration", "tool_declarations", &problem)
}

/// What the model reads of the tools that it is not shown in full; none if it is shown all. `can_ask` says whether it
/// has the tool to ask for them.
pub(super) fn manifest(tiers: &Tiers, can_ask: bool) -> Option<Message> {
    if tiers.tier_2.is_empty() {
        return None;
    }
    let lines = tiers.manifest().iter().map(|line| {
        let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default();
        let fields = line.get("required_fields").map(json::string_list).unwrap_or_default();
        format!("- {} ({}): {}", text("name"), fields.join(", "), text("summary"))
    });
    let lines: Vec<String> = lines.collect();
    let intro = match can_ask {
        // A provider does not allow the slash of a name: the model has the tool under this one.
        true => format!(
            "There are more tools, listed here with their required fields. Before you use one, call {} with its name; \
             then it is available in your next message:",
            provider_safe_name(SHOW_TOOLS)
        ),
        false => {
            "These tools can be called by name as well, with at least the fields in parentheses:".to_owned()
        }
    };
    Some(Message::text("system", format!("{intro}\n{}", lines.join("\n"))))
}

/// What a call of the tool replies; none for a call of another tool.
pub(super) fn reply(work: &Work) -> Option<Value> {
    let agent = &work.context.agent;
    if work.spec.operation != SHOW_TOOLS || agent.spec.tier_1.is_none() {
        return None;
    }
    let names = work.raw.get("names").map(json::string_list).unwrap_or_default();
    let (known, unknown): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| agent.catalog.find(name).is_some());
    if known.is_empty() {
        let error = format!("There is no tool named {}.", unknown.join(" or "));
        return Some(
            json!({ "success": false, "error": error, "metadata": { "error_type": "unknown_tool" } }),
        );
    }
    Some(json!({ "available_from_the_next_message": known, "unknown": unknown }))
}
