//! The common part of `approve` and `reject`.

use std::path::Path;

use provost::{Decision, Remember, Verdict};
use provost_contract::timestamp;
use provost_runtime::store::{WaitFilter, WaitState};
use serde_json::json;

use super::reopened::Reopened;
use crate::args::DecideOptions;
use crate::asking::{self, Answers};
use crate::exit::Exit;
use crate::failure::{Code, Failure, unworked};
use crate::follow::{self, follow};
use crate::pending::Pending;
use crate::prompt;
use crate::run_name;
use crate::screen::Screen;
use crate::standing;

/// The maximum number of questions of a run.
const WAITS_MAX: usize = 1_000;

/// Answers the questions of a run, and continues the run.
pub(super) async fn decide(
    options: &DecideOptions,
    decision: &Decision,
    start: &Path,
    screen: Screen,
) -> Result<Exit, Failure> {
    let reopened = Reopened::to_answer(start, &options.of.run, screen.can_ask()).await?;
    reopened.setup.closing(decide_in(&reopened, options, decision, screen)).await
}

async fn decide_in(
    reopened: &Reopened,
    options: &DecideOptions,
    decision: &Decision,
    screen: Screen,
) -> Result<Exit, Failure> {
    reopened.announce(screen).await?;
    let waiting = Pending::of(&reopened.setup, &reopened.run).await?;
    for pending in chosen(reopened, options, decision, &waiting, screen).await? {
        screen.notes(&pending.lines().whole());
        fits(pending, decision)?;
        asking::decide(&reopened.setup, pending, decision).await?;
        let word = if decision.verdict == Verdict::Approved { "allowed" } else { "declined" };
        if options.only && screen.is_json() {
            let (id, by) = (pending.wait().to_string(), &decision.by);
            let run = reopened.run.as_str();
            screen.document(&json!({ "type": "decided", "run": run, "id": id, "verdict": word, "by": by }));
        }
        screen.tell(&format!("{word} by {}", decision.by.trim_start_matches("user:")));
        screen.notes(&prompt::granted(pending, decision).into_iter().collect::<Vec<_>>());
    }
    if options.only {
        let run = run_name::typed(&**reopened.setup.runtime.store(), &reopened.run).await;
        screen.tell(&format!("recorded; to continue: provost resume {run}"));
        return Ok(Exit::Done);
    }
    let (setup, run) = (&reopened.setup, &reopened.run);
    let news = follow::news(setup, run, reopened.head).await?;
    let handle = setup.runtime.resume(run).await.map_err(|error| unworked(run, &error))?;
    follow(setup, handle, news, Answers::Asked, screen).await
}

/// Returns the calls that the decision concerns. Several calls must be named: a person who names none may
/// have seen only one of them.
async fn chosen<'w>(
    reopened: &Reopened,
    options: &DecideOptions,
    decision: &Decision,
    waiting: &'w [Pending],
    screen: Screen,
) -> Result<Vec<&'w Pending>, Failure> {
    let run = &reopened.run;
    let how = how_to_go_on(reopened);
    for wanted in &options.action {
        if !waiting.iter().any(|pending| pending.is_called(wanted)) {
            return Err(Failure::new(Code::Decision, format!("{run} asks for nothing called `{wanted}`"))
                .hint(format!("see provost show {run}")));
        }
    }
    if waiting.is_empty() {
        let message = match answered_before(reopened).await? {
            Some(before) => format!("{run} asks for nothing more: {before}"),
            None => format!("{run} asks for nothing"),
        };
        return Err(Failure::new(Code::Decision, message).hint(how));
    }
    if decision.verdict == Verdict::Approved && options.action.is_empty() && waiting.len() > 1 {
        for pending in waiting {
            pending.show(screen);
            screen.tell(&format!("--action {}", pending.id()));
        }
        let message = format!("{run} waits for {} decisions; name the calls you mean", waiting.len());
        return Err(Failure::new(Code::Decision, message).hint(
            "pass --action ID for each call that may run; provost resume asks about one after the other",
        ));
    }
    let named = |pending: &&Pending| {
        options.action.is_empty() || options.action.iter().any(|wanted| pending.is_called(wanted))
    };
    Ok(waiting.iter().filter(named).collect())
}

/// Returns who answered the newest question of a run, if it was answered.
async fn answered_before(reopened: &Reopened) -> Result<Option<String>, Failure> {
    let filter =
        WaitFilter { run: Some(reopened.run.clone()), state: WaitState::Any, ..WaitFilter::default() };
    let waits = reopened.setup.runtime.store().waits(filter, None, WAITS_MAX).await;
    let waits = waits.map_err(|fault| Failure::storage(&fault))?;
    let newest = waits.items.into_iter().max_by_key(|wait| wait.row.wait.number);
    let answer = newest.and_then(|wait| Some((wait.row.wait, wait.answered?)));
    Ok(answer.map(|(wait, answer)| {
        let at = timestamp::iso8601(answer.at.0.div_euclid(1_000));
        format!("{wait} was answered by {} at {at}", answer.by.name())
    }))
}

/// Returns the hint for a run without a question.
fn how_to_go_on(reopened: &Reopened) -> String {
    let run = &reopened.run;
    match reopened.state.ended {
        None => format!("to continue: provost resume {run}"),
        Some(_) => format!("it has ended: see provost show {run}"),
    }
}

/// Rejects an answer with options that the question does not have.
fn fits(pending: &Pending, decision: &Decision) -> Result<(), Failure> {
    let refused = |message: &str, hint: &str| Err(Failure::new(Code::Decision, message).hint(hint));
    if decision.remember != Remember::No
        && let Err(why) = standing::offers(&pending.asked)
    {
        return refused(&format!("this is asked each time: {why}"), "omit --stop-asking and --for");
    }
    if !pending.is_in_doubt() && decision.result.is_some() {
        return refused(
            "--happened says what became of a call whose outcome is unknown; this one did not run",
            "allow it with provost approve, or refuse it with provost reject",
        );
    }
    Ok(())
}
