//! `provost completions`.

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsOptions};
use crate::exit::Exit;
use crate::screen::Screen;

pub(crate) fn run(options: &CompletionsOptions, screen: &Screen) -> Exit {
    // Written to memory first: the generator panics if its reader closes.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "provost", &mut script);
    screen.data(&String::from_utf8_lossy(&script));
    Exit::Done
}
