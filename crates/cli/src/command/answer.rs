//! `provost answer`: answers an agent's question.

use std::path::Path;

use super::reopened::Reopened;
use crate::args::AnswerOptions;
use crate::asking::Answers;
use crate::exit::Exit;
use crate::failure::{Code, Failure, unworked};
use crate::follow::{follow, news};
use crate::question::Question;
use crate::screen::Screen;

pub(crate) async fn run(options: &AnswerOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let reopened = Reopened::to_answer(start, &options.of.run, screen.can_ask()).await?;
    reopened.setup.closing(answer(&reopened, options, screen)).await
}

async fn answer(reopened: &Reopened, options: &AnswerOptions, screen: &Screen) -> Result<Exit, Failure> {
    let (setup, run) = (&reopened.setup, &reopened.run);
    let questions = Question::of(setup, run).await?;
    // Several questions are asked one after the other, each with its own answer.
    let Some(question) = questions.first() else {
        return Err(Failure::new(Code::Decision, format!("{run} asks nothing"))
            .hint(format!("see provost show {run}")));
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
    let news = news(setup, run, reopened.head).await?;
    let handle = setup.runtime.resume(run).await.map_err(|error| unworked(run, &error))?;
    follow(setup, handle, news, Answers::Asked, *screen).await
}
