//! The program `provost`: reads what a person wants, asks the runtime of a project, and shows what came of it.
//!
//! `args` has the words of the command line, `program` leads to a command, `command` has a file for each, `follow`
//! watches a run and asks people, `chat` talks, `view` turns a journal into lines, `text` writes them. Projects are read and set up by
//! `provost-project`; nothing here decides what an agent may do.

mod args;
mod asking;
mod chat;
mod command;
#[cfg(all(test, target_os = "linux"))]
mod deny_tests;
mod editor;
mod exit;
mod failure;
mod follow;
mod help;
mod identity;
mod interrupts;
mod journal;
mod live;
mod pending;
mod program;
mod prompt;
mod question;
mod reference;
mod run_name;
mod screen;
mod text;
mod threads;
mod view;

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    program::main()
}
