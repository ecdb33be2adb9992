//! The body of a request.

use provost_contract::json::Object;
use serde_json::{Value, json};

use crate::api::openai::{effort, parallel_calls, schema_name};
use crate::delivery::Delivery;
use crate::request::{OfferedTool, ProviderRequest};
use crate::{Fault, ToolChoice};

pub(super) fn body(ask: &ProviderRequest, delivery: Delivery) -> Result<Object, Fault> {
    let settings = &ask.settings;
    let mut body = Object::new();
    body.insert("model".into(), settings.model.as_str().into());
    // The transcript is ours and travels with every request, and so does the thinking, sealed.
    body.insert("store".into(), false.into());
    body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    if delivery == Delivery::Streamed {
        body.insert("stream".into(), true.into());
    }
    if let Some(max_tokens) = settings.max_tokens {
        body.insert("max_output_tokens".into(), max_tokens.into());
    }
    if let Some(temperature) = settings.temperature {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(reasoning) = settings.reasoning {
        body.insert("reasoning".into(), json!({ "effort": effort(reasoning)?, "summary": "auto" }));
    }
    if let Some(wanted) = &ask.structured_output {
        let (name, schema) = (schema_name(wanted), &wanted.schema);
        let format =
            json!({ "type": "json_schema", "name": name, "schema": schema, "strict": wanted.strict });
        body.insert("text".into(), json!({ "format": format }));
    }
    if !ask.tools.is_empty() {
        body.insert("tools".into(), ask.tools.iter().map(tool).collect());
        body.extend(tool_choice(ask).map(|choice| ("tool_choice".to_owned(), choice)));
        body.extend(parallel_calls(settings));
    }
    body.extend(ask.transcript.clone());
    Ok(body)
}

/// Not strict: a strict schema must list every parameter as required, and ours come as they are.
fn tool(tool: &OfferedTool) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": false,
    })
}

fn tool_choice(ask: &ProviderRequest) -> Option<Value> {
    match &ask.settings.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none".into()),
        ToolChoice::Required => Some("required".into()),
        ToolChoice::Tool(name) => Some(json!({ "type": "function", "name": ask.alias(name) })),
    }
}
