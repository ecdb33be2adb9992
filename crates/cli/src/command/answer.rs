//! `provost answer`: answers an agent's question.

use std::path::Path;

use provost::Decision;

use super::reopened::Reopened;
use crate::args::AnswerOptions;
use crate::asking::{self, Answers};
use crate::exit::Exit;
use crate::failure::{Code, Failure, unworked};
use crate::follow::{follow, news};
use crate::identity;
use crate::pending::Pending;
use crate::question::Question;
use crate::screen::Screen;
use serde_json::json;

pub(crate) async fn run(options: &AnswerOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let reopened = Reopened::to_answer(start, &options.of.run, screen.can_ask()).await?;
    reopened.setup.closing(answer(&reopened, options, screen)).await
}

async fn answer(reopened: &Reopened, options: &AnswerOptions, screen: &Screen) -> Result<Exit, Failure> {
    reopened.announce(*screen).await?;
    let (setup, run) = (&reopened.setup, &reopened.run);
    if let Some(said) = about_doubt(options)? {
        let pending = in_doubt(reopened, options.action.as_deref()).await?;
        asking::decide(setup, &pending, &said).await?;
        return go_on(reopened, options, *screen).await;
    }
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
    go_on(reopened, options, *screen).await
}

async fn go_on(reopened: &Reopened, options: &AnswerOptions, screen: Screen) -> Result<Exit, Failure> {
    let (setup, run) = (&reopened.setup, &reopened.run);
    if options.only {
        if screen.is_json() {
            let by = identity::person();
            screen.document(
                &json!({ "type": "decided", "run": run.as_str(), "verdict": "answered", "by": by }),
            );
        }
        return Ok(Exit::Done);
    }
    let news = news(setup, run, reopened.head).await?;
    let handle = setup.runtime.resume(run).await.map_err(|error| unworked(run, &error))?;
    follow(setup, handle, news, Answers::Asked, screen).await
}

/// What a person says of a call whose outcome is unknown; none when the answer is for a question.
fn about_doubt(options: &AnswerOptions) -> Result<Option<Decision>, Failure> {
    let (person, reason) = (identity::person(), options.reason.clone());
    if options.again {
        return Ok(Some(Decision { reason, ..Decision::approve(person) }));
    }
    if options.leave {
        return Ok(Some(Decision::reject(person, reason)));
    }
    let Some(text) = &options.happened else { return Ok(None) };
    let result: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        let message = format!("--happened is not JSON: {error}");
        Failure::new(Code::Config, message).hint("write a JSON value, a text in double quotes")
    })?;
    Ok(Some(Decision { reason, ..Decision::happened(person, result) }))
}

/// The call whose outcome is unknown: the named one, or the only one.
async fn in_doubt(reopened: &Reopened, named: Option<&str>) -> Result<Pending, Failure> {
    let run = &reopened.run;
    let waiting = Pending::of(&reopened.setup, run).await?;
    let meant = |pending: &Pending| named.is_none_or(|word| pending.is_called(word));
    let mut doubts = waiting.into_iter().filter(|pending| pending.is_in_doubt() && meant(pending));
    match (doubts.next(), doubts.next()) {
        (Some(pending), None) => Ok(pending),
        (Some(_), Some(_)) => {
            let message = format!("several calls of {run} have an unknown outcome");
            Err(Failure::new(Code::Decision, message).hint("name one with --action ID"))
        }
        (None, _) => {
            let message = format!("no such call of {run} has an unknown outcome");
            Err(Failure::new(Code::Decision, message).hint(format!("see provost show {run}")))
        }
    }
}
