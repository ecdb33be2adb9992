//! `provost forget`: a question is asked again.

use provost_runtime::port::RememberedApproval;
use serde_json::json;

use super::remembered;
use crate::cli::args::ForgetOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::place::Place;
use crate::cli::screen::Screen;

const ALL: &str = "all";

pub(in crate::cli) async fn run(options: &ForgetOptions, screen: &Screen) -> Result<Exit, Failure> {
    let memory = Place::here()?.open()?.memory;
    let storage = |fault| Failure::storage(&fault);
    let mut remembered = memory.remembered().await.map_err(storage)?;
    remembered.retain(|word| options.question == ALL || word.question.id() == options.question);
    if remembered.is_empty() && options.question != ALL {
        return Err(Failure::new(Code::Decision, format!("nothing is remembered as `{}`", options.question))
            .hint("provost remembered lists what is"));
    }
    for word in &remembered {
        memory.forget(&word.question).await.map_err(storage)?;
        screen.show(&json!({ "forgotten": word.question.id() }), || forgotten(word));
    }
    Ok(Exit::Done)
}

fn forgotten(word: &RememberedApproval) -> String {
    format!("asked again from now on: {}", remembered::line(word))
}
