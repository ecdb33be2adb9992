//! The program, as a person or a script meets it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails panics")]

mod configuration;
mod hard_input;
mod hard_storage;
mod machines;
mod policy;
mod quick_start;
mod recovery;
mod sessions;
mod words;
mod world;
