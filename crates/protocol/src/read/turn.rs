//! The context in which a message is parsed: the speaking mode, the catalog and the limits.

use std::collections::HashSet;

use provost_contract::policies::Policies;

use crate::Catalog;

/// How an agent requests work. Text of a plain agent that looks like the protocol is only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaking {
    /// Native tools and provider messages.
    Plain,
    /// Declarations.
    Protocol,
}

/// The size limits of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of actions.
    pub actions_max: usize,
    /// The maximum size of the raw declaration in UTF-8 bytes.
    pub declaration_bytes_max: usize,
    /// The maximum length of a chain of dependencies.
    pub depth_max: usize,
    /// The maximum size of all expanded sections, each counted as often as it is referenced.
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
    /// The speaking mode of the agent.
    pub speaking: Speaking,
    /// The catalog that the model was shown.
    pub catalog: &'a Catalog,
    /// The ids of satisfied actions of earlier runs.
    pub completed: HashSet<String>,
    /// The policies of the runtime.
    pub runtime_policies: Policies,
    /// The policies of the agent.
    pub agent_policies: Policies,
    /// The size limits of a declaration.
    pub limits: Limits,
    /// The number of this attempt in the turn, from 1.
    pub attempt: u32,
    /// The number of retries.
    pub retries_max: u32,
}

impl<'a> Turn<'a> {
    /// Creates the first attempt of a turn.
    pub fn new(speaking: Speaking, catalog: &'a Catalog) -> Self {
        Self {
            speaking,
            catalog,
            completed: HashSet::new(),
            runtime_policies: Policies::default(),
            agent_policies: Policies::default(),
            limits: Limits::default(),
            attempt: 1,
            retries_max: 1,
        }
    }

    /// Returns whether the model may retry after a refusal.
    pub fn may_retry(&self) -> bool {
        self.attempt <= self.retries_max
    }
}
