//! All scenarios, and one by its name.

use std::sync::Arc;

use super::{Scenario, approvals, client_tools, hooks, limits, loops, sessions, signals, writes};
use crate::Failure;

/// Every scenario.
pub(crate) fn corpus() -> Vec<Arc<Scenario>> {
    let parts = [
        loops::scenarios(),
        writes::scenarios(),
        approvals::scenarios(),
        client_tools::scenarios(),
        hooks::scenarios(),
        limits::scenarios(),
        sessions::scenarios(),
        signals::scenarios(),
    ];
    parts.into_iter().flatten().map(Arc::new).collect()
}

/// The scenario of a name.
pub(crate) fn named(name: &str) -> Result<Arc<Scenario>, Failure> {
    let mut scenarios = corpus();
    match scenarios.iter().position(|scenario| scenario.name == name) {
        Some(place) => Ok(scenarios.swap_remove(place)),
        None => {
            let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
            Err(format!("no scenario is called {name}; there is {}", names.join(", ")).into())
        }
    }
}
