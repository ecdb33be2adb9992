//! The program, as a person or a script meets it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test that fails panics")]

mod agents;
mod approving;
mod asking;
mod chat;
mod configuration;
mod exec;
mod hard_input;
mod hard_storage;
mod identity;
mod machines;
mod person;
mod policy;
mod programs;
mod pty;
mod questions;
mod quick_start;
mod recovery;
mod running;
mod script;
mod secrecy;
mod server;
mod servers;
mod sessions;
mod standing;
mod storage;
mod tails;
mod terminal;
mod typing;
mod words;
mod world;
