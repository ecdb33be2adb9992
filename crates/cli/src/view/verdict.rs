//! What a policy says, in the words of people: allow, ask or deny, why, and where that is written.

use provost_policy::{ActionPolicy, Decision};
use serde_json::{Value, json};

use super::decision::spoken_rule;
use crate::text::{Mark, Role};

/// The mark of a verdict, and the role of its word.
pub(crate) fn mark(policy: ActionPolicy) -> (Mark, Role) {
    match policy {
        ActionPolicy::Direct => (Mark::Completed, Role::Done),
        ActionPolicy::Preview => (Mark::Asks, Role::You),
        ActionPolicy::Forbidden => (Mark::Denied, Role::Bad),
    }
}

/// Why a decision is as it is.
pub(crate) fn because(decision: &Decision<ActionPolicy>) -> String {
    let category = decision.inputs.get("category").and_then(Value::as_str).unwrap_or_default();
    because_of(decision.layer, decision.verdict.spoken(), category).unwrap_or_else(|| decision.reason.clone())
}

/// Like `because`, for a layer and its entry; `None` if the layer supplies its own reason.
pub(crate) fn because_of(layer: &str, word: &str, category: &str) -> Option<String> {
    let does = |one: bool| match (word, one) {
        ("allow", true) => "is allowed",
        ("allow", false) => "are allowed",
        ("ask", true) => "asks first",
        ("ask", false) => "ask first",
        (_, true) => "is denied",
        (_, false) => "are denied",
    };
    match layer {
        "tool_policy" => Some(format!("this tool {}", does(true))),
        "category_policy" if matches!(category, "read" | "write") => {
            Some(format!("tools that {category} {}", does(false)))
        }
        "category_policy" => Some(format!("tools of the category {category} {}", does(false))),
        _ => None,
    }
}

/// Where a decision comes from: a rule or category and its place, or the default.
pub(crate) fn origin(layer: &str, rule: &str, category: &str, source: &str) -> String {
    let name = match layer {
        "rule" => format!("rule {rule}"),
        "category_policy" => format!("category {category}"),
        _ => String::new(),
    };
    let place = match layer {
        "default" | "category_policy" | "tool_policy" if source.is_empty() => "default",
        _ => source,
    };
    [name.as_str(), place].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A decision as machines read it, in the words that people read and write.
pub(crate) fn document(decision: &Decision<ActionPolicy>) -> Value {
    json!({
        "verdict": decision.verdict.spoken(),
        "layer": decision.layer,
        "rule": spoken_rule(&decision.rule),
        "reason": decision.reason,
        "source": decision.source(),
        "inputs": decision.inputs,
    })
}
