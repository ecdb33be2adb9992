//! What a message is read against: who speaks, what may be asked for, and how much.

use std::collections::HashSet;

use crate::Catalog;

/// How an agent speaks. Protocol-looking text of a plain agent is only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaking {
    /// Native tools and provider messages.
    Plain,
    /// Declarations.
    Protocol,
}

/// How large a declaration may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many actions.
    pub actions_max: usize,
    /// How many UTF-8 bytes the raw declaration may have.
    pub declaration_bytes_max: usize,
    /// How many actions may wait for each other in a chain.
    pub depth_max: usize,
    /// How many bytes all sections may have, each counted as often as it is referenced.
    pub expanded_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            actions_max: 1_000,
            declaration_bytes_max: 1 << 20,
            depth_max: 500,
            expanded_bytes_max: 4 << 20,
        }
    }
}

/// One model turn.
#[derive(Debug)]
pub struct Turn<'a> {
    /// How the agent speaks.
    pub speaking: Speaking,
    /// What the model was shown, and nothing else.
    pub catalog: &'a Catalog,
    /// The ids of satisfied actions of earlier runs.
    pub completed: HashSet<String>,
    /// How large a declaration may be.
    pub limits: Limits,
    /// Which attempt of this turn the message is, from 1.
    pub attempt: u32,
    /// How many attempts may follow the first.
    pub retries_max: u32,
}

impl<'a> Turn<'a> {
    /// The first attempt of a turn of an agent that speaks this way.
    pub fn new(speaking: Speaking, catalog: &'a Catalog) -> Self {
        Self {
            speaking,
            catalog,
            completed: HashSet::new(),
            limits: Limits::default(),
            attempt: 1,
            retries_max: 1,
        }
    }

    /// Whether a refused message may be sent again.
    pub fn may_retry(&self) -> bool {
        self.attempt <= self.retries_max
    }
}
