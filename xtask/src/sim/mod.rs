//! `cargo xtask sim`: random worlds of runs, workers, people and accidents around the engine and the store.
//!
//! One seed is one world, and replays exactly. A checker that reads events only compares each world with
//! what must hold; `--defects` plants known defects to show that it would notice.

mod actor;
mod agents;
mod check;
mod defects;
mod dice;
mod finish;
mod generate;
mod ground;
mod people;
mod sweep;
mod world;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use clap::Args;
use provost_engine::Digest;

use crate::Failure;
use agents::Agents;
use dice::chance;
use world::{Faults, World};

/// How many things happen in a world before it is left to come to rest.
const STEPS: u32 = 220;
/// How many more it may take until every run has ended.
const REST_STEPS_MAX: u32 = 8_000;
/// How many seeds each planted defect gets.
const DEFECT_SEEDS: u64 = 2_000;

#[derive(Args, Debug)]
pub(crate) struct Options {
    /// How many worlds, or seeds for each defect
    #[arg(long)]
    seeds: Option<u64>,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// Play one world and print what happens
    #[arg(long)]
    seed: Option<u64>,
    /// Plant a defect
    #[arg(long)]
    defect: Option<String>,
    /// Plant every defect in turn
    #[arg(long)]
    defects: bool,
    /// Crash at every commit and effect of so many worlds
    #[arg(long)]
    sweep: Option<u64>,
    /// How many things happen in a world before it comes to rest
    #[arg(long, default_value_t = STEPS)]
    steps: u32,
    /// Print how often everything happened
    #[arg(long)]
    counts: bool,
}

impl Options {
    /// A walk of so many worlds.
    pub(crate) fn walk(seeds: u64) -> Self {
        Self {
            seeds: Some(seeds),
            from: 0,
            seed: None,
            defect: None,
            defects: false,
            sweep: None,
            steps: STEPS,
            counts: false,
        }
    }

    /// A sweep over so many worlds.
    pub(crate) fn sweep(worlds: u64) -> Self {
        Self { sweep: Some(worlds), ..Self::walk(0) }
    }

    /// Every defect in turn.
    pub(crate) fn defects() -> Self {
        Self { defects: true, seeds: None, ..Self::walk(0) }
    }
}

/// Something that must not be.
#[derive(Clone, Debug)]
pub(crate) struct Violation(String);

impl Violation {
    fn new(about: &impl Display, problem: impl Display) -> Self {
        Self(format!("{about}: {problem}"))
    }

    /// The beginning of it.
    fn short(&self) -> String {
        self.0.chars().take(140).collect()
    }
}

fn random_faults() -> Faults {
    Faults { random: true, ..Faults::default() }
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let agents = Arc::new(Agents::new()?);
    let first = options.from;
    if let Some(worlds) = options.sweep {
        return sweep::run(first..first + worlds, &agents);
    }
    if options.defects {
        return defects::all(first..first + options.seeds.unwrap_or(DEFECT_SEEDS), &agents);
    }
    let planted = options.defect.as_deref().map(defects::Planted::parse).transpose()?;
    if let Some(seed) = options.seed {
        return one(seed, options.steps, planted, &agents);
    }
    let seeds = first..first + options.seeds.unwrap_or(500);
    if let Some(planted) = planted {
        return match defects::find(planted, seeds, &agents) {
            Some((seed, violation)) => {
                println!("seed {seed}: {}", violation.0);
                Ok(())
            }
            None => Err(format!("{} is not found", planted.name()).into()),
        };
    }
    walk(seeds, &agents, options)
}

