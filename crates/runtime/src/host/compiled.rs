//! Agents as runs obey them, compiled once. A caller starts many runs of one agent, and reading its tools costs
//! more than many turns.

use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json::{self, Object};
use provost_contract::tool::ToolCatalog;
use provost_contract::{Message, Result, compaction, loose};
use provost_engine::{Agent, AgentSpec, ArgumentCheck, ClientTools, ProtocolSettings, SHOW_TOOLS};
use provost_policy::tool_call_gate::{GateRule, normalize_rules};
use provost_policy::tool_tiers::{HARD_CAP_DEFAULT, TierRequest, Tiers};
use provost_policy::visibility::{self, ToolVisibility};
use serde::Serialize;
use serde_json::{Value, json};

use super::show_tools;

/// How many agents are remembered.
const REMEMBERED_MAX: usize = 16;

/// What an agent is compiled from, in a caller's words.
#[derive(Serialize)]
pub(super) struct AgentOptions<'a> {
    pub(super) name: &'a str,
    pub(super) instructions: &'a [Arc<Message>],
    pub(super) model: Object,
    /// The declarations, as a list or by name.
    pub(super) tools: &'a Value,
    pub(super) policy: Option<&'a Object>,
    pub(super) call_rules: &'a [Value],
    /// None when nothing sums up: then nothing is shortened.
    pub(super) compaction: Option<&'a Object>,
    pub(super) truncator: Option<&'a Object>,
    /// Which tools the model is shown in full; none means all.
    pub(super) tiers: Option<&'a Object>,
    /// Whether calls are executed here, so that a model can ask for tools of the second tier.
    pub(super) executes: bool,
    pub(super) arguments: ArgumentCheck,
    /// How it takes part in the agent protocol.
    pub(super) protocol: ProtocolSettings,
}

impl AgentOptions<'_> {
    fn compile(self) -> Result<Agent> {
        let (mut catalog, visibility) = visible(self.tools, self.policy);
        let max_bytes = |given: &Object| given.get("max_bytes").and_then(loose::integer).unwrap_or_default();
        let tiers = self.tiers.map(|wanted| tiers(wanted, &catalog));
        let mut instructions = self.instructions.to_vec();
        let can_ask = self.executes && tiers.as_ref().is_some_and(|tiers| !tiers.tier_2.is_empty());
        let manifest = tiers.as_ref().and_then(|tiers| show_tools::manifest(tiers, can_ask));
        instructions.extend(manifest.map(Arc::new));
        if can_ask && catalog.get(SHOW_TOOLS).is_some() {
            return Err(show_tools::reserved());
        }
        if can_ask {
            catalog = catalog.with([show_tools::declaration()?]);
        }
        let tier_1 = tiers.map(|tiers| {
            let first = tiers.tier_1.into_iter().map(|(name, _)| name);
            first.chain(can_ask.then(|| SHOW_TOOLS.to_owned())).collect()
        });
        let approvers = self.policy.and_then(|policy| policy.get("approvers")).map(json::string_list);
        Agent::new(AgentSpec {
            name: self.name.to_owned(),
            instructions,
            models: vec![self.model],
            tools: catalog.to_value(),
            visibility,
            tier_1,
            policy: self.policy.cloned().unwrap_or_default(),
            call_rules: normalize_rules(self.call_rules).iter().map(GateRule::to_value).collect(),
            approvers: approvers.unwrap_or_default(),
            compaction: self.compaction.map(|policy| compaction::Policy::parse(policy).to_object()),
            result_bytes_max: self.truncator.map(max_bytes),
            arguments: self.arguments,
            // The executors of a host have the last word: one that a client must answer for says so.
            client_tools: ClientTools::Execute,
            protocol: self.protocol,
            ..AgentSpec::default()
        })
    }
}

/// The agents that were compiled last, newest first, by the text of what they were compiled from.
#[derive(Debug, Default)]
pub(super) struct Compiled(Mutex<Vec<(String, Arc<Agent>)>>);

impl Compiled {
    /// Returns the agent, compiled now or before.
    ///
    /// # Errors
    /// If a tool declares something of itself that cannot be read.
    pub(super) fn agent(&self, options: AgentOptions<'_>) -> Result<Arc<Agent>> {
        // As text, for the order of tools counts as well.
        let asked = json!(options).to_string();
        if let Some(agent) = self.find(&asked) {
            return Ok(agent);
        }
        let agent = Arc::new(options.compile()?);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.truncate(REMEMBERED_MAX - 1);
        known.insert(0, (asked, agent.clone()));
        Ok(agent)
    }

