//! The agent that a run obeys: prompt, tools with schemas and facts, rules and limits.
//!
//! [`AgentSpec`] is plain data and an artifact; a run names it by digest and goes on under it after a
//! restart. [`Agent`] is the same, read once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::compaction;
use provost_contract::json::{self, Object};
use provost_contract::tool::{ToolCatalog, ToolDeclaration, ToolExecutor, ToolFacts, ToolResultTruncator};
use provost_contract::{Message, Result};
use provost_policy::action_policy::{Consulted, Question, judge, resolve};
use provost_policy::tool_call_gate::{GateRule, normalize_rules};
use provost_policy::{ActionPolicy, Decision};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::ExecutorKind;
use crate::{Digest, Ruling, Verdict};

/// The built-in tool by which a model asks for tools of the second tier: its argument `names` lists them.
pub const SHOW_TOOLS: &str = "tools/show";

/// An agent as a run obeys it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSpec {
    /// Its name.
    pub name: String,
    /// What it is instructed to do; before every transcript.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<Arc<Message>>,
    /// The model and its fallbacks, in the words of the model adapter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Object>,
    /// The tools in the wire form of their catalog.
    pub tools: Value,
    /// What was decided about which tools the model sees, the hidden ones too: `tool_name` and `decision` of
    /// each. The tools are the visible ones only, so the rest cannot be found out from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub visibility: Vec<Value>,
    /// The tools that the model is shown in full from the beginning, best first; none means all of them. One of the
    /// others is shown once the model has asked for it ([`SHOW_TOOLS`]) or called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier_1: Option<Vec<String>>,
    /// What the action policy is decided by: mode, denied tools, settings of the agent.
    #[serde(skip_serializing_if = "Object::is_empty")]
    pub policy: Object,
    /// Rules about the order of calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub call_rules: Vec<Value>,
    /// Who alone may answer approvals; empty means every authenticated actor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<String>,
    /// When and how older messages give way to a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Object>,
    /// How large a result may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_bytes_max: Option<i64>,
    /// How closely arguments are checked.
    pub arguments: ArgumentCheck,
    /// Whether the model is asked while only waits are open.
    pub on_wait: OnWait,
    /// Whether several approvals that are needed at once are one question.
    pub ask: AskStyle,
    /// What happens to calls of tools that a client executes.
    #[serde(skip_serializing_if = "ClientTools::is_default")]
    pub client_tools: ClientTools,
    /// How it takes part in the agent protocol.
    #[serde(skip_serializing_if = "ProtocolSettings::is_default")]
    pub protocol: ProtocolSettings,
}

/// How an agent takes part in the agent protocol.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProtocolSettings {
    /// How its model carries a declaration.
    pub carrier: Carrying,
    /// The policies that the runtime sets for every action.
    #[serde(skip_serializing_if = "Object::is_empty")]
    pub runtime_policies: Object,
    /// The policies of the agent.
    #[serde(skip_serializing_if = "Object::is_empty")]
    pub policies: Object,
    /// How many tokens of one result the model is shown at most; none means the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_tokens: Option<u64>,
    /// How many tokens of earlier turns the model is shown at most; none means the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_tokens: Option<u64>,
    /// How much of earlier declarations is shown again.
    #[serde(skip_serializing_if = "Replaying::is_default")]
    pub replay: Replaying,
}

/// How a model carries a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Carrying {
    /// As one call of the carrier tool.
    #[default]
    ToolCall,
    /// As a fenced block, for a model without tools.
    FencedBlock,
    /// As its structured output.
    StructuredOutput,
}

/// How much of earlier declarations is shown again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replaying {
    /// Recent and short ones as they were, the others as a summary and a reference.
    #[default]
    Hybrid,
    /// Every declaration as it was.
    Full,
    /// Every declaration as a summary and a reference.
    Compressed,
}

