//! When to ask again, and after how long.

use provost_contract::canonical;
use serde::{Deserialize, Serialize};

use crate::Fault;

/// How often to try, and how long to wait in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// How often a request is sent at most.
    pub attempts_max: u32,
    /// The wait after the first failure; it doubles with each.
    pub wait_ms: u64,
    /// The longest wait of our own.
    pub wait_ms_max: u64,
    /// The longest wait a provider may ask for; beyond it the failure is handed on at once.
    pub retry_after_ms_max: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts_max: 5, wait_ms: 1_000, wait_ms_max: 30_000, retry_after_ms_max: 120_000 }
    }
}

impl Retry {
    /// How long to wait before asking again; none when asking again is no use.
    ///
    /// `who` tells callers apart that failed at the same moment, so that they do not come back at the
    /// same moment too; the same caller waits equally long in every replay.
    pub(super) fn wait_ms(&self, fault: &Fault, attempt: u32, who: &str) -> Option<u64> {
        if !fault.kind.passes() || attempt >= self.attempts_max {
            return None;
        }
        match fault.retry_after_ms {
            Some(asked) => (asked <= self.retry_after_ms_max).then_some(asked),
            None => {
                let doubled = self.wait_ms.saturating_mul(1_u64 << attempt.saturating_sub(1).min(20));
                let wait = doubled.min(self.wait_ms_max);
                Some(wait.saturating_add(spread(wait / 4, attempt, who)))
            }
        }
    }
}

/// A part of `most` that looks random and is not.
fn spread(most: u64, attempt: u32, who: &str) -> u64 {
    let hash = canonical::sha256(format!("{who} {attempt}").as_bytes());
    let first = u64::from(hash.first().copied().unwrap_or_default());
    most.saturating_mul(first) / u64::from(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FaultKind;

    fn fault(kind: FaultKind, retry_after_ms: Option<u64>) -> Fault {
        Fault { retry_after_ms, ..Fault::new(kind, "") }
    }

    #[test]
    fn waits_double_up_to_a_limit_and_differ_between_callers() {
        let retry = Retry { attempts_max: 20, ..Retry::default() };
        let overloaded = fault(FaultKind::Overloaded, None);
        let wait = |attempt, who| retry.wait_ms(&overloaded, attempt, who).unwrap();
        for (attempt, least) in [(1, 1_000), (2, 2_000), (3, 4_000), (6, 30_000), (19, 30_000)] {
            let waited = wait(attempt, "a");
            assert!((least..=least + least / 4).contains(&waited), "attempt {attempt}: {waited}");
        }
        assert_ne!(wait(1, "a"), wait(1, "b"));
        assert_eq!(wait(1, "a"), wait(1, "a"));
    }

    #[test]
    fn the_providers_own_wait_wins_unless_it_is_too_long() {
        let retry = Retry::default();
        assert_eq!(retry.wait_ms(&fault(FaultKind::RateLimited, Some(7_000)), 1, ""), Some(7_000));
        assert_eq!(retry.wait_ms(&fault(FaultKind::RateLimited, Some(7_000_000)), 1, ""), None);
    }

    #[test]
    fn what_does_not_pass_is_not_asked_again() {
        let retry = Retry::default();
        assert_eq!(retry.wait_ms(&fault(FaultKind::Auth, None), 1, ""), None);
        assert!(retry.wait_ms(&fault(FaultKind::Unreachable, None), 4, "").is_some());
        assert_eq!(retry.wait_ms(&fault(FaultKind::Unreachable, None), 5, ""), None);
    }
}
