//! `provost answer`: answers what an agent asks.

use super::reopened::Reopened;
use crate::cli::args::AnswerOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::follow::{Answers, follow};
use crate::cli::question::Question;
use crate::cli::screen::Screen;

pub(in crate::cli) async fn run(options: &AnswerOptions, screen: &Screen) -> Result<Exit, Failure> {
    let reopened = Reopened::to_go_on(&options.of.run, screen.can_ask()).await?;
    let (setup, run) = (&reopened.setup, &reopened.run);
    let questions = Question::of(setup, run).await?;
    // Several are asked one after the other, each with its own answer.
    let Some(question) = questions.first() else {
        return Err(Failure::new(Code::Decision, format!("{run} asks nothing"))
            .hint(format!("provost show {run} says how it stands")));
    };
    question.show(*screen);
    let words = match &options.text {
        Some(text) => text.clone(),
        None if screen.can_ask() => screen.ask("your answer: ").await.unwrap_or_default(),
        None => String::new(),
    };
    if words.trim().is_empty() {
        return Err(Failure::new(Code::Decision, "there is no answer").hint("say it with --text \"…\""));
    }
    question.answer(setup, &words).await?;
    if options.only {
        return Ok(Exit::Done);
    }
    let handle = setup.runtime.resume(run.clone());
    follow(setup, handle, Answers::Asked, *screen).await
}
