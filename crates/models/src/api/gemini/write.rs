//! The body of a request.

use provost_contract::json::Object;
use serde_json::{Value, json};

use crate::request::{OfferedTool, ProviderRequest};
use crate::{Reasoning, ToolChoice};

/// Gemini has no word for one call at a time: `parallel_calls` says nothing here.
pub(super) fn body(ask: &ProviderRequest) -> Object {
    let mut body = ask.transcript.clone();
    if !ask.tools.is_empty() {
        let declarations: Vec<Value> = ask.tools.iter().map(tool).collect();
        body.insert("tools".into(), json!([{ "functionDeclarations": declarations }]));
        body.extend(
            tool_choice(ask)
                .map(|choice| ("toolConfig".to_owned(), json!({ "functionCallingConfig": choice }))),
        );
    }
    if !ask.tools.is_empty()
        && let Some(words) = ask.output_in_words()
    {
        say(&mut body, &words);
    }
    let config = generation_config(ask);
    if !config.is_empty() {
        body.insert("generationConfig".into(), Value::Object(config));
    }
    body
}

/// Adds a sentence to the instructions.
fn say(body: &mut Object, words: &str) {
    let system = body.entry("systemInstruction").or_insert_with(|| json!({ "parts": [] }));
    if let Some(parts) = system.get_mut("parts").and_then(Value::as_array_mut) {
        parts.push(json!({ "text": words }));
    }
}

fn generation_config(ask: &ProviderRequest) -> Object {
    let settings = &ask.settings;
    let mut config = Object::new();
    if let Some(max_tokens) = settings.max_tokens {
        config.insert("maxOutputTokens".into(), max_tokens.into());
    }
    if let Some(temperature) = settings.temperature {
        config.insert("temperature".into(), temperature.into());
    }
    if let Some(thinking) = settings.reasoning.map(thinking_config) {
        config.insert("thinkingConfig".into(), thinking);
    }
    // Gemini does not take a schema beside tools: it is said in words then.
    if let Some(wanted) = ask.structured_output.as_ref().filter(|_| ask.tools.is_empty()) {
        config.insert("responseMimeType".into(), "application/json".into());
        config.insert("responseJsonSchema".into(), Value::Object(wanted.schema.clone()));
    }
    config
}

fn thinking_config(reasoning: Reasoning) -> Value {
    match reasoning {
        Reasoning::Effort(effort) => json!({ "thinkingLevel": effort.to_string(), "includeThoughts": true }),
        Reasoning::BudgetTokens(budget) => json!({ "thinkingBudget": budget, "includeThoughts": true }),
    }
}

fn tool(tool: &OfferedTool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema })
}

fn tool_choice(ask: &ProviderRequest) -> Option<Value> {
    match &ask.settings.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!({ "mode": "NONE" })),
        ToolChoice::Required => Some(json!({ "mode": "ANY" })),
        ToolChoice::Tool(name) => Some(json!({ "mode": "ANY", "allowedFunctionNames": [ask.alias(name)] })),
    }
}
