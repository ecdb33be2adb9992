//! Seeded plays: calls that run at once finish in any order, and recoveries are cut too.

use std::sync::Arc;

use fastrand::Rng;

use super::fate::{Blow, Cut, Point};
use super::play::Played;
use super::points::{cut_at, told, undisturbed};
use super::report::Report;
use super::scenario::Scenario;
use crate::Failure;

/// A play is cut this often at most.
const CUTS_MAX: usize = 3;

/// Plays so many times; one seed is one series of plays.
pub(super) async fn plays(
    scenarios: &[Arc<Scenario>],
    seed: u64,
    runs: u64,
    report: &mut Report,
) -> Result<(), Failure> {
    for run in 0..runs {
        let seed = seed.wrapping_add(run);
        let mut rng = Rng::with_seed(seed);
        let Some(scenario) = rng.choice(scenarios) else { return Ok(()) };
        // A seed of 0 would mean that nothing takes time.
        let pace = rng.u64(1..);
        match undisturbed(scenario, pace).await {
            Ok(whole) => one(scenario, seed, pace, &whole, &mut rng, report).await,
            Err(error) => report.failed(scenario, &format!("undisturbed, seed {seed}"), &[error.to_string()]),
        }
    }
    Ok(())
}

async fn one(
    scenario: &Arc<Scenario>,
    seed: u64,
    pace: u64,
    whole: &Played,
    rng: &mut Rng,
    report: &mut Report,
) {
    let cuts = cuts(&whole.points, rng);
    let words: Vec<String> = cuts.iter().map(|cut| told(&whole.points, *cut)).collect();
    let found = cut_at(scenario, pace, whole, cuts).await;
    report.tried(scenario, &format!("{}, seed {seed}", words.join(", then ")), &found);
}

/// The first cut is anywhere; the others follow soon, so that most of them hit the recovery.
fn cuts(points: &[Point], rng: &mut Rng) -> Vec<Cut> {
    let mut at = rng.usize(0..points.len().max(1));
    let mut cuts = Vec::new();
    for _ in 0..rng.usize(1..=CUTS_MAX) {
        let blow = match rng.u8(0..5) {
            0 if points.get(at).is_some_and(|point| point.is_of_storage()) => Blow::Silence,
            1 if points.get(at).is_some_and(|point| point.is_fenced()) => Blow::Sleep,
            _ => Blow::Death,
        };
        cuts.push(Cut { at, blow });
        at += rng.usize(1..6);
    }
    cuts
}
