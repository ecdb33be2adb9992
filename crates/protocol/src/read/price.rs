//! The price of a declaration: the most that its actions can do.

use std::collections::{BTreeMap, BTreeSet};

use provost_contract::Action;
use provost_contract::action::{
    Access, ForEach, Idempotency, OnFailure, Repeat, Resource, SideEffect, SideEffects,
};
use serde_json::{Value, json};

use crate::{Accepted, Catalog, Entry};

/// An upper bound on what a declaration can do, as far as its executors declare it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// The executions: attempts, rounds and items, multiplied.
    pub calls: u64,
    /// The effects that the executors declare.
    pub effects: BTreeSet<SideEffect>,
    /// The declared resources. One that is read and written counts as written.
    pub resources: Vec<Resource>,
    /// Whether an executor declares no effects, so that any is possible.
    pub unknown_effects: bool,
}

impl Price {
    /// Returns the wire form `{calls, effects, resources, unknown_effects}`.
    pub fn to_value(&self) -> Value {
        json!({
            "calls": self.calls,
            "effects": self.effects,
            "resources": self.resources.iter().map(Resource::to_value).collect::<Value>(),
            "unknown_effects": self.unknown_effects,
        })
    }
}

impl Accepted {
    /// Returns the price of the declared actions, including those of a plan.
    pub fn price(&self, catalog: &Catalog) -> Price {
        price(self.content.declared(), catalog)
    }
}

/// Returns the price of actions whose executors are in `catalog`.
pub fn price(actions: &[Action], catalog: &Catalog) -> Price {
    let mut price = Price::default();
    let mut resources: BTreeMap<&str, Access> = BTreeMap::new();
    for action in actions {
        let candidates = candidates(action, catalog);
        price.calls = price.calls.saturating_add(calls(action, &candidates));
        price.unknown_effects |= candidates.is_empty();
        for entry in candidates {
            match &entry.side_effects {
                SideEffects::Unknown => price.unknown_effects = true,
                SideEffects::Declared(effects) => price.effects.extend(effects),
            }
        }
        for Resource { name, access } in &action.resources {
            let known = resources.entry(name).or_insert(*access);
            if *access == Access::Write {
                *known = Access::Write;
            }
        }
    }
    price.effects.remove(&SideEffect::None);
    let resource = |(name, access): (&str, Access)| Resource { name: name.to_owned(), access };
    price.resources = resources.into_iter().map(resource).collect();
    price
}

/// Returns the executors that may perform an action: the named one, or all that the runtime may choose from.
fn candidates<'a>(action: &Action, catalog: &'a Catalog) -> Vec<&'a Entry> {
    let executor = &action.executor;
    let wanted = |entry: &&Entry| {
        let has_name = executor.target.name().is_none_or(|name| entry.name == name);
        let is_able =
            executor.capabilities.is_empty() || executor.capabilities.iter().any(|word| entry.offers(word));
        has_name && (is_able || executor.target.name().is_some())
    };
    match (executor.kind, executor.target.name()) {
        (Some(kind), Some(name)) => catalog.find(kind, name).into_iter().collect(),
        (Some(kind), None) => catalog.of(kind).filter(wanted).collect(),
        (None, _) => catalog.entries().iter().filter(wanted).collect(),
    }
}

/// A retry happens only where a second attempt is safe; for other executors it is a question to the model.
fn calls(action: &Action, candidates: &[&Entry]) -> u64 {
    let may_repeat = candidates.iter().map(|entry| entry.idempotency).any(Idempotency::may_repeat);
    let attempts = match action.failure_policy.on_failure {
        OnFailure::Retry if may_repeat => action.failure_policy.max_attempts(),
        OnFailure::Retry | OnFailure::Abort | OnFailure::Continue | OnFailure::AskModel => 1,
    };
    let rounds = action.repeat.as_ref().map_or(1, Repeat::max);
    let items = action.for_each.as_ref().map_or(1, ForEach::max);
    u64::from(attempts).saturating_mul(rounds.into()).saturating_mul(items.into())
}
