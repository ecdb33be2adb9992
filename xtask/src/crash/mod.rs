//! `cargo xtask crash`: stops workers at every point, has others take over, and looks whether anything
//! differs.
//!
//! A `scenario` says what is asked and how models, tools, hooks and people behave; a `world` outlives every
//! `process` that works in it; a `play` is one worker after the other until every run is over. `points` counts
//! the places of an undisturbed play and cuts one play at each; `random` cuts by a seed; `faults` lets single
//! operations of the store go wrong; `real` kills processes over a database file; `io` and `power` let the
//! disk fail under them.

mod agents;
mod command;
mod compare;
mod fate;
mod faults;
mod io;
mod journal;
mod ledger;
mod mortal;
mod people;
mod performer;
mod play;
mod points;
mod power;
mod process;
mod random;
mod real;
mod report;
mod scenario;
mod seen;
mod world;

pub(crate) use command::{Options, run};
pub(crate) use real::{ChildOptions, child};
