//! What approving and rejecting have in common.

use provost_contract::approval::PendingAction;
use provost_contract::json;

use super::reopened::Reopened;
use crate::cli::args::DecideOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::follow::{self, Answers, follow, question};
use crate::cli::screen::Screen;
use crate::{Decision, Remember};

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
        if let Some(spared) = spared(&action, decision.remember) {
            screen.tell(&spared);
        }
    }
    if options.only {
        return Ok(Exit::Done);
    }
    let handle = reopened.setup.runtime.resume(reopened.run.clone());
    follow(&reopened.setup, handle, Answers::Asked, screen).await
}

/// What a yes that is remembered allows from here on, said when it is given.
fn spared(action: &PendingAction, remember: Remember) -> Option<String> {
    let how_long = match remember {
        Remember::No => return None,
        Remember::Run => "in the rest of this run",
        Remember::Always => "in this run and later ones, until provost forget",
    };
    let wire = action.to_object();
    let about = json::object(&wire, "metadata")?;
    let said = |key: &str| json::text(json::object(about, "decision")?, key);
    let (tool, layer, rule) = (json::text(about, "tool_name")?, said("layer")?, said("rule")?);
    Some(format!(
        "{tool} runs unasked {how_long}, whatever its arguments, where this rule asks  [{layer}: {rule}]"
    ))
}
