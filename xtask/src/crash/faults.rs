//! A store that goes wrong at one operation: busy, full, silent, fenced, or away for a minute. Nothing of it
//! ends a run or repeats an effect.

use std::sync::Arc;

use strum::VariantArray as _;

use super::compare::differences;
use super::fate::{Fate, Trouble};
use super::points::{one, undisturbed, whole};
use super::report::Report;
use super::scenario::Scenario;
use crate::Failure;

/// Scenarios that together use every operation.
const PLAYED: &[&str] = &[
    "plain-loop",
    "mixed-batch",
    "approval-accepted",
    "client-answers",
    "message-in-the-last-moment",
    "chat",
    "program-asked",
    "child",
    "timer",
];

/// Lets every `stride`-th operation of a scenario go wrong in every way.
pub(super) fn every(scenario: &Arc<Scenario>, stride: usize, report: &mut Report) -> Result<(), Failure> {
    if PLAYED.contains(&scenario.name) {
        let undisturbed = undisturbed(scenario)?;
        let whole = whole(&undisturbed);
        let before = report.tried;
        let troubles = |at: usize| Trouble::VARIANTS.iter().map(move |trouble| (at, *trouble));
        let tries = (0..undisturbed.operations).flat_map(troubles).step_by(stride);
        for (at, trouble) in tries {
            let found = match one(scenario, &Fate::troubled(at, trouble)) {
                Ok(mut cut) => {
                    // One worker was taken for dead, or let go of its runs.
                    cut.lost += 1;
                    differences(scenario, &whole, &cut)
                }
                Err(error) => vec![error.to_string()],
            };
            report.tried(scenario.name, &format!("{trouble} at operation {at}"), &found);
        }
        report.scenario_of(report.tried - before);
    }
    Ok(())
}
