//! Names from a seed: the hash of the seed and a counter.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use provost_contract::canonical;

use crate::port::{Clock, IdKind, Ids};

/// Makes names without asking the machine for each: what is random in a name is the SHA-256 of a
/// seed and a counter. A seed of the machine cannot be guessed; a given seed makes the same names again.
pub struct HashedIds {
    seed: [u8; 32],
    made: AtomicU64,
    clock: Arc<dyn Clock>,
}

/// The machine has no randomness to give.
#[derive(Debug, thiserror::Error)]
#[error("the machine gave no random bytes")]
pub struct NoRandomness(#[source] getrandom::Error);

impl HashedIds {
    /// Names nobody can guess.
    pub fn from_system(clock: Arc<dyn Clock>) -> Result<Self, NoRandomness> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(NoRandomness)?;
        Ok(Self { seed, made: AtomicU64::new(0), clock })
    }

    /// The same names for the same seed and times, for tests and simulations.
    pub fn from_seed(seed: u64, clock: Arc<dyn Clock>) -> Self {
        let seed = canonical::sha256(&seed.to_be_bytes());
        Self { seed, made: AtomicU64::new(0), clock }
    }

    fn bits(&self) -> u128 {
        let mut bytes = [0; 40];
        let (seed, counter) = bytes.split_at_mut(self.seed.len());
        seed.copy_from_slice(&self.seed);
        counter.copy_from_slice(&self.made.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        let hash = canonical::sha256(&bytes);
        hash.iter().take(16).fold(0, |bits, byte| (bits << 8) | u128::from(*byte))
    }
}

impl Ids for HashedIds {
    fn make(&self, kind: IdKind) -> String {
        kind.written(self.clock.now_ms(), self.bits())
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;
    use crate::system::ManualClock;

    fn some_names(ids: &HashedIds) -> Vec<String> {
        IdKind::VARIANTS.iter().flat_map(|kind| [ids.make(*kind), ids.make(*kind)]).collect()
    }

    #[test]
    fn a_seed_makes_the_same_names_again_and_another_seed_others() {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at(1_780_000_000_000));
        let names = some_names(&HashedIds::from_seed(7, clock.clone()));
        assert_eq!(names, some_names(&HashedIds::from_seed(7, clock.clone())));
        let others = [HashedIds::from_seed(8, clock.clone()), HashedIds::from_system(clock).unwrap()];
        for ids in others {
            assert!(some_names(&ids).iter().all(|name| !names.contains(name)));
        }
    }

    #[test]
    fn no_name_is_made_twice() {
        let names = some_names(&HashedIds::from_seed(7, Arc::new(ManualClock::at(0))));
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
    }
}
