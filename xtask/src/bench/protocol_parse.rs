//! `protocol-parse`: one declaration of 1,000 actions, read, normalised and checked whole.

use std::fmt::Write as _;

use provost_protocol::{AssistantMessage, Catalog, Speaking, Turn, accept};
use serde_json::{Value, json};

use super::measure::{Measurement, timed};
use crate::Failure;

const ACTIONS: usize = 1_000;
const RUNS: usize = 21;

/// Runs the workload.
pub(super) fn run() -> Result<Vec<Measurement>, Failure> {
    let tools: Vec<Value> = (0..20).map(tool).collect();
    let catalog = Catalog::parse(&tools, &[], &[]).map_err(|error| error.to_string())?;
    let turn = Turn::new(Speaking::Protocol, &catalog);
    let message = AssistantMessage::of_text(declaration());
    let mut runs = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let (read, seconds) = timed(|| accept(&message, &turn));
        let accepted = read?;
        if accepted.content.actions().len() != ACTIONS {
            return Err("the declaration lost actions".into());
        }
        runs.push(seconds);
    }
    Ok(vec![Measurement {
        workload: "protocol-parse",
        params: json!({ "actions": ACTIONS, "bytes": message.text.len(), "tools": tools.len() }),
        metric: "accept",
        unit: "s",
        runs,
    }])
}

fn tool(index: usize) -> Value {
    let property = |at: usize| (format!("field_{at}"), json!({ "type": "string", "maxLength": 200 }));
    let mut properties: serde_json::Map<String, Value> = (0..10).map(property).collect();
    properties.insert("count".into(), json!({ "type": "integer", "minimum": 1 }));
    json!({
        "name": format!("tool_{index}"),
        "side_effects": ["read"],
        "input_schema": {
            "type": "object",
            "properties": properties,
            "required": ["field_0", "count"],
            "additionalProperties": false,
        },
    })
}

/// A fenced block of about 400 KB, each action waiting for three before it and reading one of them.
fn declaration() -> String {
    let action = |at: usize| {
        let before: Vec<String> = [3, 7, 31]
            .iter()
            .filter_map(|step| at.checked_sub(*step))
            .map(|at| format!("action_{at}"))
            .collect();
        let context: Vec<String> =
            before.first().map(|id| format!("action:{id}.summary")).into_iter().collect();
        json!({
            "type": "action",
            "id": format!("action_{at}"),
            "title": format!("Step {at} of the plan"),
            "description": "Looks at one part of the workspace and says what it found there.",
            "executor": { "type": "tool", "target": format!("tool_{}", at % 20) },
            "input": { "field_0": "a text of ordinary length", "field_3": "another one", "count": at + 1 },
            "depends_on": before,
            "context_refs": context,
            "prompt_ref": format!("md:prompt.{}", at % 10),
            "result_policy": "summary",
        })
    };
    let actions: Vec<Value> = (0..ACTIONS).map(action).collect();
    let declaration = json!({
        "type": "agent.protocol",
        "version": "1",
        "intent": "execute",
        "payload": { "type": "action_graph", "actions": actions },
    });
    let mut text = format!("```json agent-protocol\n{declaration}\n```\n");
    for section in 0..10 {
        let _ = write!(text, "\n## prompt.{section}\n\nSay what you find, in two sentences.\n");
    }
    text
}
