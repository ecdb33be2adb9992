//! Runs on the actor, the dispatcher and a store, with a scripted model and scripted tools.

mod faults;
mod runs;
mod sessions;
mod waits;
