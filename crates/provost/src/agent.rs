//! The definition of an agent: its instructions, tools, policy and limits.

use provost_contract::json::Object;
use provost_engine::ProtocolSettings;
use provost_engine::event::Mode;
use serde_json::{Value, json};

use crate::{CallRule, ToolTiers};

/// The definition of an agent. Settings that are not given have the runtime's defaults.
///
/// ```
/// use provost::{ActionPolicy, Agent};
/// let clerk = Agent::new("clerk")
///     .instructions("Be brief.")
///     .tools(["kb/find", "mail/send"])
///     .policy("mail/send", ActionPolicy::Preview)
///     .budget("tokens", 200_000)
///     .max_turns(30);
/// assert_eq!(clerk.name(), "clerk");
/// ```
#[derive(Clone, Debug)]
pub struct Agent {
    pub(crate) name: String,
    pub(crate) instructions: String,
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) max_turns: u64,
    pub(crate) repetition_limit: u64,
    pub(crate) budgets: Vec<Value>,
    pub(crate) policy: Object,
    pub(crate) options: Object,
    pub(crate) model: Option<String>,
    pub(crate) rules: Vec<CallRule>,
    pub(crate) tiers: Option<ToolTiers>,
    pub(crate) speaks: Mode,
    pub(crate) protocol: ProtocolSettings,
}

impl Agent {
    /// The default limit of turns.
    ///
    /// ```
    /// assert_eq!(provost::Agent::MAX_TURNS, 50);
    /// ```
    pub const MAX_TURNS: u64 = 50;
    /// The default limit of equal calls in a row: more than polling needs, and
    /// far fewer than a model that is stuck makes.
    ///
    /// ```
    /// assert_eq!(provost::Agent::REPETITION_LIMIT, 20);
    /// ```
    pub const REPETITION_LIMIT: u64 = 20;

