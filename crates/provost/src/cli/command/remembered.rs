//! `provost remembered`: the questions that are not asked again.

use provost_runtime::port::RememberedApproval;
use serde_json::{Value, json};

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::place::Place;
use crate::cli::screen::Screen;

pub(in crate::cli) async fn run(screen: &Screen) -> Result<Exit, Failure> {
    let place = Place::here()?;
    let remembered = match place.is_empty() {
        true => Vec::new(),
        false => place.look()?.memory.remembered().await.map_err(|fault| Failure::storage(&fault))?,
    };
    for word in &remembered {
        screen.show(&document(word), || line(word));
    }
    if remembered.is_empty() {
        screen.tell("nothing is remembered: every question is asked");
    }
    Ok(Exit::Done)
}

/// A word as machines read it.
fn document(word: &RememberedApproval) -> Value {
    let question = &word.question;
    json!({
        "question": question.id(),
        "project": question.workspace,
        "principal": question.principal,
        "agent": question.agent,
        "tool": question.tool,
        "layer": question.layer,
        "rule": question.rule,
        "by": word.by,
        "at": word.at,
        "run": word.run,
    })
}

/// A word as people read it.
pub(super) fn line(word: &RememberedApproval) -> String {
    let question = &word.question;
    format!(
        "{}  {} may {} for {} in {}: {} said so at {}  [{}: {}]",
        question.id(),
        question.agent,
        question.tool,
        question.principal,
        question.workspace,
        word.by,
        word.at,
        question.layer,
        question.rule,
    )
}
