//! The scenarios: what is asked of a run, how everybody behaves, and how it must end.

mod approvals;
mod client_tools;
mod hooks;
mod limits;
mod loops;
mod script;
mod sessions;
mod signals;
mod tools;
mod writes;

use std::sync::Arc;

use crate::Failure;

pub(super) use script::{Answer, ClientAnswer, Exactness, Hook, Letter, Recall, Scenario, When};
pub(super) use tools::{Effect, effect_of};

/// Every scenario.
pub(super) fn corpus() -> Vec<Arc<Scenario>> {
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
pub(super) fn named(name: &str) -> Result<Arc<Scenario>, Failure> {
    let mut scenarios = corpus();
    match scenarios.iter().position(|scenario| scenario.name == name) {
        Some(place) => Ok(scenarios.swap_remove(place)),
        None => {
            let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
            Err(format!("no scenario is called {name}; there is {}", names.join(", ")).into())
        }
    }
}
