//! A rule of the gate, in its normal form.

use provost_contract::json::{self, Object};
use provost_contract::loose;
use serde_json::{Value, json};

/// One rule that can act: it gates calls, or completion, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateRule {
    pub(super) id: String,
    /// The tool whose call sets the rule off; empty only when tool use as such is required.
    pub(super) after_tool: String,
    pub(super) limited_tools: Vec<String>,
    pub(super) max_calls: usize,
    pub(super) require_one_of: Vec<String>,
    pub(super) require_tool_use: bool,
    pub(super) min_tool_calls: usize,
    pub(super) gate_calls: bool,
    pub(super) gate_completion: bool,
}

/// Reads the rules of a run; a rule that cannot act is dropped.
pub fn normalize_rules(rules: &[Value]) -> Vec<GateRule> {
    let read = |(index, rule): (usize, &Value)| GateRule::parse(index, rule.as_object()?);
    rules.iter().enumerate().filter_map(read).collect()
}

impl GateRule {
    fn parse(index: usize, raw: &Object) -> Option<Self> {
        let rule = Self::read(index, raw);
        let can_finish_work = rule.require_tool_use && rule.gate_completion;
        let has_an_order = !rule.require_tool_use
            && !rule.after_tool.is_empty()
            && !rule.require_one_of.is_empty()
            && (rule.gate_calls || rule.gate_completion);
        (can_finish_work || has_an_order).then_some(rule)
    }

    fn read(index: usize, raw: &Object) -> Self {
        let list = |key, alias| {
            let value = json::present(raw, key).or_else(|| json::present(raw, alias));
            value.map(json::string_list).unwrap_or_default()
        };
        let number = |key| raw.get(key).and_then(loose::count);
        let after_tool = json::trimmed_text(raw, "after_tool").unwrap_or_default().to_owned();
        let limited_tools = list("limited_tools", "limited_tool_names");
        let max_calls = number("max_calls").unwrap_or_default();
        let has_budget = !after_tool.is_empty() && !limited_tools.is_empty() && max_calls > 0;
        Self {
            id: rule_id(index, raw.get("id").and_then(loose::text).as_deref()),
            after_tool,
            limited_tools,
            max_calls,
            require_one_of: list("require_one_of", "then_require_one_of"),
            require_tool_use: flag(raw, "require_tool_use").unwrap_or(false),
            min_tool_calls: number("min_tool_calls").unwrap_or_default().max(1),
            gate_calls: has_budget && flag(raw, "gate_calls").unwrap_or(true),
            gate_completion: flag(raw, "gate_completion").unwrap_or(true),
        }
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        json!({
            "id": self.id,
            "after_tool": self.after_tool,
            "limited_tools": self.limited_tools,
            "max_calls": self.max_calls,
            "require_one_of": self.require_one_of,
            "require_tool_use": self.require_tool_use,
            "min_tool_calls": self.min_tool_calls,
            "gate_calls": self.gate_calls,
            "gate_completion": self.gate_completion,
        })
    }
}

fn rule_id(index: usize, given: Option<&str>) -> String {
    let Some(given) = given else { return format!("tool-call-rule-{index}") };
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let cleaned: String =
        given.chars().map(|character| if allowed(character) { character } else { '-' }).collect();
    let cleaned = cleaned.trim_matches('-');
    if cleaned.is_empty() { "tool-call-rule".to_owned() } else { cleaned.to_owned() }
}

/// A flag may be a word: these are off, every other text is on.
fn flag(raw: &Object, key: &str) -> Option<bool> {
    json::present(raw, key).map(|value| match value {
        Value::String(word) => {
            !["", "0", "false", "no", "off"].contains(&word.trim().to_ascii_lowercase().as_str())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            loose::flag(value)
        }
    })
}
