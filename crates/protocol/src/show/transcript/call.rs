//! One call and its result.

use std::fmt::Write as _;

use provost_contract::action::{ActionId, ExecutorRef, ExecutorType, Observation, Target};
use provost_contract::json::Object;
use serde_json::Value;

use super::replay::Fullness;
use crate::show::observe::write_result;
use crate::show::render::{Language, code_span, one_line, write_fenced};

/// A declared call and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The action.
    pub id: ActionId,
    /// The executor.
    pub executor: ExecutorRef,
    /// The operation.
    pub operation: Option<String>,
    /// Its dependencies.
    pub depends: Vec<ActionId>,
    /// Its title.
    pub description: Option<String>,
    /// The arguments.
    pub args: Option<Object>,
    /// The task text.
    pub prompt: Option<String>,
    /// The observation of the result.
    pub result: Observation,
}

impl Call {
    pub(super) fn declaration_chars(&self) -> usize {
        let prompt = self.prompt.as_ref().map_or(0, String::len);
        prompt + self.args.as_ref().map_or(0, size_of_object)
    }

    pub(super) fn write(&self, out: &mut String, fullness: Fullness) {
        let _ = writeln!(out, "### Call {}\n\n{}", self.id, self.asked());
        if let Some(operation) = &self.operation {
            let _ = writeln!(out, "Operation: {}", code_span(operation));
        }
        if !self.depends.is_empty() {
            let ids: Vec<String> = self.depends.iter().map(|id| code_span(id.as_str())).collect();
            let _ = writeln!(out, "Depends: {}", ids.join(", "));
        }
        match fullness {
            Fullness::Full => self.write_arguments(out),
            Fullness::Compressed => {
                if let Some(description) = &self.description {
                    let _ = writeln!(out, "Task: {}", one_line(description));
                }
            }
        }
        out.push('\n');
        write_result(out, &self.id, &self.result);
    }

    /// Returns a concrete tool or agent by its name, any other executor by type and target.
    fn asked(&self) -> String {
        match (self.executor.kind, &self.executor.target) {
            (Some(ExecutorType::Tool), Target::Named(name)) => format!("Tool: {}", code_span(name)),
            (Some(ExecutorType::Agent), Target::Named(name)) => format!("Agent: {}", code_span(name)),
            (Some(kind), target) => {
                format!("Executor: {}", code_span(&format!("{}:{}", <&str>::from(kind), target.as_str())))
            }
            (None, target) => format!("Executor: {}", code_span(target.as_str())),
        }
    }

    fn write_arguments(&self, out: &mut String) {
        if let Some(args) = &self.args {
            let kind = self.executor.kind.map_or("auto", <&str>::from);
            let target = one_line(self.executor.target.as_str());
            let json = serde_json::to_string_pretty(args).unwrap_or_default();
            out.push('\n');
            write_fenced(out, Language::Shell, &format!("{kind} {target} <<'JSON'\n{json}\nJSON"));
        }
        if let Some(prompt) = &self.prompt {
            out.push_str("\nPrompt:\n\n");
            write_fenced(out, Language::Markdown, prompt);
        }
    }
}

/// Estimates the length of the arguments as text, without building it.
fn size_of_object(args: &Object) -> usize {
    args.iter().map(|(key, value)| key.len() + size_of_value(value)).sum()
}

fn size_of_value(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size_of_value).sum(),
        Value::Object(map) => size_of_object(map),
    }
}
