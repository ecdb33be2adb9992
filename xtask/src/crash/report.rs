//! What was tried and what failed.

use crate::Failure;

/// How many failures are shown.
const SHOWN_MAX: usize = 25;

/// Counts tries and failures.
#[derive(Default)]
pub(super) struct Report {
    pub(super) tried: usize,
    failed: usize,
    /// How many tries the largest scenario has.
    largest: usize,
}

impl Report {
    pub(super) fn tried(&mut self, scenario: &str, at: &str, found: &[String]) {
        self.tried += 1;
        if found.is_empty() {
            return;
        }
        self.failed += 1;
        if self.failed <= SHOWN_MAX {
            eprintln!("crash: {scenario}, {at}:");
            found.iter().take(6).for_each(|line| eprintln!("    {line}"));
        }
    }

    /// Adds what another thread tried.
    pub(super) fn add(&mut self, other: &Self) {
        self.tried += other.tried;
        self.failed += other.failed;
        self.largest = self.largest.max(other.largest);
    }

    pub(super) fn scenario_of(&mut self, points: usize) {
        self.largest = self.largest.max(points);
    }

    /// Says how it went; fails if anything did.
    pub(super) fn finish(&self, what: &str, unit: &str) -> Result<(), Failure> {
        let largest = match (self.largest * 100).checked_div(self.tried) {
            Some(share) if share > 0 => format!(" (largest scenario {share} %)"),
            Some(_) | None => String::new(),
        };
        println!("crash: {what}{} {unit}, {} failed{largest}", self.tried, self.failed);
        if self.failed > 0 {
            Err(format!("{} of {} {unit} failed", self.failed, self.tried).into())
        } else {
            Ok(())
        }
    }
}