impl Replaying {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl ProtocolSettings {
    /// How many tokens of one result a model is shown when nothing else is said.
    pub const RESULT_TOKENS: u64 = 2_000;
    /// How many tokens of earlier turns a model is shown when nothing else is said.
    pub const HISTORY_TOKENS: u64 = 60_000;

    /// Returns how many tokens of one result the model is shown at most.
    pub fn result_tokens(&self) -> u64 {
        self.result_tokens.unwrap_or(Self::RESULT_TOKENS)
    }

    /// Returns how many tokens of earlier turns the model is shown at most.
    pub fn history_tokens(&self) -> u64 {
        self.history_tokens.unwrap_or(Self::HISTORY_TOKENS)
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What happens to calls of tools that a client executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientTools {
    /// They wait for the client.
    #[default]
    Wait,
    /// An executor is called, which may have them wait for the client.
    Execute,
}

impl ClientTools {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How closely the arguments of calls are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentCheck {
    /// None that is required is missing; the rest is left to the tool.
    #[default]
    Required,
    /// They fit the tool's JSON Schema.
    Schema,
}

/// What a run does while only waits are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnWait {
    /// It waits.
    #[default]
    Park,
    /// In protocol mode the model is asked when there is something new.
    AskModel,
}

/// How approvals that are needed at once are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskStyle {
    /// One question for each action.
    #[default]
    Each,
    /// One question for all of them.
    Together,
}

/// An agent, read once.
#[derive(Debug)]
pub struct Agent {
    /// What it was read from.
    pub spec: AgentSpec,
    /// The hash of that.
    pub digest: Digest,
    /// The tools.
    pub catalog: ToolCatalog,
    /// Those of them that the model is shown in full, if not all.
    tier_1: Option<ToolCatalog>,
    /// Rules about the order of calls.
    pub call_rules: Vec<GateRule>,
    /// Cuts results that are too large.
    pub truncator: Option<ToolResultTruncator>,
    /// When older messages give way to a summary.
    pub compaction: Option<compaction::Policy>,
    tools: BTreeMap<String, KnownTool>,
}

#[derive(Debug)]
struct KnownTool {
    facts: ToolFacts,
    executor: ExecutorKind,
    question: Question,
    ruling: Ruling,
}

impl Agent {
    /// Reads an agent.
    ///
    /// # Errors
    /// If a tool declares something of itself that cannot be read.
    pub fn new(spec: AgentSpec) -> Result<Self> {
        let catalog = ToolCatalog::from_wire(&spec.tools);
        let mut tools = BTreeMap::new();
        for tool in catalog.tools() {
            tools.insert(tool.name().as_str().to_owned(), KnownTool::of(tool, &spec)?);
        }
        let digest = Digest::of(&serde_json::to_vec(&spec).unwrap_or_default());
        Ok(Self {
            call_rules: normalize_rules(&spec.call_rules),
            truncator: spec.result_bytes_max.map(ToolResultTruncator::new),
            compaction: spec.compaction.as_ref().map(compaction::Policy::parse),
            tier_1: spec.tier_1.as_ref().map(|names| {
                catalog.clone().only(|tool| names.iter().any(|name| name == tool.name().as_str()))
            }),
            catalog,
            digest,
            tools,
            spec,
        })
    }

    /// Returns the tools that the model is shown in full: those of the first tier, then the promoted ones in their
    /// order. New ones stand at the end, so that a provider's prompt cache still fits what precedes them.
    pub fn offered(&self, promoted: &[String]) -> Cow<'_, ToolCatalog> {
        match &self.tier_1 {
            None => Cow::Borrowed(&self.catalog),
            Some(first) if promoted.is_empty() => Cow::Borrowed(first),
            Some(first) => {
                let promoted = promoted.iter().filter_map(|name| self.catalog.get(name)).cloned();
                Cow::Owned(first.clone().with(promoted))
            }
        }
    }

