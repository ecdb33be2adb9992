//! Watching a run to its end, asking people on the way.

use provost_contract::approval::PendingAction;
use provost_runtime::RunId;
use provost_runtime::port::{AppendError, Fault};
use serde_json::{Value, json};

use super::environment;
use super::exit::Exit;
use super::failure::{self, Code, Failure};
use super::live::Live;
use super::screen::Screen;
use super::setup::Setup;
use crate::{DecideError, Decision, Outcome, RunError, RunHandle, RunStatus, WorkError};

/// Who answers when a run asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// Whoever sits at the terminal; nobody when there is none.
    Asked,
    /// Yes, always.
    Yes,
}

impl Answers {
    pub(super) fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::Asked }
    }
}

/// Watches a run until it is over, or nobody is there to answer it.
pub(super) async fn follow(
    setup: &Setup,
    mut handle: RunHandle,
    answers: Answers,
    screen: Screen,
) -> Result<Exit, Failure> {
    let live = Live::new(screen, setup.notes.clone());
    loop {
        let run = handle.run().clone();
        let outcome = watch(setup, handle, &live, screen).await?;
        if outcome.status != RunStatus::ApprovalRequired {
            return Ok(ended(&outcome, screen));
        }
        let Some(next) = answered(setup, &run, answers, screen).await? else {
            return Ok(parked(&outcome, screen));
        };
        handle = next;
    }
}

/// Shows what happens until the run stops. Ctrl-C cancels it; a second one leaves it as it is.
async fn watch(
    setup: &Setup,
    mut handle: RunHandle,
    live: &Live,
    screen: Screen,
) -> Result<Outcome, Failure> {
    let run = handle.run().clone();
    let events = handle.events();
    if let Some(mut events) = events {
        let mut cancelling = false;
        loop {
            tokio::select! {
                told = events.next() => match told {
                    Some(told) => live.take_in(&told),
                    None => break,
                },
                heard = tokio::signal::ctrl_c() => {
                    if cancelling || heard.is_err() {
                        screen.note(&format!("left; provost resume {run} goes on"));
                        std::process::exit(Exit::Cancelled.number().into());
                    }
                    cancelling = true;
                    screen.note("stopping; Ctrl-C again leaves at once");
                    let by = environment::person();
                    let asked = setup.runtime.cancel(&run, &by, "Ctrl-C").await;
                    asked.map_err(|error| Failure::of(Code::Run, &error))?;
                }
            }
        }
    }
    handle.outcome().await.map_err(|error| unworked(&run, &error))
}

/// Why a run could not be worked on.
fn unworked(run: &RunId, error: &WorkError) -> Failure {
    match error {
        WorkError::Held(claim) => {
            Failure::new(Code::Busy, format!("{run} is being worked on by {}", claim.owner))
                .hint("wait for it, or stop it with provost cancel")
        }
        WorkError::Lost(_) | WorkError::Run(_) | WorkError::Storage(_) => {
            let first = fault(error).and_then(failure::advice).map(|advice| format!("{advice}; then "));
            let hint = format!("{}provost resume {run} goes on from the journal", first.unwrap_or_default());
            Failure::of(Code::Run, error).hint(hint)
        }
    }
}

/// The storage that is behind it, if it is.
fn fault(error: &WorkError) -> Option<&Fault> {
    match error {
        WorkError::Storage(fault) | WorkError::Run(RunError::Storage(fault)) => Some(fault),
        WorkError::Run(RunError::Journal(AppendError::Storage(fault))) => Some(fault),
        WorkError::Held(_) | WorkError::Lost(_) | WorkError::Run(_) => None,
    }
}

/// Gets an answer to everything a run waits for; none when nobody is there.
async fn answered(
    setup: &Setup,
    run: &RunId,
    answers: Answers,
    screen: Screen,
) -> Result<Option<RunHandle>, Failure> {
    let mut next = None;
    for action in waiting(setup, run).await? {
        screen.tell("");
        screen.tell(&question(&action));
        // Whether something happened is no matter of permission: that a person must say.
        let is_doubt = action.kind() == "in_doubt";
        let decision = match answers {
            Answers::Yes if !is_doubt => {
                screen.tell("allowed by --yes");
                Decision { reason: "--yes".to_owned(), ..Decision::accept(environment::person()) }
            }
            Answers::Asked | Answers::Yes if screen.can_ask() => {
                match screen.ask("allow it? [y]es, [n]o, [l]ater: ").await {
                    Some(word)
                        if word.trim().eq_ignore_ascii_case("y")
                            || word.trim().eq_ignore_ascii_case("yes") =>
                    {
                        Decision::accept(environment::person())
                    }
                    Some(word)
                        if word.trim().eq_ignore_ascii_case("n")
                            || word.trim().eq_ignore_ascii_case("no") =>
                    {
                        Decision::reject(environment::person(), "")
                    }
                    Some(_) | None => return Ok(None),
                }
            }
            Answers::Asked | Answers::Yes => return Ok(None),
        };
        next = decide(setup, action.action_id(), decision).await?;
    }
    Ok(next)
}

