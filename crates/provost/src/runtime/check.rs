//! Rejects settings that a run would ignore, before it starts: a limit or a denial without effect is worse
//! than none.

use std::collections::BTreeSet;

use provost_contract::compaction;
use provost_contract::json::{self, Object};
use provost_contract::tool::{ToolCatalog, ToolName};
use provost_engine::SHOW_TOOLS;
use provost_policy::tool::{WRITE_CATEGORIES, categories};
use provost_policy::tool_call_gate::normalize_rules;
use serde_json::Value;

use super::values;
use crate::{Agent, CallRule};

/// The namespace of tools that a client executes.
const CLIENT: &str = "client";
const BUDGETS: [&str; 7] =
    ["turns", "tool_calls", "tokens", "cost_microusd", "wall_clock_seconds", "depth", "fan_out"];
/// The prefix of a budget for one tool's calls.
const BUDGET_OF_TOOL: &str = "tool_calls_";
/// The options of a run that have no builder method.
const OPTIONS: [&str; 8] = [
    "compaction_policy",
    "spin_detector",
    "identical_failure_tracker",
    "tool_result_truncator",
    "tool_call_rules",
    "limits",
    "model",
    "runtime_overrides",
];
/// Options that have a method, and the method to use.
const METHODS: [(&str, &str); 15] = [
    ("speaks", "Agent::speaks or Request::speaks"),
    ("protocol", "Agent::protocol"),
    ("structured_output", "Request::output or Request::output_schema"),
    ("tool_tiers", "Agent::tiers"),
    ("max_turns", "Agent::max_turns"),
    ("budgets", "Agent::budget"),
    ("policy", "Agent::policy, Agent::category_policy, Agent::mode or Agent::categories"),
    ("action_policy", "Agent::policy or Agent::category_policy"),
    ("tool_declarations", "Builder::tool and Agent::tools"),
    ("context", "Request::context"),
    ("about", "Request::agent, Request::workspace and Request::principal"),
    ("session_id", "Request::session"),
    ("transcript_session_id", "Request::session"),
    ("transcript_id", "Request::session"),
    ("argument_check", "nothing: arguments are always checked against the tool's schema"),
];

/// The keys of the option `limits`.
const LIMITS: [&str; 5] = ["parallel_max", "model_ms_max", "tool_ms_max", "hook_ms_max", "approval_ms_max"];

/// A setting that a run would ignore, and what to write instead.
///
/// ```
/// use provost::{Agent, BuildError, Runtime, Script};
/// let refused = Runtime::builder().model(Script::new()).agent(Agent::new("clerk").budget("tokns", 9)).build().err();
/// assert!(matches!(refused, Some(BuildError::Ignored(ignored)) if ignored.what.contains("tokns")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {instead}")]
pub struct Ignored {
    /// The setting that would be ignored.
    pub what: String,
    /// What to write instead.
    pub instead: String,
}

impl Ignored {
    pub(super) fn new(what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self { what: what.into(), instead: instead.into() }
    }
}

/// Checks that every declaration is a tool that a run can use.
pub(super) fn declarations(declared: &Value) -> Result<(), Ignored> {
    let Some(entries) = declared.as_object() else {
        let instead = "write an object of declarations, by the names of their tools";
        return Err(Ignored::new("the declarations of the executor are not a JSON object", instead));
    };
    entries.iter().try_for_each(|(name, tool)| declaration(name, tool))?;
    match ToolCatalog::read(declared).rejected().first() {
        Some(rejected) => Err(Ignored::new(
            format!("the declaration of the tool `{}` is invalid", rejected.name),
            format!("correct `{}`", rejected.reason),
        )),
        None => Ok(()),
    }
}

