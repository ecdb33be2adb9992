//! Plays that are cut by a seed, more than once.

use std::sync::Arc;

use fastrand::Rng;

use super::compare::differences;
use super::fate::{Blow, Cut, Fate};
use super::points::{one, undisturbed, whole};
use super::report::Report;
use super::scenario::Scenario;
use crate::Failure;

/// Plays random scenarios with two cuts each: three losses in a row end an action.
pub(super) fn plays(
    scenarios: &[Arc<Scenario>],
    seed: u64,
    runs: u64,
    report: &mut Report,
) -> Result<(), Failure> {
    for number in 0..runs {
        let mut rng = Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(number));
        let Some(scenario) = rng.choice(scenarios) else { return Ok(()) };
        let undisturbed = undisturbed(scenario)?;
        let mut cuts = Vec::new();
        for _ in 0..2 {
            // The second one may strike the worker that takes over, behind the places of the first.
            let at = rng.usize(0..undisturbed.places.len() + 6);
            let blows = [Blow::Death, Blow::Death, Blow::Sleep, Blow::Unknown, Blow::Drain];
            cuts.push(Cut { at, blow: *rng.choice(&blows).unwrap_or(&Blow::Death) });
        }
        let found = match one(scenario, &Fate::new(cuts.clone())) {
            Ok(cut) => differences(scenario, &whole(&undisturbed), &cut),
            Err(error) => vec![error.to_string()],
        };
        report.tried(scenario.name, &format!("seed {seed}, play {number}, {cuts:?}"), &found);
    }
    Ok(())
}
