//! Counting how often the same thing happened in a row.

/// The smallest threshold: once is no repetition.
const THRESHOLD_MIN: u64 = 2;

/// A run of equal signatures and the length from which on it is too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repeats {
    threshold: u64,
    latest: Option<String>,
    count: u64,
}

impl Repeats {
    pub(super) fn new(threshold: i64) -> Self {
        let threshold = u64::try_from(threshold).unwrap_or(0).max(THRESHOLD_MIN);
        Self { threshold, latest: None, count: 0 }
    }

    pub(super) fn threshold(&self) -> u64 {
        self.threshold
    }

    /// Adds a signature and returns the length of its run.
    pub(super) fn add(&mut self, signature: &str) -> u64 {
        if self.latest.as_deref() != Some(signature) {
            self.latest = Some(signature.to_owned());
            self.count = 0;
        }
        self.count = self.count.saturating_add(1);
        self.count
    }
}
