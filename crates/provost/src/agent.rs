//! An agent: what it is told, what it may use, and how far it may go.

use provost_contract::json::Object;
use serde_json::{Value, json};

/// The definition of an agent. What is not said takes the runtime's defaults.
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
}

impl Agent {
    /// How many turns an agent has unless it says otherwise.
    pub const MAX_TURNS: u64 = 50;
    /// How many equal calls in a row end a run unless the agent says otherwise: more than polling needs, and
    /// far fewer than a model that is stuck makes.
    pub const REPETITION_LIMIT: u64 = 20;

    /// An agent without instructions that may see every tool.
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
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is told before every conversation.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = text.into();
        self
    }

    /// Only these tools, by name.
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// So many turns at most. A run that spends them in the middle of its work ends as
    /// [`RunStatus::BudgetExceeded`](crate::RunStatus::BudgetExceeded).
    #[must_use]
    pub fn max_turns(mut self, turns: u64) -> Self {
        self.max_turns = turns.max(1);
        self
    }

    /// So many equal calls in a row (one tool, the same arguments) end the run as
    /// [`RunStatus::Stalled`](crate::RunStatus::Stalled); at least 2, and 0 switches it off. Tools that say
    /// [`crate::Tool::repeatable`] do not count.
    #[must_use]
    pub fn repetition_limit(mut self, calls: u64) -> Self {
        self.repetition_limit = calls;
        self
    }

    /// A limit: `turns`, `tool_calls`, `tool_calls_<tool>`, `tokens`, `cost_microusd`,
    /// `wall_clock_seconds`, `depth` or `fan_out`.
    #[must_use]
    pub fn budget(mut self, name: &str, ceiling: u64) -> Self {
        self.budgets.push(json!({ "name": name, "ceiling": ceiling }));
        self
    }

    /// How calls of a tool may run, whatever the tool says of itself.
    #[must_use]
    pub fn policy(self, tool: &str, policy: provost_policy::ActionPolicy) -> Self {
        self.action_policy("tools", tool, policy)
    }

    /// How calls of every tool of a category may run.
    #[must_use]
    pub fn category_policy(self, category: &str, policy: provost_policy::ActionPolicy) -> Self {
        self.action_policy("categories", category, policy)
    }

    /// Who alone may decide about its proposals.
    #[must_use]
    pub fn approvers<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.policy.insert("approvers".to_owned(), json!(names));
        self
    }

    /// What the agent is at work for, such as `chat`, which it is otherwise. A tool whose declaration names
    /// `modes` is shown in those alone.
    #[must_use]
    pub fn mode(mut self, mode: &str) -> Self {
        self.policy.insert("mode".to_owned(), mode.into());
        self
    }

    /// Only tools of one of these categories.
    #[must_use]
    pub fn categories<T: Into<String>>(mut self, categories: impl IntoIterator<Item = T>) -> Self {
        let categories: Vec<String> = categories.into_iter().map(Into::into).collect();
        self.policy.insert("categories".to_owned(), json!(categories));
        self
    }

    /// An option of the loop under its wire name, such as `compaction_policy`, `tool_result_truncator` or
    /// `limits`. [`crate::Builder::build`] refuses one that there is not, or that would not count.
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
