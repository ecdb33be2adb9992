//! The body of a request.

use provost_contract::json::Object;
use serde_json::{Value, json};

use super::cache;
use crate::delivery::Delivery;
use crate::request::{OfferedTool, ProviderRequest};
use crate::{Effort, ParallelCalls, Reasoning, Settings, ToolChoice};

/// Anthropic wants a limit on every answer; this one every model of theirs takes.
const TOKENS_MAX: u64 = 8_192;

pub(super) fn body(ask: &ProviderRequest, delivery: Delivery) -> Object {
    let settings = &ask.settings;
    let mut body = Object::new();
    body.insert("model".into(), settings.model.as_str().into());
    body.insert("max_tokens".into(), max_tokens(settings).into());
    if delivery == Delivery::Streamed {
        body.insert("stream".into(), true.into());
    }
    if let Some(temperature) = settings.temperature {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(thinking) = settings.reasoning.map(thinking) {
        body.insert("thinking".into(), thinking);
    }
    let output = output_config(ask);
    if !output.is_empty() {
        body.insert("output_config".into(), Value::Object(output));
    }
    if !ask.tools.is_empty() {
        body.insert("tools".into(), ask.tools.iter().map(tool).collect());
        body.extend(tool_choice(ask).map(|choice| ("tool_choice".to_owned(), choice)));
    }
    body.extend(ask.transcript.clone());
    cache::mark(&mut body, settings.prompt_cache);
    body
}

/// The limit counts thinking, so a budget for thinking comes on top of the default.
pub(super) fn max_tokens(settings: &Settings) -> u64 {
    let thinking = match settings.reasoning {
        Some(Reasoning::BudgetTokens(budget)) => budget,
        Some(Reasoning::Effort(_)) | None => 0,
    };
    settings.max_tokens.unwrap_or_else(|| TOKENS_MAX.saturating_add(thinking))
}

fn thinking(reasoning: Reasoning) -> Value {
    match reasoning {
        Reasoning::Effort(_) => json!({ "type": "adaptive" }),
        Reasoning::BudgetTokens(budget) => json!({ "type": "enabled", "budget_tokens": budget }),
    }
}

fn output_config(ask: &ProviderRequest) -> Object {
    let mut config = Object::new();
    if let Some(Reasoning::Effort(effort)) = ask.settings.reasoning {
        config.insert("effort".into(), effort_word(effort).into());
    }
    if let Some(wanted) = &ask.structured_output {
        config.insert("format".into(), json!({ "type": "json_schema", "schema": wanted.schema }));
    }
    config
}

/// Anthropic has no word below low.
fn effort_word(effort: Effort) -> &'static str {
    match effort {
        Effort::Minimal | Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    }
}

fn tool(tool: &OfferedTool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema })
}

fn tool_choice(ask: &ProviderRequest) -> Option<Value> {
    let one_at_a_time = ask.settings.parallel_calls == ParallelCalls::OneAtATime;
    let mut choice = match &ask.settings.tool_choice {
        ToolChoice::Auto if !one_at_a_time => return None,
        ToolChoice::Auto => json!({ "type": "auto" }),
        // No call at all is also no two at once; the field is not allowed beside it.
        ToolChoice::None => return Some(json!({ "type": "none" })),
        ToolChoice::Required => json!({ "type": "any" }),
        ToolChoice::Tool(name) => json!({ "type": "tool", "name": ask.alias(name) }),
    };
    if let (Some(choice), true) = (choice.as_object_mut(), one_at_a_time) {
        choice.insert("disable_parallel_tool_use".into(), true.into());
    }
    Some(choice)
}
