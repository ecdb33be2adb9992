//! What a run used of its limits.

use provost_contract::json::Object;
use provost_runtime::engine::RunState;
use serde_json::{Value, json};

const TURNS: &str = "turns";
const TOKENS: &str = "tokens";
const COST: &str = "cost_microusd";
const WALL_CLOCK: &str = "wall_clock_seconds";

/// One limit, or something that is only counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Gauge {
    pub(in crate::cli) name: String,
    pub(in crate::cli) used: u64,
    pub(in crate::cli) ceiling: Option<u64>,
}

impl Gauge {
    pub(in crate::cli) fn document(&self) -> Value {
        let left = self.ceiling.map(|ceiling| ceiling.saturating_sub(self.used));
        json!({ "type": "budget", "budget": self.name, "used": self.used, "ceiling": self.ceiling, "left": left })
    }

    pub(in crate::cli) fn line(&self) -> String {
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
            COST => format!("${}.{:06}", number / 1_000_000, number % 1_000_000),
            WALL_CLOCK => format!("{number} s"),
            _ => number.to_string(),
        }
    }
}

/// What was used of everything that has a limit, and turns, tokens and cost also without one.
pub(in crate::cli) fn gauges(state: &RunState, now_ms: i64) -> Vec<Gauge> {
    let seconds = now_ms.saturating_sub(state.started_at_ms).max(0).unsigned_abs() / 1_000;
    let mut gauges: Vec<Gauge> = state
        .budgets
        .limits()
        .map(|limit| Gauge {
            name: limit.name().to_owned(),
            used: if limit.name() == WALL_CLOCK { seconds } else { limit.current() },
            ceiling: Some(limit.ceiling()),
        })
        .collect();
    let mut add = |name: &str, used: u64, ceiling: Option<u64>| {
        if gauges.iter().all(|gauge| gauge.name != name) {
            gauges.push(Gauge { name: name.to_owned(), used, ceiling });
        }
    };
    add(TURNS, state.turn, Some(state.spec.max_turns));
    add(TOKENS, number(&state.records.usage, "total_tokens"), None);
    if state.records.usage.contains_key(COST) {
        add(COST, number(&state.records.usage, COST), None);
    }
    gauges
}

fn number(usage: &Object, key: &str) -> u64 {
    usage.get(key).and_then(Value::as_u64).unwrap_or_default()
}
