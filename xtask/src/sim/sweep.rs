//! A crash at every single point of a world.

use std::sync::Arc;

use super::agents::Agents;
use super::world::{Faults, World};
use super::{Violation, play};
use crate::Failure;

/// Crashes before and after every commit, and after every effect start, of some worlds.
pub(super) fn run(seeds: std::ops::Range<u64>, agents: &Arc<Agents>) -> Result<(), Failure> {
    let (mut points, mut failed, worlds) = (0_u64, Vec::new(), seeds.end - seeds.start);
    for seed in seeds {
        let cut = |faults: Faults| -> Result<World, Violation> {
            let mut world = World::new(seed, agents.clone(), faults);
            play(&mut world).map(|()| world)
        };
        let mut fail = |point: &str, violation: Violation| {
            eprintln!("seed {seed}, {point}: {}", violation.0.chars().take(500).collect::<String>());
            failed.push(seed);
        };
        let (commits, starts) = match cut(Faults::default()) {
            Ok(world) => (world.commits, world.starts),
            Err(violation) => {
                fail("undisturbed", violation);
                continue;
            }
        };
        let crashes = (1..=commits).flat_map(|at| [(at, false), (at, true)]);
        let crashes = crashes.map(|crash| Faults { crash_at: Some(crash), ..Faults::default() });
        let kills = (1..=starts).map(|at| Faults { kill_at: Some(at), ..Faults::default() });
        for faults in crashes.chain(kills) {
            points += 1;
            if let Err(violation) = cut(faults) {
                fail(&format!("{faults:?}"), violation);
            }
        }
        if failed.len() > 5 {
            break;
        }
    }
    println!("sim: {worlds} worlds, {points} crashes, {} violations", failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("seeds {failed:?}").into()) }
}
