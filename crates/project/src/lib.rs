//! The files people write for their agents (`provost.toml`, `agents/*.md`, `AGENTS.md`), as a configured runtime with its
//! policy.
//!
//! The command line stands on it, and so does every other program that works on projects. What an agent may do is
//! decided in `provost-policy`; here are the words of the files, and what only the disk and the environment know.

pub mod anchor;
pub mod clock;
pub mod config;
pub mod copy;
pub mod environment;
pub mod failure;
mod governed;
pub mod guard;
pub mod open;
pub mod place;
pub mod policy;
mod seal;
pub mod setup;
mod summaries;
pub mod text_file;
pub mod tools;
pub mod vocabulary;
mod watched;
