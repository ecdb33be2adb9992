//! The body of a request.

use provost_contract::json::Object;
use serde_json::{Value, json};

use crate::api::openai::{effort, parallel_calls, schema_name};
use crate::delivery::Delivery;
use crate::request::{OfferedTool, ProviderRequest};
use crate::{Fault, ToolChoice};

pub(super) fn body(ask: &ProviderRequest, delivery: Delivery, limit: &str) -> Result<Object, Fault> {
    let settings = &ask.settings;
    let mut body = Object::new();
    body.insert("model".into(), settings.model.as_str().into());
    if delivery == Delivery::Streamed {
        body.insert("stream".into(), true.into());
        // Without it a streamed answer does not say what it cost.
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    if let Some(max_tokens) = settings.max_tokens {
        body.insert(limit.to_owned(), max_tokens.into());
    }
    if let Some(temperature) = settings.temperature {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(reasoning) = settings.reasoning {
        body.insert("reasoning_effort".into(), effort(reasoning)?.into());
    }
    if let Some(wanted) = &ask.structured_output {
        let schema = json!({ "name": schema_name(wanted), "schema": wanted.schema, "strict": wanted.strict });
        body.insert("response_format".into(), json!({ "type": "json_schema", "json_schema": schema }));
    }
    if !ask.tools.is_empty() {
        body.insert("tools".into(), ask.tools.iter().map(tool).collect());
        body.extend(tool_choice(ask).map(|choice| ("tool_choice".to_owned(), choice)));
        body.extend(parallel_calls(settings));
    }
    body.extend(ask.transcript.clone());
    Ok(body)
}

fn tool(tool: &OfferedTool) -> Value {
    let function = json!({ "name": tool.name, "description": tool.description, "parameters": tool.schema });
    json!({ "type": "function", "function": function })
}

fn tool_choice(ask: &ProviderRequest) -> Option<Value> {
    match &ask.settings.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none".into()),
        ToolChoice::Required => Some("required".into()),
        ToolChoice::Tool(name) => {
            Some(json!({ "type": "function", "function": { "name": ask.alias(name) } }))
        }
    }
}
