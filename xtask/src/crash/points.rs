//! Count, then cut: one undisturbed play tells the points of a scenario, then one play for each is cut there.

use std::sync::Arc;

use super::compare::differences;
use super::disk::Ram;
use super::fate::{Blow, Cut, Point};
use super::play::{Played, play};
use super::report::Report;
use super::scenario::Scenario;
use super::world::World;
use crate::Failure;

/// Cuts a scenario at every point.
pub(super) async fn every(scenario: &Arc<Scenario>, report: &mut Report) -> Result<(), Failure> {
    let whole = match undisturbed(scenario, 0).await {
        Ok(whole) => whole,
        Err(error) => {
            report.failed(scenario, "undisturbed", &[error.to_string()]);
            return Ok(());
        }
    };
    for cut in cuts(&whole.points) {
        let found = cut_at(scenario, 0, &whole, vec![cut]).await;
        report.tried(scenario, &told(&whole.points, cut), &found);
    }
    Ok(())
}

/// The play nobody disturbs; it must end as the scenario says.
pub(super) async fn undisturbed(scenario: &Arc<Scenario>, seed: u64) -> Result<Played, Failure> {
    let world = Arc::new(World::new(scenario, Arc::new(Ram::new()), seed)?);
    let whole = play(&world, Vec::new()).await?;
    match differences(scenario, &whole, &whole).as_slice() {
        [] => Ok(whole),
        found => Err(found.join("; ").into()),
    }
}

/// Plays with cuts, and says what is wrong with the end.
pub(super) async fn cut_at(
    scenario: &Arc<Scenario>,
    seed: u64,
    whole: &Played,
    cuts: Vec<Cut>,
) -> Vec<String> {
    let played = async {
        let world = Arc::new(World::new(scenario, Arc::new(Ram::new()), seed)?);
        play(&world, cuts).await
    };
    match played.await {
        Ok(cut) => differences(scenario, whole, &cut),
        Err(error) => vec![error.to_string()],
    }
}

/// The process may die at every point; at those of the storage it may also live and learn nothing, and at
/// those behind which it is fenced it may sleep until its run is another's.
fn cuts(points: &[Point]) -> Vec<Cut> {
    let at = |blow: Blow, possible: fn(Point) -> bool| {
        let numbered = points.iter().enumerate().filter(move |(_, point)| possible(**point));
        numbered.map(move |(at, _)| Cut { at, blow })
    };
    let deaths = at(Blow::Death, |_| true);
    let silences = at(Blow::Silence, Point::is_of_storage);
    deaths.chain(silences).chain(at(Blow::Sleep, Point::is_fenced)).collect()
}

/// A cut in words.
pub(super) fn told(points: &[Point], cut: Cut) -> String {
    let point = points.get(cut.at).map_or_else(|| "later".to_owned(), Point::to_string);
    format!("{} at point {} ({point})", cut.blow, cut.at)
}