/// Decides, and says plainly why when it does not count.
pub(super) async fn decide(
    setup: &Setup,
    action_id: &str,
    decision: Decision,
) -> Result<Option<RunHandle>, Failure> {
    setup.runtime.decide(action_id, decision).await.map_err(|error| match error {
        DecideError::Storage(fault) => Failure::storage(&fault),
        error => Failure::of(Code::Decision, &error),
    })
}

/// What a run waits for.
pub(super) async fn waiting(setup: &Setup, run: &RunId) -> Result<Vec<PendingAction>, Failure> {
    let pending = setup.runtime.pending().await.map_err(|fault| Failure::storage(&fault))?;
    Ok(pending.into_iter().filter(|action| action.run_id() == Some(run.as_str())).collect())
}

/// A question with what would happen.
pub(super) fn question(action: &PendingAction) -> String {
    let shown = preview(action.to_object().get("preview"));
    let lines: Vec<String> = shown.lines().map(|line| format!("    {line}")).collect();
    format!("{}\n{}", action.summary(), lines.join("\n"))
}

/// What would happen, for people.
pub(super) fn preview(preview: Option<&Value>) -> String {
    let of = |key: &str| preview.and_then(|preview| preview.get(key));
    let text = |key: &str| of(key).and_then(Value::as_str).unwrap_or_default();
    match of("type").and_then(Value::as_str) {
        Some("diff") => text("diff").to_owned(),
        Some("command") => format!("$ {}", text("line")),
        Some("request") => format!("GET {}", text("url")),
        Some("refused") => format!("it would fail: {}", text("reason")),
        Some(_) | None => preview.map(Value::to_string).unwrap_or_default(),
    }
}

/// The end of a run: its words to standard output, the rest beside them.
fn ended(outcome: &Outcome, screen: Screen) -> Exit {
    let status: &'static str = outcome.status.into();
    let usage = outcome.result.get("usage").cloned().unwrap_or_default();
    if screen.is_json() {
        screen.document(&json!({
            "type": "outcome",
            "run": outcome.run.as_str(),
            "status": status,
            "text": outcome.text(),
            "turns": outcome.result.get("turn_count"),
            "usage": usage,
        }));
    } else {
        let run = &outcome.run;
        screen.note("");
        if !outcome.text().is_empty() {
            screen.data(outcome.text());
            screen.note("");
        }
        let turns = outcome.result.get("turn_count").and_then(Value::as_u64).unwrap_or_default();
        let tokens = usage.get("total_tokens").and_then(Value::as_u64).unwrap_or_default();
        let calls =
            outcome.result.get("tool_execution_results").and_then(Value::as_array).map_or(0, Vec::len);
        screen.note(&format!("{run}: {status}, {turns} turns, {calls} calls, {tokens} tokens"));
        if let Some(why) = outcome.result.pointer("/failure/message").and_then(Value::as_str) {
            // The whole of it stands above, where it happened.
            screen.note(&format!("why: {}", why.lines().next().unwrap_or_default().trim_end_matches(':')));
        }
        screen.note(match outcome.status {
            RunStatus::Completed => "next: provost show last, provost explain last, provost replay last",
            RunStatus::BudgetExceeded
            | RunStatus::Stalled
            | RunStatus::ApprovalRequired
            | RunStatus::RuntimeToolPending
            | RunStatus::Interrupted
            | RunStatus::Cancelled
            | RunStatus::Failed
            | RunStatus::TranscriptLockContention => "next: provost explain last, provost resume last",
        });
    }
    exit_of(outcome.status)
}

fn exit_of(status: RunStatus) -> Exit {
    match status {
        RunStatus::Completed => Exit::Done,
        RunStatus::ApprovalRequired | RunStatus::RuntimeToolPending => Exit::Waiting,
        RunStatus::BudgetExceeded | RunStatus::Stalled => Exit::Stopped,
        RunStatus::Cancelled | RunStatus::Interrupted => Exit::Cancelled,
        RunStatus::Failed | RunStatus::TranscriptLockContention => Exit::Failed,
    }
}

fn parked(outcome: &Outcome, screen: Screen) -> Exit {
    let run = &outcome.run;
    let status: &'static str = outcome.status.into();
    if screen.is_json() {
        screen.document(&json!({ "type": "outcome", "run": run.as_str(), "status": status }));
    } else {
        screen.note("");
        screen.note(&format!("{run}: {status}. Nothing is lost; go on whenever you like:"));
        screen.note("  provost approve last    provost reject last --reason \"…\"    provost show last");
    }
    Exit::Waiting
}