    fn find(&self, asked: &str) -> Option<Arc<Agent>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = known.iter().position(|(known, _)| known == asked)?;
        known.get_mut(..=index)?.rotate_right(1);
        known.first().map(|(_, agent)| agent.clone())
    }
}

/// Leaves out the tools that the policy hides, and returns every decision about them. The policy looks at what
/// was declared, not at what the catalog makes of it: a client's tool is known by its marks.
fn visible(declared: &Value, policy: Option<&Object>) -> (ToolCatalog, Vec<Value>) {
    let catalog = ToolCatalog::read(declared);
    let Some(policy) = policy else { return (catalog, Vec::new()) };
    let config = |_: &str| json::object(policy, "agent_config").cloned();
    let context = visibility::Context::parse(policy, config, Vec::new());
    let decided = visibility::resolve(&by_name(declared), &context, |_| Ok(None));
    let shown = |name: &str| decided.iter().any(|tool| tool.name == name && tool.is_visible());
    let recorded = |tool: &ToolVisibility| json!({ "tool_name": tool.name, "decision": tool.explained.decision.to_value() });
    (catalog.only(|tool| shown(tool.name().as_str())), decided.iter().map(recorded).collect())
}

/// The visible tools in two tiers.
fn tiers(wanted: &Object, catalog: &ToolCatalog) -> Tiers {
    let tools: Object =
        catalog.tools().iter().map(|tool| (tool.name().to_string(), tool.to_value())).collect();
    TierRequest::parse(wanted, HARD_CAP_DEFAULT).split(&tools, &[])
}

/// The declarations by name, whether they came as a list or as a map.
fn by_name(declared: &Value) -> Object {
    let named = |key: Option<&String>, entry: &Value| {
        let own = entry.get("name").and_then(Value::as_str).map(str::to_owned);
        Some((own.or_else(|| key.cloned())?, entry.clone()))
    };
    match declared {
        Value::Array(entries) => entries.iter().filter_map(|entry| named(None, entry)).collect(),
        Value::Object(entries) => entries.iter().filter_map(|(key, entry)| named(Some(key), entry)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Object::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(names: &[&str]) -> Value {
        names.iter().map(|name| json!({ "name": name, "description": "Looks." })).collect()
    }

    fn agent(known: &Compiled, tools: &Value, policy: Option<&Object>) -> Arc<Agent> {
        let options = AgentOptions {
            name: "agent",
            instructions: &[],
            model: Object::new(),
            tools,
            policy,
            call_rules: &[],
            compaction: None,
            truncator: None,
            tiers: None,
            executes: true,
            arguments: ArgumentCheck::Required,
            protocol: ProtocolSettings::default(),
        };
        known.agent(options).unwrap()
    }

    #[test]
    fn an_equal_agent_is_compiled_once() {
        let known = Compiled::default();
        let first = agent(&known, &declared(&["kb/a", "kb/b"]), None);
        assert!(Arc::ptr_eq(&first, &agent(&known, &declared(&["kb/a", "kb/b"]), None)));
    }

    #[test]
    fn another_order_or_policy_is_another_agent() {
        let known = Compiled::default();
        let first = agent(&known, &declared(&["kb/a", "kb/b"]), None);
        let policy = json::into_object(json!({ "deny": ["kb/a"] }));
        for other in [
            agent(&known, &declared(&["kb/b", "kb/a"]), None),
            agent(&known, &declared(&["kb/a", "kb/b"]), Some(&policy)),
        ] {
            assert!(!Arc::ptr_eq(&first, &other));
        }
    }

    #[test]
    fn only_the_newest_are_remembered() {
        let known = Compiled::default();
        let read = |number: usize| agent(&known, &declared(&[&format!("kb/{number}")]), None);
        let (first, second) = (read(0), read(1));
        for number in 2..REMEMBERED_MAX {
            read(number);
        }
        assert!(Arc::ptr_eq(&first, &read(0)), "the oldest is still there, and now the newest");
        read(REMEMBERED_MAX);
        assert!(!Arc::ptr_eq(&second, &read(1)), "one too many pushed out the oldest");
    }
}
