//! `provost approve`.

use std::path::Path;

use provost::{Decision, Remember};

use crate::args::ApproveOptions;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity;
use crate::prompt;
use crate::screen::Screen;

pub(crate) async fn run(options: &ApproveOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let ApproveOptions { decide, remember, remember_in_run, happened } = options;
    let remember = match (remember, remember_in_run) {
        (true, _) => Remember::Always,
        (false, true) => Remember::Run,
        (false, false) => Remember::No,
    };
    let person = identity::person();
    let yes = match happened {
        Some(result) => prompt::happened(person, result, &decide.reason),
        None => Decision::approve(person),
    };
    let yes = Decision { reason: decide.reason.clone(), remember, ..yes };
    super::decide::decide(decide, &yes, start, *screen).await
}