fn declaration(name: &str, tool: &Value) -> Result<(), Ignored> {
    if !tool.is_object() {
        let what = format!("the declaration of the tool `{name}` is not a JSON object");
        return Err(Ignored::new(what, "write its description and parameters"));
    }
    let written = tool.get("name").and_then(Value::as_str).unwrap_or(name);
    if written != name {
        let what = format!("the tool `{written}` is declared under the name `{name}`");
        return Err(Ignored::new(what, "declare it under its own name"));
    }
    let Ok(parsed) = name.parse::<ToolName>() else {
        let instead = "write namespace/name, each part in lower-case letters, digits, `_` and `-` and beginning \
                       with a letter, such as `math/add`";
        return Err(Ignored::new(format!("`{name}` is not a tool name"), instead));
    };
    if tool.get("timeout_ms").and_then(Value::as_u64) == Some(0) {
        let instead = "write a timeout above zero, or leave it out for the limit of the run";
        return Err(Ignored::new(format!("the timeout of the tool `{name}` is 0"), instead));
    }
    let of_client = tool.get("executor").is_some_and(|word| word == CLIENT);
    match (of_client, parsed.namespace() == CLIENT) {
        (false, true) => Err(Ignored::new(
            format!("the tool `{name}` runs in this program, but the namespace `client` is for client tools"),
            "choose another namespace, or declare it with Tool::for_client",
        )),
        (true, false) => Err(Ignored::new(
            format!("the client tool `{name}` is not in the namespace `client`"),
            format!("write `client/{}`", name.split_once('/').map_or(name, |(_, name)| name)),
        )),
        (true, true) | (false, false) => Ok(()),
    }
}

/// The declared names that agents refer to.
pub(super) struct Known {
    tools: BTreeSet<String>,
    categories: BTreeSet<String>,
    has_summariser: bool,
}

impl Known {
    pub(super) fn of(declared: &Value, has_summariser: bool) -> Self {
        let entries = || declared.as_object().into_iter().flatten();
        let said = entries().filter_map(|(_, tool)| tool.as_object()).flat_map(categories);
        Self {
            tools: entries().map(|(name, _)| name.clone()).collect(),
            categories: said.chain(WRITE_CATEGORIES.map(str::to_owned)).collect(),
            has_summariser,
        }
    }

    /// Checks that every setting of an agent has an effect.
    pub(super) fn check(&self, agent: &Agent) -> Result<(), Ignored> {
        let of_agent =
            |no: Ignored| Ignored { what: format!("the agent `{}`: {}", agent.name, no.what), ..no };
        values::agent(agent).map_err(of_agent)?;
        self.words(agent).map_err(of_agent)?;
        self.options(&agent.options).map_err(of_agent)
    }

    fn words(&self, agent: &Agent) -> Result<(), Ignored> {
        for budget in &agent.budgets {
            let name = budget.get("name").and_then(Value::as_str).unwrap_or_default();
            self.budget(name, budget.get("ceiling").and_then(Value::as_u64).unwrap_or_default())?;
        }
        let of =
            |group: &str| agent.policy.get("action_policy").and_then(|policy| policy.get(group)?.as_object());
        for name in of("tools").into_iter().flat_map(Object::keys) {
            self.tool(name)?;
        }
        let visible = agent.policy.get("categories").map(json::string_list).unwrap_or_default();
        for name in of("categories").into_iter().flat_map(Object::keys).chain(&visible) {
            if !self.categories.contains(name) {
                return Err(Ignored::new(
                    format!("no tool has the category `{name}`"),
                    listed(&self.categories),
                ));
            }
        }
        for name in agent.rules.iter().flat_map(CallRule::tools) {
            self.tool(name)?;
        }
        for name in agent.tiers.iter().flat_map(|tiers| &tiers.favourites) {
            self.tool(name)?;
        }
        if agent.tiers.is_some() && self.tools.contains(SHOW_TOOLS) {
            let what = format!("with `Agent::tiers` the name `{SHOW_TOOLS}` belongs to a built-in tool");
            return Err(Ignored::new(what, "rename your tool"));
        }
        let rules: Vec<Value> = agent.rules.iter().map(CallRule::to_value).collect();
        if normalize_rules(&rules).len() < rules.len() {
            let instead = "write CallRule::at_least, or CallRule::after with CallRule::one_of";
            return Err(Ignored::new("a call rule cannot act", instead));
        }
        Ok(())
    }

    /// Checks that a budget exists and leaves something to use.
    pub(super) fn budget(&self, name: &str, ceiling: u64) -> Result<(), Ignored> {
        self.budget_name(name)?;
        if ceiling == 0 {
            let instead = "write at least 1; a tool that must not be called is denied by policy";
            return Err(Ignored::new(format!("the budget `{name}` is 0"), instead));
        }
        Ok(())
    }

