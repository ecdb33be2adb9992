//! Checks a named executor, and chooses one otherwise.

use provost_contract::Action;
use provost_contract::action::{ExecutorRef, SideEffect, SideEffects, Target};
use provost_contract::policies::Allowed;
use strum::VariantArray as _;

use super::candidate::{Considered, Standing};
use super::rank::Rank;
use crate::read::Availability;
use crate::{Catalog, Entry, Permission};

/// The requirements of an action.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// Class, target and capabilities.
    pub executor: &'a ExecutorRef,
    /// The operation.
    pub operation: Option<&'a str>,
    /// The permitted effects.
    pub effects: &'a Allowed<SideEffect>,
}

impl<'a> Wish<'a> {
    /// Returns the requirements of an action under the effects that its policies allow.
    pub fn new(action: &'a Action, effects: &'a Allowed<SideEffect>) -> Self {
        Self { executor: &action.executor, operation: action.operation.as_deref(), effects }
    }
}

/// A chosen executor, and why.
#[derive(Clone, Debug)]
pub struct Selection<'c> {
    /// The executor.
    pub entry: &'c Entry,
    /// All candidates, the chosen one first.
    pub considered: Vec<Considered>,
}

/// Why no executor was chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unselected {
    /// No executor of this class has this name.
    #[error("there is no executor {name}")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The named executor is forbidden or unavailable.
    #[error("the executor {} cannot be used: {}", considered.name, <&str>::from(considered.standing))]
    Refused {
        /// The rejected candidate and the reasons.
        considered: Considered,
    },
    /// No candidate is eligible.
    #[error("no executor fits")]
    NobodyFits {
        /// All candidates.
        considered: Vec<Considered>,
    },
    /// Several candidates are equally good, and there is no criterion to choose.
    #[error("several executors fit and nothing was said by which to choose")]
    Ambiguous {
        /// The equally good candidates.
        considered: Vec<Considered>,
    },
}

/// Chooses the executor of an action. The same catalog and requirements always give the same result.
///
/// # Errors
/// A named executor is never replaced by another. Without a capability or an operation as a
/// criterion, the choice between several is rejected rather than guessed.
pub fn select<'c>(catalog: &'c Catalog, wish: &Wish<'_>) -> Result<Selection<'c>, Unselected> {
    let of_class = |entry: &&Entry| wish.executor.kind.is_none_or(|kind| kind == entry.kind);
    let candidates = catalog.entries().iter().filter(of_class);
    match &wish.executor.target {
        Target::Named(name) => named(candidates.filter(|entry| entry.name == *name).collect(), name, wish),
        Target::Auto => chosen(candidates, wish),
    }
}

fn named<'c>(found: Vec<&'c Entry>, name: &str, wish: &Wish<'_>) -> Result<Selection<'c>, Unselected> {
    match found.as_slice() {
        [] => Err(Unselected::Unknown { name: name.to_owned() }),
        [entry] => match objection(entry, wish) {
            Some(standing) => Err(Unselected::Refused { considered: Considered::new(entry, standing) }),
            None => Ok(Selection { entry, considered: vec![Considered::new(entry, Standing::Chosen)] }),
        },
        several => Err(Unselected::Ambiguous { considered: all(several, Standing::Ambiguous) }),
    }
}

fn chosen<'c>(
    candidates: impl Iterator<Item = &'c Entry>,
    wish: &Wish<'_>,
) -> Result<Selection<'c>, Unselected> {
    let mut considered = Vec::new();
    let mut ranked: Vec<(Rank<'c>, &'c Entry)> = Vec::new();
    for entry in candidates {
        let rank = Rank::of(entry, wish);
        let lacks = !wish.executor.capabilities.is_empty() && !rank.is_wanted();
        match objection(entry, wish).or(lacks.then_some(Standing::LacksCapability)) {
            Some(standing) => considered.push(Considered::new(entry, standing)),
            None => ranked.push((rank, entry)),
        }
    }
    ranked.sort_by(|(one, _), (other, _)| one.compare(other).0);
    let unwanted = ranked.first().is_some_and(|(rank, _)| !rank.is_wanted());
    match ranked.as_slice() {
        [] => Err(Unselected::NobodyFits { considered }),
        [_, _, ..] if unwanted => {
            let equals: Vec<&Entry> = ranked.iter().map(|(_, entry)| *entry).collect();
            Err(Unselected::Ambiguous { considered: all(&equals, Standing::Ambiguous) })
        }
        [(best, entry), others @ ..] => {
            let mut standings = vec![Considered::new(entry, Standing::Chosen)];
            standings.extend(others.iter().map(|(rank, other)| Considered {
                outranked_by: Some(best.compare(rank).1),
                ..Considered::new(other, Standing::Outranked)
            }));
            standings.extend(considered);
            Ok(Selection { entry, considered: standings })
        }
    }
}

/// Returns why an executor is forbidden, if it is.
fn objection(entry: &Entry, wish: &Wish<'_>) -> Option<Standing> {
    if entry.permission == Some(Permission::Deny) {
        Some(Standing::Denied)
    } else if !effects_allowed(&entry.side_effects, wish.effects) {
        Some(Standing::EffectsNotAllowed)
    } else if entry.availability == Availability::Unavailable {
        Some(Standing::Unavailable)
    } else {
        None
    }
}

/// Unknown effects may be any, so they are permitted only where all are.
fn effects_allowed(effects: &SideEffects, allowed: &Allowed<SideEffect>) -> bool {
    match effects {
        SideEffects::Unknown => SideEffect::VARIANTS.iter().all(|effect| allowed.allows(effect)),
        SideEffects::Declared(declared) => declared.iter().all(|effect| allowed.allows(effect)),
    }
}

