//! What a developer reads: every difference, a line an area, and the closing count.

use std::collections::BTreeMap;

use super::differences::Differences;
use super::vectors::Case;
use crate::Failure;

/// At most one case in twenty of an area may pin an accident.
const ACCIDENTS_PER_CASE_MAX: f64 = 0.05;

/// How one case ended.
pub(super) enum Verdict {
    Passed,
    Failed(Vec<String>),
    DecidedOtherwise,
    NotYet,
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    decided_otherwise: usize,
    not_yet: usize,
}

impl Tally {
    fn total(&self) -> usize {
        self.passed + self.failed + self.decided_otherwise + self.not_yet
    }
}

/// The counts of a run, by area.
#[derive(Default)]
pub(super) struct Report {
    areas: BTreeMap<String, Tally>,
}

impl Report {
    /// Counts a case and prints it when it failed.
    pub(super) fn add(&mut self, area: &str, case: &Case, verdict: Verdict) {
        let tally = self.areas.entry(area.to_owned()).or_default();
        match verdict {
            Verdict::Passed => tally.passed += 1,
            Verdict::DecidedOtherwise => tally.decided_otherwise += 1,
            Verdict::NotYet => tally.not_yet += 1,
            Verdict::Failed(differences) => {
                tally.failed += 1;
                println!("FAIL {area} / {} ({})", case.name, case.op);
                for difference in differences {
                    println!("     {difference}");
                }
            }
        }
    }

    /// Prints the areas and the closing count; fails when a case did, or when there was none.
    pub(super) fn finish(self, differences: &Differences) -> Result<(), Failure> {
        let mut sum = Tally::default();
        let mut too_many = Vec::new();
        for (area, tally) in &self.areas {
            println!(
                "{area}: {} passed, {} failed, {} decided otherwise, {} not yet",
                tally.passed, tally.failed, tally.decided_otherwise, tally.not_yet
            );
            if differences.accidents(area) as f64 > tally.total() as f64 * ACCIDENTS_PER_CASE_MAX {
                too_many.push(area.as_str());
            }
            sum.passed += tally.passed;
            sum.failed += tally.failed;
            sum.decided_otherwise += tally.decided_otherwise;
            sum.not_yet += tally.not_yet;
        }
        println!(
            "{} decided otherwise (conformance/DIFFERENCES.md), {} not yet",
            sum.decided_otherwise, sum.not_yet
        );
        println!("{} passed, {} failed", sum.passed, sum.failed);
        if sum.total() == 0 {
            return Err("no case matches".into());
        }
        if !too_many.is_empty() {
            return Err(format!(
                "more than 5 % of the cases are called accidents in: {}",
                too_many.join(", ")
            )
            .into());
        }
        if sum.failed > 0 { Err(format!("{} cases failed", sum.failed).into()) } else { Ok(()) }
    }
}
