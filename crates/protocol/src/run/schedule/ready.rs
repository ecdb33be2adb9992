//! The concurrency limit, and the attempts that may start now.

use provost_contract::{ContractError, Result};

use super::event::Start;
use super::state::{Schedule, Stop};
use crate::Strategy;

/// The maximum number of concurrent actions; the runtime sets it, never the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    at_once: usize,
}

impl Limits {
    /// Creates a limit; a limit below one is rejected, because nothing could run.
    pub fn new(max_parallel: usize, strategy: Strategy) -> Result<Self> {
        if max_parallel == 0 {
            return Err(ContractError::field("invalid_limit", "max_parallel", "must be at least 1"));
        }
        let at_once = match strategy {
            Strategy::Dag => max_parallel,
            Strategy::Sequential => 1,
        };
        Ok(Self { at_once })
    }
}

impl Schedule {
    /// Returns the attempts that may start now: continued actions first, then in declaration order.
    ///
    /// Without an event in between, it returns the same attempts again.
    pub fn ready(&self) -> impl Iterator<Item = Start> + '_ {
        let (again, fresh) = match self.stop {
            None => (usize::MAX, self.limits.at_once.saturating_sub(self.places)),
            Some(Stop::Aborted) => (usize::MAX, 0),
            Some(Stop::Canceled) => (0, 0),
        };
        let again = self.again.iter().take(again);
        again.chain(self.startable.iter().take(fresh)).filter_map(|at| self.start_of(*at))
    }

    fn start_of(&self, at: usize) -> Option<Start> {
        let cell = self.cells.get(at)?;
        Some(Start { at, attempt: cell.attempts + 1, round: cell.rounds + 1 })
    }

    /// Returns the next attempt of an action that still has its slot; `None` if it ended or released it.
    pub(super) fn next_attempt(&self, at: usize) -> Option<Start> {
        self.again.contains(&at).then(|| self.start_of(at))?
    }

    /// Returns whether an action may start now.
    pub(super) fn is_ready(&self, at: usize) -> bool {
        match self.stop {
            None if self.startable.contains(&at) => self.places < self.limits.at_once,
            None | Some(Stop::Aborted) => self.again.contains(&at),
            Some(Stop::Canceled) => false,
        }
    }
}
