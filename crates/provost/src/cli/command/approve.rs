//! `provost approve`.

use crate::Decision;
use crate::cli::args::ApproveOptions;
use crate::cli::environment;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::screen::Screen;

pub(in crate::cli) async fn run(options: &ApproveOptions, screen: &Screen) -> Result<Exit, Failure> {
    let ApproveOptions { decide, remember } = options;
    let yes = Decision::accept(environment::person());
    let yes = Decision { reason: decide.reason.clone(), remember: *remember, ..yes };
    super::decide::decide(decide, &yes, *screen).await
}
