//! The scenarios: what is asked of a run, how everybody behaves, and how it must end.

mod approvals;
mod client_tools;
mod corpus;
mod hooks;
mod limits;
mod loops;
mod script;
mod sessions;
mod signals;
mod tools;
mod writes;

pub(super) use corpus::{corpus, named};
pub(super) use script::{Answer, ClientAnswer, Exactness, Hook, Letter, Recall, Scenario, When};
pub(super) use tools::{Effect, effect_of};
