//! The usage of a run relative to its limits.

use provost_engine::view::{self, Limit};
use provost_project::Limits;
use serde_json::{Value, json};

use crate::journal::Read;
use crate::text::{count, money, spoken_limit};

const TURNS: &str = "turns";
const TOKENS: &str = "tokens";
const COST: &str = "cost_microusd";
const WALL_CLOCK: &str = "wall_clock_seconds";

/// One limit, or a value without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gauge {
    pub(crate) name: String,
    pub(crate) used: u64,
    pub(crate) ceiling: Option<u64>,
}

impl Gauge {
    pub(crate) fn document(&self) -> Value {
        let left = self.ceiling.map(|ceiling| ceiling.saturating_sub(self.used));
        json!({ "type": "budget", "budget": self.name, "used": self.used, "ceiling": self.ceiling, "left": left })
    }

    pub(crate) fn line(&self) -> String {
        let used = self.amount(self.used);
        match self.ceiling {
            Some(ceiling) => {
                let left = self.amount(ceiling.saturating_sub(self.used));
                format!("{:<20} {used} of {}, {left} left", self.word(), self.amount(ceiling))
            }
            None => format!("{:<20} {used}", self.word()),
        }
    }

    fn word(&self) -> &str {
        match self.name.as_str() {
            COST => "cost",
            WALL_CLOCK => "time",
            name => name,
        }
    }

    fn amount(&self, number: u64) -> String {
        match self.name.as_str() {
            COST => money(number),
            WALL_CLOCK => spoken_limit(number.saturating_mul(1_000)),
            _ => count(number),
        }
    }
}

/// Returns the usage of all limits, and turns, tokens and cost even without one.
pub(crate) fn gauges(read: &Read) -> Vec<Gauge> {
    let limits = view::usage(&read.state, view::active_ms(&read.run.events));
    // A run without a model has no turns.
    let has_model = read.state.has_model();
    let limits =
        limits.into_iter().filter(|limit| has_model || !matches!(limit.name.as_str(), TURNS | TOKENS));
    limits.map(|Limit { name, used, ceiling }| Gauge { name, used, ceiling }).collect()
}

/// The same for a run that has not started.
pub(crate) fn untouched(limits: &Limits) -> Vec<Gauge> {
    let gauge =
        |(name, ceiling): &(String, u64)| Gauge { name: name.clone(), used: 0, ceiling: Some(*ceiling) };
    let counted = [(TURNS, Some(0), Some(limits.turns_max)), (TOKENS, Some(0), None)];
    with_counted(limits.budgets.iter().map(gauge).collect(), counted)
}

fn with_counted<const N: usize>(
    mut gauges: Vec<Gauge>,
    counted: [(&str, Option<u64>, Option<u64>); N],
) -> Vec<Gauge> {
    // The values that every run has come first.
    for (name, used, ceiling) in counted.into_iter().rev() {
        let is_there = gauges.iter().any(|gauge| gauge.name == name);
        if let Some(used) = used.filter(|_| !is_there) {
            gauges.insert(0, Gauge { name: name.to_owned(), used, ceiling });
        }
    }
    gauges
}
