//! `provost approve`.

use crate::cli::args::ApproveOptions;
use crate::cli::environment;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::follow;
use crate::cli::screen::Screen;
use crate::{Decision, Remember};

pub(in crate::cli) async fn run(options: &ApproveOptions, screen: &Screen) -> Result<Exit, Failure> {
    let ApproveOptions { decide, remember, remember_in_run, happened } = options;
    let remember = match (remember, remember_in_run) {
        (true, _) => Remember::Always,
        (false, true) => Remember::Run,
        (false, false) => Remember::No,
    };
    let person = environment::person();
    let yes = match happened {
        Some(result) => follow::happened(person, result, &decide.reason),
        None => Decision::approve(person),
    };
    let yes = Decision { reason: decide.reason.clone(), remember, ..yes };
    super::decide::decide(decide, &yes, *screen).await
}
