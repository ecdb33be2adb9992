//! Deliberate defects: the simulator must find each of them.

use provost_engine::defect::{self, Defect};
use strum::VariantArray;

use super::{Violation, play};
use crate::Failure;
use std::sync::Arc;

/// A deliberate defect of what surrounds the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum StoreDefect {
    /// A run ends although signals wait in its queue.
    EndsWithSignals,
    /// Inputs of a refused commit are forgotten.
    InputsDropped,
    /// The end of a child does not reach its parent.
    ChildAnswersDropped,
    /// What a run said does not enter its session.
    SessionEntriesDropped,
    /// A wait is written without its row.
    WaitRowsDropped,
}

/// A defect, by its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Planted {
    Engine(Defect),
    Store(StoreDefect),
}

impl Planted {
    pub(super) fn parse(name: &str) -> Result<Self, Failure> {
        let engine = name.parse().map(Self::Engine);
        let planted = engine.or_else(|_| name.parse().map(Self::Store));
        planted.map_err(|_| format!("there is no defect `{name}`; there are {}", names().join(", ")).into())
    }

    pub(super) fn all() -> Vec<Self> {
        let engine = Defect::VARIANTS.iter().copied().map(Self::Engine);
        engine.chain(StoreDefect::VARIANTS.iter().copied().map(Self::Store)).collect()
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Engine(defect) => defect.into(),
            Self::Store(defect) => defect.into(),
        }
    }

    fn store(self) -> Option<StoreDefect> {
        match self {
            Self::Engine(_) => None,
            Self::Store(defect) => Some(defect),
        }
    }
}

fn names() -> Vec<&'static str> {
    Planted::all().into_iter().map(Planted::name).collect()
}

/// Plants a defect and returns the first seed that shows it.
pub(super) fn find(
    planted: Planted,
    seeds: std::ops::Range<u64>,
    agents: &Arc<super::agents::Agents>,
) -> Option<(u64, Violation)> {
    if let Planted::Engine(engine) = planted {
        defect::set(Some(engine));
    }
    let found = seeds.into_iter().find_map(|seed| {
        let mut world = super::world::World::new(seed, agents.clone(), super::random_faults());
        world.defect = planted.store();
        play(&mut world).err().map(|violation| (seed, violation))
    });
    defect::set(None);
    found
}

/// Plants every defect in turn and reports which are found.
pub(super) fn all(seeds: std::ops::Range<u64>, agents: &Arc<super::agents::Agents>) -> Result<(), Failure> {
    let mut missed = Vec::new();
    for planted in Planted::all() {
        match find(planted, seeds.clone(), agents) {
            Some((seed, violation)) => {
                println!("{:<28} seed {seed:>5}  {}", planted.name(), violation.short());
            }
            None => {
                println!("{:<28} not found", planted.name());
                missed.push(planted.name());
            }
        }
    }
    if missed.is_empty() { Ok(()) } else { Err(format!("not found: {}", missed.join(", ")).into()) }
}
