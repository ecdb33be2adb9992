//! `provost reject`.

use crate::Decision;
use crate::cli::args::DecideOptions;
use crate::cli::environment;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::screen::Screen;

pub(in crate::cli) async fn run(options: &DecideOptions, screen: &Screen) -> Result<Exit, Failure> {
    let no = Decision::reject(environment::person(), options.reason.clone());
    super::decide::decide(options, &no, *screen).await
}
