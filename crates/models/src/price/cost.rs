//! The price of one model.

use provost_contract::json::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Forecast;

const MILLION: u128 = 1_000_000;

/// Micro-dollars for a million tokens. A dollar a million is 1_000_000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// What the model reads.
    pub input: u64,
    /// What it writes, thinking included.
    pub output: u64,
    /// What it reads from a cache; as `input` when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// What it puts into a cache; as `input` when not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
}

impl Price {
    /// What a turn costs, in micro-dollars, to the nearest; none when its tokens were not counted.
    pub fn cost_microusd(&self, usage: &Object) -> Option<u64> {
        let count = |key| usage.get(key).and_then(Value::as_u64);
        let (prompt, completion) = (count("prompt_tokens")?, count("completion_tokens")?);
        let read = count("cache_read_tokens").unwrap_or(0);
        let written = count("cache_write_tokens").unwrap_or(0);
        let fresh = prompt.saturating_sub(read).saturating_sub(written);
        let priced = [
            (fresh, self.input),
            (read, self.cache_read.unwrap_or(self.input)),
            (written, self.cache_write.unwrap_or(self.input)),
            (completion, self.output),
        ];
        Some(microusd(&priced))
    }

    /// What a turn may cost, as far as it can be told, when no cache helps.
    pub(super) fn forecast_microusd(&self, forecast: &Forecast) -> u64 {
        microusd(&[(forecast.prompt_tokens, self.input), (forecast.completion_tokens, self.output)])
    }
}

/// The sum of tokens at their prices, to the nearest micro-dollar.
fn microusd(priced: &[(u64, u64)]) -> u64 {
    let sum: u128 = priced.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price)).sum();
    u64::try_from((sum + MILLION / 2) / MILLION).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use provost_contract::json;
    use serde_json::json;

    use super::*;

    const SONNET: Price = Price {
        input: 3_000_000,
        output: 15_000_000,
        cache_read: Some(300_000),
        cache_write: Some(3_750_000),
    };

    fn cost(price: Price, usage: Value) -> Option<u64> {
        price.cost_microusd(&json::into_object(usage))
    }

    #[test]
    fn cached_tokens_have_their_own_price_and_count_once() {
        let usage = json!({ "prompt_tokens": 1_000, "completion_tokens": 10, "cache_read_tokens": 600, "cache_write_tokens": 300 });
        // 100 · 3 + 600 · 0.3 + 300 · 3.75 + 10 · 15
        assert_eq!(cost(SONNET, usage.clone()), Some(300 + 180 + 1_125 + 150));
        let plain = Price { cache_read: None, cache_write: None, ..SONNET };
        assert_eq!(cost(plain, usage), Some(3_000 + 150));
    }

    #[test]
    fn what_was_not_counted_has_no_cost_and_nothing_costs_nothing() {
        assert_eq!(cost(SONNET, json!({ "prompt_tokens": 5 })), None);
        assert_eq!(cost(SONNET, json!({ "prompt_tokens": 0, "completion_tokens": 0 })), Some(0));
    }
}
