//! `cargo xtask real-model`: the program with a small real model on this machine.
//!
//! Installs a model and its server under `target/`, serves it, and lets `provost run` work with it. What the
//! model says or chooses is never asserted, for it is small and often wrong; what is asserted is what must hold
//! whatever it says: the run ends in a way that is documented, nothing is changed that nobody allowed, the journal
//! is whole, and every provider would take the transcript.

mod install;
mod runs;
mod served;

pub(crate) use runs::run;