fn all(entries: &[&Entry], standing: Standing) -> Vec<Considered> {
    entries.iter().map(|entry| Considered::new(entry, standing)).collect()
}

#[cfg(test)]
mod tests {
    use provost_contract::action::ExecutorType;
    use provost_contract::policies::Policy as _;
    use serde_json::{Value, json};

    use super::*;

    fn catalog() -> Catalog {
        let tools = [
            json!({ "name": "grep", "capabilities": ["search", "filesystem"], "side_effects": ["read"], "permission": "allow", "cost_micros": 5 }),
            json!({ "name": "find", "capabilities": ["search"], "side_effects": ["read"], "permission": "allow", "cost_micros": 5 }),
            json!({ "name": "ask_web", "capabilities": ["search"], "side_effects": ["send"], "permission": "ask", "cost_micros": 1 }),
            json!({ "name": "crawl", "capabilities": ["search"], "side_effects": ["read"], "permission": "deny" }),
            json!({ "name": "index", "capabilities": ["search"], "side_effects": ["read"], "availability": "unavailable" }),
        ];
        let agents = [
            json!({ "name": "reviewer", "capabilities": ["code_review"], "permission": "allow" }),
            json!({ "name": "busy_reviewer", "capabilities": ["code_review"], "permission": "allow", "availability": "busy" }),
        ];
        Catalog::parse(&tools, &agents, &[json!({ "name": "ask_user", "type": "human" })]).unwrap()
    }

    /// The candidates as `name: standing (criterion)`, or the error.
    fn check(executor: Value, operation: Option<&str>, effects: Value, expected: &[&str]) {
        let executor = ExecutorRef::parse(&executor).unwrap();
        let effects = Allowed::read("side_effects", &effects).unwrap();
        let catalog = catalog();
        let told = match select(&catalog, &Wish { executor: &executor, operation, effects: &effects }) {
            Ok(selection) => {
                assert_eq!(selection.entry.name, selection.considered[0].name, "the chosen one stands first");
                selection.considered
            }
            Err(Unselected::Refused { considered }) => vec![considered],
            Err(Unselected::NobodyFits { considered } | Unselected::Ambiguous { considered }) => considered,
            Err(Unselected::Unknown { name }) => {
                assert_eq!(expected, [format!("no {name}")]);
                return;
            }
        };
        let line = |one: &Considered| match one.outranked_by {
            Some(criterion) => {
                format!("{}: {} by {}", one.name, <&str>::from(one.standing), <&str>::from(criterion))
            }
            None => format!("{}: {}", one.name, <&str>::from(one.standing)),
        };
        assert_eq!(told.iter().map(line).collect::<Vec<_>>(), expected);
    }

    fn any() -> Value {
        json!(SideEffect::VARIANTS)
    }

    #[test]
    fn the_most_fitting_tool_is_chosen_and_every_other_one_has_its_reason() {
        check(
            json!({ "type": "tool", "capabilities": ["search", "filesystem"] }),
            None,
            any(),
            &[
                "grep: chosen",
                "find: outranked by capabilities",
                "ask_web: outranked by capabilities",
                "crawl: denied",
                "index: unavailable",
            ],
        );
    }

    #[test]
    fn permission_beats_cost_and_the_name_breaks_a_tie() {
        check(
            json!({ "type": "tool", "capabilities": ["search"] }),
            None,
            any(),
            &[
                "find: chosen",
                "grep: outranked by name",
                "ask_web: outranked by permission",
                "crawl: denied",
                "index: unavailable",
            ],
        );
    }

    #[test]
    fn effects_outside_the_allowed_ones_are_refused_and_unknown_ones_count_as_all() {
        check(
            json!({ "type": "tool", "target": "ask_web" }),
            None,
            json!(["read"]),
            &["ask_web: effects_not_allowed"],
        );
        check(
            json!({ "type": "tool", "target": "ask_web" }),
            None,
            json!(["read", "send"]),
            &["ask_web: chosen"],
        );
        check(
            json!({ "type": "agent", "target": "reviewer" }),
            None,
            json!(["read"]),
            &["reviewer: effects_not_allowed"],
        );
    }

    #[test]
    fn a_named_executor_is_never_replaced() {
        check(json!({ "type": "tool", "target": "crawl" }), None, any(), &["crawl: denied"]);
        check(json!({ "type": "tool", "target": "index" }), None, any(), &["index: unavailable"]);
        check(json!({ "type": "tool", "target": "grepp" }), None, any(), &["no grepp"]);
        check(json!({ "type": null, "target": "reviewer" }), None, any(), &["reviewer: chosen"]);
    }

    #[test]
    fn a_free_agent_comes_before_a_busy_one() {
        check(
            json!({ "type": "agent", "capabilities": ["code_review", "frontend"] }),
            None,
            any(),
            &["reviewer: chosen", "busy_reviewer: outranked by availability"],
        );
    }

    #[test]
    fn without_anything_to_choose_by_only_a_single_candidate_is_taken() {
        check(json!({ "type": "human" }), None, any(), &["ask_user: chosen"]);
        check(json!({ "type": "agent" }), None, any(), &["reviewer: ambiguous", "busy_reviewer: ambiguous"]);
        check(
            json!({ "type": "agent" }),
            Some("code_review"),
            any(),
            &["reviewer: chosen", "busy_reviewer: outranked by availability"],
        );
    }

    #[test]
    fn nobody_is_taken_who_lacks_every_capability() {
        check(
            json!({ "type": "agent", "capabilities": ["cooking"] }),
            None,
            any(),
            &["reviewer: lacks_capability", "busy_reviewer: lacks_capability"],
        );
        assert!(catalog().find(ExecutorType::Agent, "reviewer").is_some());
    }
}
