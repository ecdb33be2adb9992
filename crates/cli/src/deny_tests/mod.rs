//! Ways around a rule that forbids, tried on the real engine with the real tools under the program's own
//! configuration. Each must have no effect, and each stands beside its control: the same attempt without the
//! rule takes effect, or an allowed neighbour does with it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails panics")]

mod commands;
mod people;
mod places;
mod scene;
