//! A named counter with a ceiling: what bounds turns, tool calls, retries and whatever else a host counts.

use serde_json::{Value, json};

/// A counter that is exceeded as soon as it reaches its ceiling, and counts on after that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterationBudget {
    name: String,
    /// At least 1.
    ceiling: u64,
    current: u64,
}

impl IterationBudget {
    /// A budget of at least 1, starting at `current` or, below zero, at zero.
    pub fn new(name: impl Into<String>, ceiling: i64, current: i64) -> Self {
        Self { name: name.into(), ceiling: not_negative(ceiling).max(1), current: not_negative(current) }
    }

    /// Counts one more.
    pub fn increment(&mut self) {
        self.current = self.current.saturating_add(1);
    }

    /// Sets the counter; below zero is zero.
    pub fn set_current(&mut self, current: i64) {
        self.current = not_negative(current);
    }

    /// The name of what is counted.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it ends.
    pub fn ceiling(&self) -> u64 {
        self.ceiling
    }

    /// The count so far.
    pub fn current(&self) -> u64 {
        self.current
    }

    /// Whether the ceiling is reached.
    pub fn is_exceeded(&self) -> bool {
        self.current >= self.ceiling
    }

    /// What is left.
    pub fn remaining(&self) -> u64 {
        self.ceiling.saturating_sub(self.current)
    }

    /// The wire form of the state.
    pub fn to_value(&self) -> Value {
        json!({
            "name": self.name,
            "ceiling": self.ceiling,
            "current": self.current,
            "exceeded": self.is_exceeded(),
            "remaining": self.remaining(),
        })
    }
}

fn not_negative(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
