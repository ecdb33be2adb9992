//! The `provost` program: a door that reads what a person wants, asks the runtime, and shows what came of it.
//!
//! `args` has the words of the command line, `config` reads a project's files, `setup` makes a runtime of
//! them, `follow` watches a run and asks people, `chat` talks, `command` has a file for each command, `view` turns a
//! journal into lines. Nothing here decides what an agent may do.

mod anchor;
mod args;
mod chat;
mod clock;
mod command;
mod config;
mod copy;
#[cfg(all(test, target_os = "linux"))]
mod deny_tests;
mod environment;
mod exit;
mod failure;
mod fold;
mod follow;
mod governed;
mod guard;
mod interrupts;
mod journal;
mod live;
mod main;
mod pending;
mod place;
mod policy;
mod question;
mod reference;
mod screen;
mod seal;
mod setup;
mod summaries;
mod text_file;
mod view;
mod vocabulary;
mod watched;

pub use main::main;
