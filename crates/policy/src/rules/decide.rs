//! Several rules about one call: the strictest decides.

use provost_contract::json::Object;

use super::call::{Call, Places, Reach};
use super::{Applies, Rule, RuleError, RuleSpec};
use crate::action_policy::Layer;
use crate::{ActionPolicy, Decision, PERSON_ONLY};

/// The rules of a project, in the order they are written.
#[derive(Clone, Debug, Default)]
pub struct RuleSet(Vec<Rule>);

/// A decision, and every rule that applies to the call.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruled {
    pub decision: Decision<ActionPolicy>,
    pub matched: Vec<Applies>,
}

impl RuleSet {
    /// Takes in rules, no two of the same name.
    ///
    /// # Errors
    /// The place of the rule that is none, and why.
    pub fn read<'s>(specs: impl IntoIterator<Item = &'s RuleSpec>) -> Result<Self, (usize, RuleError)> {
        let mut rules: Vec<Rule> = Vec::new();
        for (place, spec) in specs.into_iter().enumerate() {
            let rule = Rule::read(spec).map_err(|error| (place, error))?;
            if rules.iter().any(|other| other.name() == rule.name()) {
                return Err((place, RuleError::Twice(spec.name.clone())));
            }
            rules.push(rule);
        }
        Ok(Self(rules))
    }

    pub fn rules(&self) -> &[Rule] {
        &self.0
    }

    /// How a call may run. `otherwise` is the word about the tool as such, which counts when no rule
    /// applies, and whenever it forbids: a rule about arguments lifts no refusal of the whole tool.
    pub fn decide(&self, call: &Call<'_>, otherwise: Decision<ActionPolicy>) -> Ruled {
        let matched: Vec<Applies> = self.0.iter().filter_map(|rule| rule.applies(call)).collect();
        // Of equals the one that only a person answers speaks, then the certain one, and of those the first.
        let severity = |applies: &&Applies| (applies.policy, applies.person_only, applies.unclear.is_none());
        let ruling = matched.iter().rev().max_by_key(severity);
        let decision = match ruling.filter(|_| otherwise.verdict != ActionPolicy::Forbidden) {
            Some(applies) => {
                // A person who decides reads what every rule in question says.
                let equal = matched.iter().filter(|other| severity(other) == severity(&applies));
                decision(applies, &equal.map(reason).collect::<Vec<_>>().join("; "))
            }
            None => otherwise,
        };
        let names: Vec<&str> = matched.iter().map(|applies| applies.rule.as_str()).collect();
        let decision = if names.is_empty() { decision } else { decision.given("matched", names) };
        Ruled { decision, matched }
    }

    /// Whether a walk of a tool leaves a place out: reading it by its name would be forbidden as well.
    pub fn hides(&self, tool: &str, path: &str, places: &dyn Places) -> bool {
        let arguments = Object::from_iter([("path".to_owned(), path.into())]);
        let shape = Reach::Place.into();
        let call = Call { tool, arguments: &arguments, shape: &shape, places };
        self.0.iter().any(|rule| rule.hides(&call))
    }
}

impl Applies {
    /// What the rule alone decides about the call.
    pub fn decision(&self) -> Decision<ActionPolicy> {
        decision(self, &reason(self))
    }
}

fn reason(applies: &Applies) -> String {
    let Applies { rule, reason, unclear, .. } = applies;
    match unclear {
        None => reason.clone(),
        Some(why) => format!("{reason} (rule `{rule}`; unclear whether this call does that: {why})"),
    }
}

fn decision(applies: &Applies, reason: &str) -> Decision<ActionPolicy> {
    let Applies { rule, policy, unclear, person_only, .. } = applies;
    let mut decision = Decision::new(*policy, Layer::Rule, rule.clone(), reason);
    if unclear.is_some() {
        decision = decision.given("unclear", true);
    }
    if *person_only { decision.given(PERSON_ONLY, true) } else { decision }
}
