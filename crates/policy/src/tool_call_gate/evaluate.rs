//! Whether a proposed call, or the end of the run, passes the rules.

use provost_contract::Message;
use provost_contract::message::MessageType;
use serde_json::{Value, json};

use super::GateRule;
use crate::decision::{Decision, Verdict};

const LAYER: &str = "tool_call_gate";

/// May this tool be called now? `calls` are the tools called before the proposed call. The first rule that
/// refuses answers.
pub fn evaluate_call(rules: &[GateRule], tool_name: &str, calls: &[&str]) -> Decision<Verdict> {
    let gating = rules.iter().filter(|rule| rule.gate_calls);
    first_refusal(gating.filter_map(|rule| refused_call(rule, tool_name, calls)))
}

/// May the run finish? The first rule that refuses answers.
pub fn evaluate_completion(rules: &[GateRule], calls: &[&str]) -> Decision<Verdict> {
    let gating = rules.iter().filter(|rule| rule.gate_completion);
    first_refusal(gating.filter_map(|rule| {
        if rule.require_tool_use { too_little_work(rule, calls) } else { unfinished_order(rule, calls) }
    }))
}

/// The transcript up to, not including, the call with this id; all of it when no call has it.
pub fn messages_before<'a>(messages: &'a [Message], tool_call_id: &str) -> &'a [Message] {
    let is_the_call = |message: &Message| {
        message.kind == MessageType::ToolCall
            && !tool_call_id.is_empty()
            && message.tool_call_id() == tool_call_id
    };
    let end = messages.iter().position(is_the_call).unwrap_or(messages.len());
    messages.get(..end).unwrap_or(messages)
}

/// The plain form `{allowed, reason, context}` a loop acts on.
pub fn to_value(decision: &Decision<Verdict>) -> Value {
    match decision.verdict {
        Verdict::Allow => json!({ "allowed": true, "reason": "", "context": {} }),
        Verdict::Deny => json!({ "allowed": false, "reason": decision.reason, "context": decision.inputs }),
    }
}

fn first_refusal(mut refusals: impl Iterator<Item = Decision<Verdict>>) -> Decision<Verdict> {
    refusals
        .next()
        .unwrap_or_else(|| Decision::new(Verdict::Allow, LAYER, "no_rule_refuses", "no rule refuses it"))
}

/// The names of the tools called, in order.
/// The tools a transcript calls, in order.
pub fn tool_calls<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<&'a str> {
    let calls = messages.into_iter().filter(|message| message.kind == MessageType::ToolCall);
    calls.map(Message::tool_name).collect()
}

fn is_one_of(tools: &[String]) -> impl Fn(&&str) -> bool {
    |name| tools.iter().any(|tool| tool == name)
}

/// After the last call of the anchor: once the budget of limited tools is spent, only a required one.
fn refused_call(rule: &GateRule, tool_name: &str, calls: &[&str]) -> Option<Decision<Verdict>> {
    let anchor = calls.iter().rposition(|call| *call == rule.after_tool)?;
    let since = calls.get(anchor + 1..).unwrap_or_default();
    let is_required = is_one_of(&rule.require_one_of);
    if is_required(&tool_name) || since.iter().any(&is_required) {
        return None;
    }
    let is_limited = is_one_of(&rule.limited_tools);
    let used = since.iter().filter(|call| is_limited(call)).count();
    if used < rule.max_calls {
        return None;
    }
    let reason = format!(
        "TOOL CALL BLOCKED: after {} you have already used {used} of {} permitted discovery tools. \
         Do not inspect further. Your next tool call must be one of: {}.",
        rule.after_tool,
        rule.max_calls,
        rule.require_one_of.join(", ")
    );
    Some(
        refusal(rule, reason)
            .given("after_tool", rule.after_tool.as_str())
            .given("limited_tools", rule.limited_tools.clone())
            .given("limited_count", used)
            .given("max_calls", rule.max_calls)
            .given("require_one_of", rule.require_one_of.clone())
            .given("rejected_tool", tool_name),
    )
}

/// Once the anchor was called, a required tool must follow before the end.
fn unfinished_order(rule: &GateRule, calls: &[&str]) -> Option<Decision<Verdict>> {
    let anchor = calls.iter().position(|call| *call == rule.after_tool)?;
    let since = calls.get(anchor..).unwrap_or_default();
    if since.iter().any(is_one_of(&rule.require_one_of)) {
        return None;
    }
    let reason = format!(
        "COMPLETION BLOCKED: you began discovery with {} but have not yet committed your work. \
         Call one of these tools before finishing: {}.",
        rule.after_tool,
        rule.require_one_of.join(", ")
    );
    Some(
        refusal(rule, reason)
            .given("after_tool", rule.after_tool.as_str())
            .given("require_one_of", rule.require_one_of.clone()),
    )
}

/// Tool use as such is required: so many calls, of the required tools when some are named.
fn too_little_work(rule: &GateRule, calls: &[&str]) -> Option<Decision<Verdict>> {
    let is_required = is_one_of(&rule.require_one_of);
    let seen = calls.iter().filter(|call| rule.require_one_of.is_empty() || is_required(call)).count();
    if seen >= rule.min_tool_calls {
        return None;
    }
    let (unused, choice) = if rule.require_one_of.is_empty() {
        ("any tools", "one of your available tools".to_owned())
    } else {
        ("the required tools", format!("one of these tools: {}", rule.require_one_of.join(", ")))
    };
    let reason = format!(
        "COMPLETION BLOCKED: the task is not finished and you have not used {unused} yet. \
         Make concrete progress now by calling {choice}. \
         Perform actions as tool calls rather than describing them in text."
    );
    Some(
        refusal(rule, reason)
            .given("require_tool_use", true)
            .given("min_tool_calls", rule.min_tool_calls)
            .given("tool_calls_seen", seen)
            .given("require_one_of", rule.require_one_of.clone()),
    )
}

fn refusal(rule: &GateRule, reason: String) -> Decision<Verdict> {
    Decision::new(Verdict::Deny, LAYER, rule.id.clone(), reason).given("rule_id", rule.id.as_str())
}
