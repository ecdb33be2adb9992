//! What was tried, and what failed.

use std::collections::BTreeMap;

use super::scenario::Scenario;
use crate::Failure;

/// How many failures are told in full.
const TOLD_MAX: usize = 25;

/// The count of a run of the command.
#[derive(Default)]
pub(super) struct Report {
    points: usize,
    failed: BTreeMap<String, usize>,
}

impl Report {
    /// Counts a point, and tells what is wrong with it.
    pub(super) fn tried(&mut self, scenario: &Scenario, cut: &str, found: &[String]) {
        self.points += 1;
        if !found.is_empty() {
            self.failed(scenario, cut, found);
        }
    }

    pub(super) fn failed(&mut self, scenario: &Scenario, cut: &str, found: &[String]) {
        if self.failures() < TOLD_MAX {
            println!("FAILED {}: {cut}", scenario.name);
            found.iter().take(6).for_each(|difference| println!("    {difference}"));
        }
        *self.failed.entry(scenario.name.clone()).or_default() += 1;
    }

    /// Prints the count; an error when anything failed.
    pub(super) fn finish(&self, what: &str, tried: &str) -> Result<(), Failure> {
        for (scenario, failed) in &self.failed {
            println!("{scenario}: {failed} failed");
        }
        println!("crash: {what}{} {tried}, {} failed", self.points, self.failures());
        match self.failures() {
            0 => Ok(()),
            failed => Err(format!("{failed} crashes were not survived").into()),
        }
    }

    fn failures(&self) -> usize {
        self.failed.values().sum()
    }
}
