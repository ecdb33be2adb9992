//! Every point of a scenario: one play for each thing that can happen at each place.

use std::sync::Arc;

use super::compare::differences;
use super::fate::{Blow, Cut, Fate};
use super::play::{Played, play};
use super::report::Report;
use super::scenario::Scenario;
use super::seen::Seen;
use super::world::World;
use crate::Failure;

/// Runs one play on a thread of its own time, which stands still while anything can happen.
pub(super) fn in_paused_time<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    runtime.block_on(work)
}

pub(super) fn one(scenario: &Arc<Scenario>, fate: &Arc<Fate>) -> Result<Played, Failure> {
    in_paused_time(async { play(&World::in_memory(scenario), fate).await })
}

/// Plays a scenario without a cut, which must show what the scenario promises.
pub(super) fn undisturbed(scenario: &Arc<Scenario>) -> Result<Played, Failure> {
    let played = one(scenario, &Fate::new(Vec::new()))?;
    let found = differences(scenario, &whole(&played), &played);
    if found.is_empty() {
        return Ok(played);
    }
    Err(format!("{}: undisturbed: {}", scenario.name, found.join("; ")).into())
}

pub(super) fn whole(played: &Played) -> Seen {
    let seen = &played.seen;
    let (runs, effects, asked) = (seen.runs.clone(), seen.effects.clone(), seen.asked.clone());
    Seen { runs, effects, asked, problems: Vec::new() }
}

/// Cuts a scenario at every `stride`-th point.
pub(super) fn every(scenario: &Arc<Scenario>, stride: usize, report: &mut Report) -> Result<(), Failure> {
    let undisturbed = match undisturbed(scenario) {
        Ok(undisturbed) => undisturbed,
        Err(error) => {
            report.tried(scenario.name, "undisturbed", &[error.to_string()]);
            return Ok(());
        }
    };
    let whole = whole(&undisturbed);
    let places = undisturbed.places.iter().enumerate();
    let points: Vec<(usize, Blow)> =
        places.flat_map(|(at, place)| place.blows().iter().map(move |blow| (at, *blow))).collect();
    let before = report.tried;
    for (at, blow) in points.into_iter().skip(scenario.name.len() % stride).step_by(stride) {
        let found = match one(scenario, &Fate::new(vec![Cut { at, blow }])) {
            Ok(cut) => differences(scenario, &whole, &cut),
            Err(error) => vec![error.to_string()],
        };
        let place = undisturbed.places.get(at).map(ToString::to_string).unwrap_or_default();
        report.tried(scenario.name, &format!("{blow} at {at} ({place})"), &found);
    }
    report.scenario_of(report.tried - before);
    Ok(())
}
