//! The program `provost`.
//!
//! `args` parses the command line, `program` dispatches, `command` has one file per command, `follow` shows a run and
//! asks, `chat` is the conversation, `typing` reads keys, `view` turns a journal into lines, `text` prints them.
//! `provost-project` reads projects; nothing here makes policy decisions.

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
mod record;
mod reference;
mod run_name;
mod screen;
mod standing;
mod text;
mod threads;
mod typing;
mod view;

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    program::main()
}
