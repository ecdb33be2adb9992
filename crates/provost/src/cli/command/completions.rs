//! `provost completions`.

use clap::CommandFactory as _;

use crate::cli::args::{Cli, CompletionsOptions};
use crate::cli::exit::Exit;
use crate::cli::screen::Screen;

pub(in crate::cli) fn run(options: &CompletionsOptions, screen: &Screen) -> Exit {
    // Written to memory first: the generator panics when its reader goes away.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "provost", &mut script);
    screen.data(&String::from_utf8_lossy(&script));
    Exit::Done
}
