//! Rules about calls that an agent must make, and about the tools that its model sees in full.

use serde_json::{Value, json};

/// A rule about calls. The model cannot finish until the rule is met: it reads what is missing and is asked
/// again, until it reaches its turn limit.
///
/// ```
/// use provost::{Agent, CallRule};
/// let clerk = Agent::new("clerk")
///     .rule(CallRule::at_least(1))
///     .rule(CallRule::after("note/write").one_of(["note/read"]));
/// # drop(clerk);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRule {
    pub(crate) after: Option<String>,
    pub(crate) one_of: Vec<String>,
    pub(crate) limited: Vec<String>,
    pub(crate) calls: usize,
}

impl CallRule {
    /// Requires at least this many calls, of any tools; at least 1.
    ///
    /// ```
    /// let rule = provost::CallRule::at_least(2);
    /// # drop(rule);
    /// ```
    pub fn at_least(calls: usize) -> Self {
        Self { after: None, one_of: Vec::new(), limited: Vec::new(), calls }
    }

    /// Starts a rule about what must follow a call of a tool; see [`CallRule::one_of`].
    ///
    /// ```
    /// let rule = provost::CallRule::after("note/write").one_of(["note/read"]);
    /// # drop(rule);
    /// ```
    pub fn after(tool: &str) -> Self {
        Self { after: Some(tool.to_owned()), ..Self::at_least(0) }
    }

    /// Requires a call of one of these tools.
    ///
    /// ```
    /// let rule = provost::CallRule::after("cart/fill").one_of(["cart/pay", "cart/empty"]);
    /// # drop(rule);
    /// ```
    #[must_use]
    pub fn one_of<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.one_of = tools.into_iter().map(Into::into).collect();
        self
    }

    /// Limits how often these tools can be called until the rule is met.
    ///
    /// ```
    /// let rule = provost::CallRule::after("plan/make").one_of(["plan/check"]).limiting(["plan/step"], 3);
    /// # drop(rule);
    /// ```
    #[must_use]
    pub fn limiting<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>, calls: usize) -> Self {
        self.limited = tools.into_iter().map(Into::into).collect();
        self.calls = calls;
        self
    }

    /// Returns the tools that the rule names.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &String> {
        self.after.iter().chain(&self.one_of).chain(&self.limited)
    }

    pub(crate) fn to_value(&self) -> Value {
        match &self.after {
            None => json!({ "require_tool_use": true, "min_tool_calls": self.calls }),
            Some(after) => json!({
                "after_tool": after,
                "require_one_of": self.one_of,
                "limited_tools": self.limited,
                "max_calls": self.calls,
            }),
        }
    }
}

/// Which tools a model sees in full from the beginning. It reads one line about each other tool and
/// asks for the ones that it needs with the built-in tool `tools/show`; from its next turn on it sees
/// those in full as well, and so it does a tool that it called without asking.
///
/// ```
/// use provost::{Agent, ToolTiers};
/// let clerk = Agent::new("clerk").tiers(ToolTiers::at_most(8).favourites(["kb/find"]));
/// # drop(clerk);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolTiers {
    pub(crate) favourites: Vec<String>,
    pub(crate) most: usize,
}

impl ToolTiers {
    /// Shows this many tools in full, at least one.
    ///
    /// ```
    /// let tiers = provost::ToolTiers::at_most(8);
    /// # drop(tiers);
    /// ```
    pub fn at_most(tools: usize) -> Self {
        Self { favourites: Vec::new(), most: tools }
    }

    /// Prefers these tools.
    ///
    /// ```
    /// let tiers = provost::ToolTiers::at_most(2).favourites(["kb/find", "kb/read"]);
    /// # drop(tiers);
    /// ```
    #[must_use]
    pub fn favourites<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.favourites = tools.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn to_value(&self) -> Value {
        json!({ "tier_1_tools": self.favourites, "tool_tier_hard_cap": self.most })
    }
}
