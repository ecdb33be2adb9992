//! `provost reject`.

use std::path::Path;

use provost::Decision;

use crate::args::DecideOptions;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity;
use crate::screen::Screen;

pub(crate) async fn run(options: &DecideOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let no = Decision::reject(identity::person(), options.reason.clone());
    super::decide::decide(options, &no, start, *screen).await
}
