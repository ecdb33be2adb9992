//! What approving and rejecting have in common.

use super::reopened::Reopened;
use crate::Decision;
use crate::cli::args::DecideOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::follow::{self, Answers, follow, question};
use crate::cli::screen::Screen;

/// Decides about everything a run waits for, or one thing of it, and goes on with the run.
pub(super) async fn decide(
    options: &DecideOptions,
    decision: &Decision,
    screen: Screen,
) -> Result<Exit, Failure> {
    let reopened = Reopened::find(&options.of.run).await?;
    let mut waiting = follow::waiting(&reopened.setup, &reopened.run).await?;
    waiting.retain(|action| options.action.as_deref().is_none_or(|wanted| wanted == action.action_id()));
    if waiting.is_empty() {
        let message = match &options.action {
            Some(wanted) => format!("{} asks for nothing called `{wanted}`", reopened.run),
            None => format!("{} asks for nothing", reopened.run),
        };
        return Err(Failure::new(Code::Decision, message)
            .hint(format!("provost show {} says how it stands", reopened.run)));
    }
    for action in waiting {
        screen.tell(&question(&action));
        follow::decide(&reopened.setup, action.action_id(), decision).await?;
        let word: &'static str = decision.verdict.into();
        screen.tell(&format!("{word} by {}", decision.by));
    }
    if options.only {
        return Ok(Exit::Done);
    }
    let handle = reopened.setup.runtime.resume(reopened.run.clone());
    follow(&reopened.setup, handle, Answers::Asked, screen).await
}