    /// Creates an agent without instructions that sees every tool.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk");
    /// # drop(agent);
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            instructions: String::new(),
            tools: None,
            max_turns: Self::MAX_TURNS,
            repetition_limit: Self::REPETITION_LIMIT,
            budgets: Vec::new(),
            policy: Object::new(),
            options: Object::new(),
            model: None,
            rules: Vec::new(),
            tiers: None,
            speaks: Mode::Plain,
            protocol: ProtocolSettings::default(),
        }
    }

    /// Returns the agent's name.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk");
    /// assert_eq!(agent.name(), "clerk");
    /// # drop(agent);
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets the instructions, which the model reads before every conversation.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").instructions("Be brief.");
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// Sets how the agent's model requests work: with native tool calls (the default), or with declarations of the
    /// Agent Protocol.
    ///
    /// ```
    /// let planner = provost::Agent::new("planner").speaks(provost::Mode::Protocol);
    /// # drop(planner);
    /// ```
    #[must_use]
    pub fn speaks(mut self, mode: Mode) -> Self {
        self.speaks = mode;
        self
    }

    /// Sets how the agent takes part in the Agent Protocol: the carrier of its declarations, the policies that hold
    /// for every action, and how much its model is shown of results and of earlier turns.
    ///
    /// ```
    /// use provost::{Agent, Mode, ProtocolSettings};
    /// let settings = ProtocolSettings { result_tokens: Some(500), ..ProtocolSettings::default() };
    /// let planner = Agent::new("planner").speaks(Mode::Protocol).protocol(settings);
    /// # drop(planner);
    /// ```
    #[must_use]
    pub fn protocol(mut self, settings: ProtocolSettings) -> Self {
        self.protocol = settings;
        self
    }

    /// Limits the agent to these tools, by name. The default is all tools of the runtime.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").tools(["kb/find"]);
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Limits the number of turns, at least 1. A run that reaches the limit before its work is done ends as
    /// [`RunStatus::BudgetExceeded`](crate::RunStatus::BudgetExceeded).
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").max_turns(30);
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn max_turns(mut self, turns: u64) -> Self {
        self.max_turns = turns;
        self
    }

    /// Ends the run after this many equal calls in a row (same tool, same arguments) as
    /// [`RunStatus::Stalled`](crate::RunStatus::Stalled); at least 2, 0 for no limit. Tools that are
    /// [repeatable](crate::Tool::repeatable) do not count.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").repetition_limit(5);
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn repetition_limit(mut self, calls: u64) -> Self {
        self.repetition_limit = calls;
        self
    }

    /// Sets a limit: `turns`, `tool_calls`, `tool_calls_<tool>`, `tokens`, `cost_microusd`,
    /// `wall_clock_seconds`, `depth` or `fan_out`.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").budget("tokens", 200_000);
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn budget(mut self, name: &str, ceiling: u64) -> Self {
        self.budgets.push(json!({ "name": name, "ceiling": ceiling }));
        self
    }

    /// Sets how calls of a tool may run. This overrides the tool's own default.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").policy("mail/send", provost::ActionPolicy::Forbidden);
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn policy(self, tool: &str, policy: provost_policy::ActionPolicy) -> Self {
        self.action_policy("tools", tool, policy)
    }

    /// Sets how calls of every tool of a category may run.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").category_policy("write", provost::ActionPolicy::Preview);
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn category_policy(self, category: &str, policy: provost_policy::ActionPolicy) -> Self {
        self.action_policy("categories", category, policy)
    }

    /// Limits who may decide about this agent's calls. An empty list, or an empty name, is an error when the
    /// runtime is built: without this call everyone may decide.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").approvers(["user:grace"]);
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn approvers<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.policy.insert("approvers".to_owned(), json!(names));
        self
    }

    /// Sets the mode of the agent; the default is `chat`. A tool whose declaration lists
    /// `modes` is visible only in those.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").mode("review");
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn mode(mut self, mode: &str) -> Self {
        self.policy.insert("mode".to_owned(), mode.into());
        self
    }

    /// Limits the agent to tools of one of these categories.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").categories(["notes"]);
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn categories<T: Into<String>>(mut self, categories: impl IntoIterator<Item = T>) -> Self {
        let categories: Vec<String> = categories.into_iter().map(Into::into).collect();
        self.policy.insert("categories".to_owned(), json!(categories));
        self
    }

    /// Sets the model, one of [`Builder::named_model`](crate::Builder::named_model).
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").model("small");
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn model(mut self, name: &str) -> Self {
        self.model = Some(name.to_owned());
        self
    }

    /// Adds a rule about calls that must be made before the agent can finish.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").rule(provost::CallRule::at_least(1));
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn rule(mut self, rule: CallRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Sets which tools the model sees in full. The default is all.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").tiers(provost::ToolTiers::at_most(8));
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn tiers(mut self, tiers: ToolTiers) -> Self {
        self.tiers = Some(tiers);
        self
    }

    /// Sets an option of the loop by its wire name, such as `compaction_policy`, `tool_result_truncator` or
    /// `limits`. [`crate::Builder::build`] rejects an unknown option, a malformed value, and one that would have
    /// no effect.
    ///
    /// ```
    /// let agent = provost::Agent::new("clerk").option("tool_result_truncator", serde_json::json!({ "max_bytes": 9_000 }));
    /// # drop(agent);
    /// ```
    #[must_use]
    pub fn option(mut self, name: &str, value: Value) -> Self {
        self.options.insert(name.to_owned(), value);
        self
    }

    fn action_policy(mut self, group: &str, name: &str, policy: provost_policy::ActionPolicy) -> Self {
        let rules = self.policy.entry("action_policy").or_insert_with(|| json!({}));
        if let Some(rules) = rules.as_object_mut() {
            let group = rules.entry(group).or_insert_with(|| json!({}));
            if let Some(group) = group.as_object_mut() {
                group.insert(name.to_owned(), policy.word().into());
            }
        }
        self
    }
}
