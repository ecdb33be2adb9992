//! What a run came to, counted.

use std::collections::BTreeMap;

use provost_contract::json::Object;
use serde_json::Value;

use super::{CallEnd, CallOutcome};
use crate::Actor;

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many turns began.
    pub turns: u32,
    /// How many calls have a result.
    pub calls: u64,
    /// How many tokens were used.
    pub tokens: u64,
    /// What they cost, in millionths of a dollar; none without a price.
    pub cost_microusd: Option<u64>,
    /// How long it worked; the time in which it waited for an answer does not count.
    pub ms: u64,
    /// Calls that ran because a rule, or no rule, let them.
    pub by_policy: u64,
    /// Calls that ran because a person let them, by person.
    pub by_people: BTreeMap<Actor, u64>,
    /// Calls that did not run: a rule or a person said no.
    pub refused: u64,
    /// The paths that calls changed, in their order.
    pub changed: Vec<String>,
}

impl Totals {
    /// Counts a call that ended.
    pub(super) fn count(&mut self, end: &CallEnd) {
        self.calls += 1;
        match &end.outcome {
            CallOutcome::Denied { .. }
            | CallOutcome::Declined { .. }
            | CallOutcome::Expired
            | CallOutcome::UnknownTool { .. } => self.refused += 1,
            _ => match &end.allowed {
                Some(allowed) => *self.by_people.entry(named(&allowed.by)).or_default() += 1,
                None if end.ms.is_some() => self.by_policy += 1,
                None => {}
            },
        }
        let done = matches!(end.outcome, CallOutcome::Done { .. } | CallOutcome::Attested { .. });
        if let Some(path) =
            path(&end.arguments).filter(|path| done && !end.reads && !self.changed.contains(path))
        {
            self.changed.push(path);
        }
    }
}

fn path(arguments: &Object) -> Option<String> {
    arguments.get("path").and_then(Value::as_str).map(str::to_owned)
}

/// A person, wherever they were when they answered.
fn named(by: &Actor) -> Actor {
    Actor::new(by.kind, by.id.clone())
}
