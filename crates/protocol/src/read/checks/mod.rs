//! The checks that both forms share: executors, arguments, dependencies, references and resources.

mod arguments;
mod conflicts;
mod executor;
mod graph_checks;
mod inputs;
mod nearest;
mod references;

pub(crate) use arguments::check_arguments;
pub(crate) use conflicts::check_conflicts;
pub(crate) use executor::{ExecutorSpots, check_executor};
pub(crate) use graph_checks::{check_graph, unknown_dependency};
pub(crate) use nearest::{listed, nearest};
pub(crate) use references::{References, parsed_reference};
