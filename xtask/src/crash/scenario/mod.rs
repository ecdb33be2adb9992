//! What is asked of runs, and how models, tools, hooks, people and clients behave.

mod approvals;
mod corpus;
mod declared;
mod graphs;
mod hooks;
mod limits;
mod loops;
mod people;
mod script;
mod sessions;
mod signals;
mod turns;
mod waits;
mod writes;

pub(super) use corpus::{corpus, named};
pub(super) use people::{Doubt, Person, When, Work};
pub(super) use script::{Ask, Does, Effect, Exactness, Recall, Scenario};
