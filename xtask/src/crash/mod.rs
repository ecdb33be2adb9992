//! `cargo xtask crash`: stops a run at every point, recovers it, and looks whether anything differs.
//!
//! A `scenario` says what is asked and how everybody behaves; a `world` outlives every `process` that works
//! on it; a `play` is one process after the other until the run is over. `points` counts the steps of an
//! undisturbed play and cuts one play at each: the process dies, hears nothing of its storage, or sleeps while another takes its run; `random` cuts by a seed; `torn` cuts the file itself, inside a
//! write; `real` kills real processes.

mod command;
mod compare;
mod disk;
mod executor;
mod fate;
mod hooks;
mod journal;
mod ledger;
mod model;
mod people;
mod play;
mod points;
mod process;
mod random;
mod real;
mod report;
mod scenario;
mod seen;
mod session;
mod sleepers;
mod torn;
mod world;

pub(crate) use command::{Options, run};
pub(crate) use real::{ChildOptions, child};
