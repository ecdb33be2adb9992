//! `provost completions`.

use clap::CommandFactory as _;

use crate::cli::args::{Cli, CompletionsOptions};
use crate::cli::exit::Exit;

pub(in crate::cli) fn run(options: &CompletionsOptions) -> Exit {
    clap_complete::generate(options.shell, &mut Cli::command(), "provost", &mut std::io::stdout());
    Exit::Done
}
