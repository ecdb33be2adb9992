//! One rule, ready to be asked.

use super::call::{Call, Reach};
use super::condition::Condition;
use super::example::Example;
use super::fit::{Fit, Mode};
use super::tools::ToolNames;
use super::{ConditionSpec, RuleError, RuleSpec};
use crate::ActionPolicy;

/// A rule somebody configured.
#[derive(Clone, Debug)]
pub struct Rule {
    name: String,
    decision: ActionPolicy,
    reason: String,
    tools: ToolNames,
    when: Condition,
    unless: Option<Condition>,
    pub(super) examples: Vec<Example>,
}

/// A rule that applies to a call, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applies {
    pub rule: String,
    pub policy: ActionPolicy,
    pub reason: String,
    /// Why it is unclear whether the call is meant.
    pub unclear: Option<String>,
    /// Whether only a person may answer, about exactly this call: what is unclear to a rule that forbids.
    pub person_only: bool,
}

impl Rule {
    /// Reads a rule.
    ///
    /// # Errors
    /// When a pattern is none, or something is missing.
    pub fn read(spec: &RuleSpec) -> Result<Self, RuleError> {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        if spec.name.is_empty() || !spec.name.chars().all(is_name) {
            return Err(RuleError::Name(spec.name.clone()));
        }
        if spec.reason.trim().is_empty() {
            return Err(RuleError::NoReason);
        }
        if spec.matches.is_empty() {
            return Err(RuleError::NoExample);
        }
        let when = ConditionSpec {
            path: spec.path.clone(),
            command: spec.command.clone(),
            cwd: spec.cwd.clone(),
            host: spec.host.clone(),
            arguments: spec.arguments.clone(),
        };
        let tools = ToolNames::read(spec.tools.as_ref())?;
        Ok(Self {
            name: spec.name.clone(),
            decision: spec.decision,
            reason: spec.reason.trim().trim_end_matches('.').to_owned(),
            when: match spec.decision {
                ActionPolicy::Direct => Condition::read_permission(&when)?,
                ActionPolicy::Preview | ActionPolicy::Forbidden => Condition::read(&when)?,
            },
            unless: spec.unless.as_ref().map(Condition::read_permission).transpose()?,
            examples: Example::read_all(spec, &tools)?,
            tools,
        })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn decision(&self) -> ActionPolicy {
        self.decision
    }

    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Whether it says anything about a tool.
    pub fn concerns(&self, tool: &str) -> bool {
        self.tools.hold(tool)
    }

    /// How well it fits a call.
    pub fn fits(&self, call: &Call<'_>) -> Fit {
        if !self.tools.hold(call.tool) {
            return Fit::No;
        }
        let excepted = |unless: &Condition| unless.fits(call, Mode::Strict) == Fit::Yes;
        if self.unless.as_ref().is_some_and(excepted) {
            return Fit::No;
        }
        let mode = match self.decision {
            ActionPolicy::Direct => Mode::Strict,
            ActionPolicy::Preview => Mode::Ask,
            ActionPolicy::Forbidden => Mode::Deny,
        };
        self.when.fits(call, mode)
    }

    /// What it says about a call; none when it does not apply. A rule that permits applies only when that
    /// is certain.
    pub fn applies(&self, call: &Call<'_>) -> Option<Applies> {
        let forbids = self.decision == ActionPolicy::Forbidden;
        let unclear = match self.fits(call) {
            Fit::No => return None,
            Fit::Unclear(_) if self.decision == ActionPolicy::Direct => return None,
            Fit::Unclear(why) => Some(why),
            Fit::Yes => None,
        };
        // What a program does is not certain; a path or an address that cannot be read is simply refused.
        let person_only = forbids && unclear.is_some() && call.command().is_some();
        let policy = if person_only { ActionPolicy::Preview } else { self.decision };
        Some(Applies { rule: self.name.clone(), policy, reason: self.reason.clone(), unclear, person_only })
    }

    /// Whether a walk of a tool leaves a place out because the rule forbids it.
    pub(super) fn hides(&self, walk: &Call<'_>) -> bool {
        debug_assert_eq!(walk.shape.reach, Reach::Place, "one place of a walk is asked about");
        let is_about_places = self.decision == ActionPolicy::Forbidden && self.when.path.is_some();
        is_about_places && self.fits(walk) != Fit::No
    }
}