    fn budget_name(&self, name: &str) -> Result<(), Ignored> {
        match name.strip_prefix(BUDGET_OF_TOOL) {
            Some(tool) => self.tool(tool),
            None if BUDGETS.contains(&name) => Ok(()),
            None => {
                let known = format!("write one of {} or {BUDGET_OF_TOOL}TOOL", BUDGETS.join(", "));
                Err(Ignored::new(format!("there is no budget `{name}`"), known))
            }
        }
    }

    fn tool(&self, name: &str) -> Result<(), Ignored> {
        if self.tools.contains(name) {
            return Ok(());
        }
        Err(Ignored::new(format!("there is no tool `{name}`"), listed(&self.tools)))
    }

    /// Checks that every option of the run has an effect.
    pub(super) fn options(&self, options: &Object) -> Result<(), Ignored> {
        for (name, value) in options {
            if !OPTIONS.contains(&name.as_str()) {
                let method = METHODS.iter().find(|(option, _)| option == name);
                let instead = method.map_or_else(
                    || format!("write one of {}", OPTIONS.join(", ")),
                    |(_, method)| format!("use {method}"),
                );
                return Err(Ignored::new(format!("there is no option `{name}`"), instead));
            }
            self.option(name, value)?;
        }
        Ok(())
    }

    fn option(&self, name: &str, value: &Value) -> Result<(), Ignored> {
        match name {
            "spin_detector" | "identical_failure_tracker" => number(name, value, "threshold", 2),
            "tool_result_truncator" => number(name, value, "max_bytes", 1),
            "tool_call_rules" => {
                let rules = value.as_array().map(Vec::as_slice).unwrap_or_default();
                if rules.is_empty() || normalize_rules(rules).len() < rules.len() {
                    let instead = "write a list of rules, each with `require_tool_use`, or with `after_tool` and `require_one_of`";
                    return Err(Ignored::new("a rule of `tool_call_rules` cannot act", instead));
                }
                Ok(())
            }
            "compaction_policy" => self.compaction(value),
            "limits" => limits(value),
            _ if value.is_object() => Ok(()),
            _ => Err(Ignored::new(format!("the option `{name}` is not a JSON object"), "write { … }")),
        }
    }

    fn compaction(&self, value: &Value) -> Result<(), Ignored> {
        let Some(policy) = value.as_object() else {
            return Err(Ignored::new("the option `compaction_policy` is not a JSON object", "write { … }"));
        };
        if !self.has_summariser {
            return Err(Ignored::new(
                "`compaction_policy` needs a summariser, and the runtime has none",
                "call Builder::summariser",
            ));
        }
        let known = compaction::Policy::parse(policy).to_object();
        match policy.keys().find(|key| !known.contains_key(*key)) {
            Some(key) => {
                let keys: Vec<&str> = known.keys().map(String::as_str).collect();
                Err(Ignored::new(
                    format!("`compaction_policy` has no `{key}`"),
                    format!("write one of {}", keys.join(", ")),
                ))
            }
            None => Ok(()),
        }
    }
}

fn listed(known: &BTreeSet<String>) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if known.is_empty() {
        "leave it out, there are none".to_owned()
    } else {
        format!("write one of {}", known.join(", "))
    }
}

fn limits(value: &Value) -> Result<(), Ignored> {
    let Some(given) = value.as_object() else {
        return Err(Ignored::new("the option `limits` is not a JSON object", "write { … }"));
    };
    for (key, value) in given {
        if !LIMITS.contains(&key.as_str()) {
            let known = format!("write one of {}", LIMITS.join(", "));
            return Err(Ignored::new(format!("`limits` has no `{key}`"), known));
        }
        if value.as_u64().is_none_or(|value| value == 0) {
            let instead = "write a whole number, at least 1, or leave it out";
            return Err(Ignored::new(format!("`{key}` of `limits` is {value}"), instead));
        }
    }
    Ok(())
}

/// An option whose value is one number.
fn number(name: &str, value: &Value, key: &str, least: u64) -> Result<(), Ignored> {
    let given = value.as_object().filter(|given| given.len() == 1).and_then(|given| given.get(key)?.as_u64());
    match given {
        Some(given) if given >= least => Ok(()),
        _ => Err(Ignored::new(
            format!("the option `{name}` has an invalid value"),
            format!("write {{ \"{key}\": N }} with N at least {least}"),
        )),
    }
}
