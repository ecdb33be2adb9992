//! Rules about the order of tool calls: "after this, at most so many of those, then one of these", and
//! "do not finish before real work is done".
//!
//! The gate looks at the transcript and nothing else, so the same run gives the same answer again.

mod evaluate;
mod rule;

pub use evaluate::{evaluate_call, evaluate_completion, messages_before, to_value, tool_calls};
pub use rule::{GateRule, normalize_rules};