/// Plays one world and prints what happens.
fn one(
    seed: u64,
    steps: u32,
    planted: Option<defects::Planted>,
    agents: &Arc<Agents>,
) -> Result<(), Failure> {
    let mut world = World::new(seed, agents.clone(), random_faults());
    (world.trace, world.steps) = (true, steps);
    match planted {
        Some(defects::Planted::Engine(defect)) => provost_engine::defect::set(Some(defect)),
        Some(defects::Planted::Store(defect)) => world.defect = Some(defect),
        None => {}
    }
    play(&mut world).map_err(|violation| format!("seed {seed}: {}", violation.0))?;
    println!("{} events, hash {}", events(&world), world_hash(&world));
    Ok(())
}

fn walk(seeds: std::ops::Range<u64>, agents: &Arc<Agents>, options: &Options) -> Result<(), Failure> {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    let (mut failed, mut total, count) = (Vec::new(), 0, seeds.end - seeds.start);
    for seed in seeds {
        let mut world = World::new(seed, agents.clone(), random_faults());
        world.steps = options.steps;
        if let Err(violation) = play(&mut world) {
            eprintln!("seed {seed}: {}", violation.0.chars().take(700).collect::<String>());
            failed.push(seed);
            if failed.len() >= 5 {
                break;
            }
        }
        total += events(&world);
        for (what, times) in world.counts {
            *all.entry(what).or_default() += times;
        }
    }
    if options.counts {
        all.iter().for_each(|(what, times)| println!("{times:>9} {what}"));
    }
    println!("sim: {count} worlds, {total} events, {} violations", failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("seeds {failed:?}").into()) }
}

/// Plays a world to its end.
fn play(world: &mut World) -> Result<(), Violation> {
    if chance(&mut world.rng, 45) {
        let session = world.open_session()?;
        world.accept(Some(session))?;
    }
    for _ in 0..world.rng.u32(1..3) {
        world.accept(None)?;
    }
    for _ in 0..world.steps {
        world.step()?;
    }
    world.faults.random = false;
    for _ in 0..REST_STEPS_MAX {
        if world.is_over() {
            return world.finale();
        }
        world.step()?;
    }
    Err(world.stuck())
}

fn events(world: &World) -> u64 {
    world.journals.values().map(|journal| journal.len() as u64).sum()
}

/// Returns the hash of everything that happened in a world.
fn world_hash(world: &World) -> Digest {
    let runs = world.tables.list_runs(&provost_runtime::store::RunFilter::default(), None, 10_000).items;
    let heads: Vec<String> = runs.iter().map(|listed| listed.row.head_hash.to_string()).collect();
    Digest::of_fields(&heads.iter().map(String::as_str).collect::<Vec<_>>())
}

impl World {
    fn is_over(&self) -> bool {
        let open = provost_runtime::store::RunFilter { ended: Some(false), ..Default::default() };
        self.tables.list_runs(&open, None, 1).items.is_empty()
    }

    /// Says which run does not get on.
    fn stuck(&self) -> Violation {
        let open = provost_runtime::store::RunFilter { ended: Some(false), ..Default::default() };
        let rows = self.tables.list_runs(&open, None, 3).items;
        let about = rows.iter().map(|listed| {
            let row = &listed.row;
            let state = self.fold(&row.run, self.strict).ok();
            let due = state.map(|state| {
                let due = provost_engine::due(&state, &self.now_of(&row.run, false));
                let waits: Vec<&str> = state.waits.values().map(|wait| wait.kind.as_str()).collect();
                format!(
                    "due {:?} waits {waits:?}",
                    due.iter().map(provost_engine::Effect::id).collect::<Vec<_>>()
                )
            });
            format!("{} {} ready={} owner={:?} {due:?}", row.run, row.status, row.ready, row.owner)
        });
        Violation::new(&"no progress", about.collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_replays_exactly() {
        let agents = Arc::new(Agents::new().unwrap());
        let hash = |seed| {
            let mut world = World::new(seed, agents.clone(), random_faults());
            play(&mut world).unwrap();
            world_hash(&world)
        };
        for seed in 0..5 {
            assert_eq!(hash(seed), hash(seed));
        }
        assert_ne!(hash(1), hash(2));
    }
}