    /// Returns the tool of the second tier that a provider means by a name.
    pub(crate) fn second_tier(&self, called: &str) -> Option<&str> {
        let first = self.tier_1.as_ref()?;
        let name = self.catalog.find(called)?.name().as_str();
        first.get(name).is_none().then_some(name)
    }

    /// Returns the hash of what decides how calls may run: tools, settings, rules and approvers. Who acts, the
    /// models and the instructions are not part of it.
    pub fn policy_digest(&self) -> Digest {
        let AgentSpec { tools, policy, call_rules, approvers, protocol, .. } = &self.spec;
        let policy = json::without(policy, &["principal"]);
        let decides = (tools, policy, call_rules, approvers);
        let declared = (&protocol.runtime_policies, &protocol.policies);
        if !declared.0.is_empty() || !declared.1.is_empty() {
            return Digest::of(&serde_json::to_vec(&(decides, declared)).unwrap_or_default());
        }
        Digest::of(&serde_json::to_vec(&decides).unwrap_or_default())
    }

    /// Returns what a tool does to the world; an unknown tool writes.
    pub fn facts(&self, tool: &str) -> ToolFacts {
        self.tools.get(tool).map(|tool| tool.facts.clone()).unwrap_or_default()
    }

    /// Returns what carries a tool out.
    pub fn executor(&self, tool: &str) -> ExecutorKind {
        self.tools.get(tool).map_or(ExecutorKind::Tool, |tool| tool.executor)
    }

    /// Returns whether the agent has a tool.
    pub fn has(&self, tool: &str) -> bool {
        self.tools.contains_key(tool)
    }

    /// Returns how an operation may run, as far as the settings say.
    pub fn ruling(&self, tool: &str) -> Ruling {
        match self.tools.get(tool) {
            Some(tool) => tool.ruling.clone(),
            None => Ruling::new(Verdict::Allow, "not_a_tool", "engine"),
        }
    }

    /// Returns how an operation may run after a policy hook has spoken.
    pub fn ruling_after(&self, tool: &str, said: Option<&Ruling>) -> Ruling {
        let (Some(known), Some(said)) = (self.tools.get(tool), said) else {
            let own = self.ruling(tool);
            return said.cloned().map_or(own.clone(), |said| own.stricter(said));
        };
        let word = match said.decision {
            Verdict::Allow => ActionPolicy::Direct,
            Verdict::Ask => ActionPolicy::Preview,
            Verdict::Deny => ActionPolicy::Forbidden,
        };
        let judged = ruling_of(judge(&known.question, Ok(Some(word))));
        if judged.decision == said.decision || (said.person_only && judged.decision != Verdict::Deny) {
            return said.clone();
        }
        judged
    }
}

impl KnownTool {
    fn of(tool: &ToolDeclaration, spec: &AgentSpec) -> Result<Self> {
        let policy = &spec.policy;
        let mut context = policy.clone();
        context.insert("tool_name".into(), tool.name().as_str().into());
        context.insert("tool_def".into(), tool.to_value());
        let question = Question::parse(&context, |_| json::object(policy, "agent_config").cloned());
        let ruling = ruling_of(resolve(&question, &Consulted::default()).decision);
        let executor = match (tool.executor(), spec.client_tools) {
            (ToolExecutor::Client, ClientTools::Wait) => ExecutorKind::Client,
            (ToolExecutor::Client, ClientTools::Execute) | (ToolExecutor::Host, _) => ExecutorKind::Tool,
        };
        Ok(Self { facts: ToolFacts::of(tool)?, executor, question, ruling })
    }
}

fn ruling_of(decision: Decision<ActionPolicy>) -> Ruling {
    let verdict = match decision.verdict {
        ActionPolicy::Direct => Verdict::Allow,
        ActionPolicy::Preview => Verdict::Ask,
        ActionPolicy::Forbidden => Verdict::Deny,
    };
    let person_only = decision.is_person_only();
    let ruling = Ruling::new(verdict, decision.rule, decision.layer).because(decision.reason);
    Ruling { inputs: decision.inputs, person_only, ..ruling }
}
