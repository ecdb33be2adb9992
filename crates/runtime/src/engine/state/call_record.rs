//! What is kept of a call for as long as the run is.

use std::fmt;
use std::sync::Arc;

use crate::engine::KeptCall;

/// A call, and where in the run it was made. The transcript and the records share it.
#[derive(Clone)]
pub struct CallRecord {
    // A run has one for every call it ever made, so numbers are no wider than they get.
    turn: u32,
    place: u32,
    /// The tool.
    pub name: Arc<str>,
    /// What the model asked for.
    pub declared: KeptCall,
}

impl CallRecord {
    /// A call by its turn, and its place among the calls of that.
    pub(super) fn new(turn: u64, place: usize, name: Arc<str>, declared: KeptCall) -> Self {
        let turn = u32::try_from(turn).unwrap_or(u32::MAX);
        Self { turn, place: u32::try_from(place).unwrap_or(u32::MAX), name, declared }
    }

    /// The same call with other arguments.
    pub(super) fn edited(&self, declared: KeptCall) -> Self {
        Self { declared, ..self.clone() }
    }

    /// The turn it belongs to.
    pub fn turn(&self) -> u64 {
        self.turn.into()
    }

    /// Its place among the calls of the turn.
    pub fn place(&self) -> usize {
        self.place as usize
    }
}

impl fmt::Debug for CallRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{} {:?}", self.turn, self.place, self.declared)
    }
}
