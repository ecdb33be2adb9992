//! `provost approve`.

use std::path::Path;

use provost::{Covers, Decision, Remember};

use crate::args::ApproveOptions;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity;
use crate::prompt;
use crate::screen::Screen;

pub(crate) async fn run(options: &ApproveOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let ApproveOptions { decide, stop_asking, how_long, happened } = options;
    let remember = how_long.unwrap_or(Remember::No);
    let person = identity::person();
    let yes = match happened {
        Some(result) => prompt::happened(person, result, &decide.reason),
        None => Decision::approve(person),
    };
    let covers = stop_asking.as_deref().map_or(Covers::Tool, covered);
    let yes = Decision { reason: decide.reason.clone(), remember, covers, ..yes };
    super::decide::decide(decide, &yes, start, *screen).await
}

/// Parses the covered calls: `call`, `tool`, or a path of the workspace. A folder of such a name is `./tool`.
fn covered(word: &str) -> Covers {
    match word {
        "call" => Covers::Call,
        "tool" => Covers::Tool,
        path => Covers::Place(path.trim_start_matches("./").trim_end_matches('/').to_owned()),
    }
}
