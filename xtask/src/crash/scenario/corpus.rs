//! All scenarios.

use std::sync::Arc;

use super::script::Scenario;
use super::{approvals, declared, graphs, hooks, limits, loops, sessions, signals, waits, writes};
use crate::Failure;

/// Returns every scenario.
pub(in super::super) fn corpus() -> Vec<Arc<Scenario>> {
    let parts = [
        loops::scenarios(),
        writes::scenarios(),
        approvals::scenarios(),
        waits::scenarios(),
        hooks::scenarios(),
        limits::scenarios(),
        signals::scenarios(),
        sessions::scenarios(),
        graphs::scenarios(),
        declared::scenarios(),
    ];
    parts.into_iter().flatten().map(Arc::new).collect()
}

/// Returns the scenario of a name.
pub(in super::super) fn named(name: &str) -> Result<Arc<Scenario>, Failure> {
    let mut scenarios = corpus().into_iter();
    scenarios.find(|scenario| scenario.name == name).ok_or_else(|| format!("no scenario {name}").into())
}
