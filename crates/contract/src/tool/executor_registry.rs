//! Executors by the target a declaration names.

use std::collections::BTreeMap;

/// The executors registered for named targets. A tool that names none is run by the default executor,
/// one that names a target nobody registered by nobody.
#[derive(Clone, Debug)]
pub struct ToolExecutorRegistry<Executor> {
    by_target: BTreeMap<String, Executor>,
}

impl<Executor> ToolExecutorRegistry<Executor> {
    /// Registers executors by target; a target without a name is left out.
    pub fn new(executors: impl IntoIterator<Item = (String, Executor)>) -> Self {
        Self { by_target: executors.into_iter().filter(|(target, _)| !target.is_empty()).collect() }
    }

    /// The executor of a target, by its exact name.
    pub fn get(&self, target: &str) -> Option<&Executor> {
        self.by_target.get(target)
    }

    /// The executors of all targets.
    pub fn executors(&self) -> impl Iterator<Item = &Executor> {
        self.by_target.values()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_target.is_empty()
    }
}
