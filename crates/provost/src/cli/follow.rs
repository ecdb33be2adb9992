//! Watching a run to its end, asking people on the way.

use std::time::Duration;

use provost_contract::approval::Verdict;
use provost_contract::json::without_nulls;
use provost_runtime::RunId;
use provost_runtime::port::{AppendError, Fault};
use provost_runtime::service;
use serde_json::{Value, json};

use super::clock;
use super::environment;
use super::exit::Exit;
use super::failure::{self, Code, Failure};
use super::interrupts::{Interrupts, exit_of_cancelled};
use super::journal;
use super::live::{Live, Manner};
use super::pending::Pending;
use super::question::Question;
use super::screen::{Screen, Stream};
use super::setup::Setup;
use super::view::{Gauge, gauges};
use crate::{DecideError, Decision, Outcome, RunError, RunHandle, RunStatus, WorkError};

/// How often what changes with time is drawn anew.
const TICK: Duration = Duration::from_millis(500);

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
    let gauges = gauges_of(setup, handle.run()).await;
    let mut live = Live::new(screen, setup.notes.clone(), Manner::Run, gauges);
    loop {
        let run = handle.run().clone();
        let going_on = format!("provost resume {run} goes on");
        let outcome = watch(setup, handle, &mut live, &going_on, screen).await;
        let outcome = outcome.map_err(|error| unworked(&run, &error))?;
        if let Some(changed) = setup.guard.as_ref().and_then(|guard| guard.found()) {
            ended(&outcome, &live, screen);
            return Err(changed);
        }
        if !outcome.is_waiting() {
            return Ok(ended(&outcome, &live, screen));
        }
        if answered(setup, &run, answers, screen).await? == Heard::Nobody {
            return parked(setup, &outcome, screen).await;
        }
        handle = setup.runtime.resume(run);
    }
}

/// What a run has used so far; nothing when it has not begun.
pub(super) async fn gauges_of(setup: &Setup, run: &RunId) -> Vec<Gauge> {
    match journal::read(setup.runtime.stores(), run).await {
        Ok(read) => gauges(&read.state, clock::clock().now_ms()),
        Err(_) => setup.gauges.clone(),
    }
}

/// Shows what happens until the run stops. Ctrl-C, SIGTERM and SIGHUP cancel it; a second one leaves it as it is.
pub(super) async fn watch(
    setup: &Setup,
    mut handle: RunHandle,
    live: &mut Live,
    going_on: &str,
    screen: Screen,
) -> Result<Outcome, WorkError> {
    let run = handle.run().clone();
    let events = handle.events();
    if let Some(mut events) = events {
        let mut cancelling = false;
        let mut interrupts = Interrupts::listen();
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                told = events.next() => match told {
                    Some(told) => live.take_in(&told),
                    None => break,
                },
                _ = ticks.tick(), if live.is_drawn() => live.draw(),
                stop = interrupts.next() => {
                    if cancelling {
                        live.rest();
                        screen.note(&format!("left; {going_on}"));
                        std::process::exit(stop.exit().number().into());
                    }
                    cancelling = true;
                    live.note("stopping; Ctrl-C again leaves at once");
                    let by = environment::person();
                    if let Err(error) = setup.runtime.cancel(&run, &by, stop.word()).await {
                        live.note(&format!("  ! it cannot be told to stop: {error}"));
                    }
                }
            }
        }
    }
    live.rest();
    handle.outcome().await
}

/// Why a run could not be worked on.
pub(super) fn unworked(run: &RunId, error: &WorkError) -> Failure {
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

/// Whether everything a run waits for was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    Everything,
    Nobody,
}

/// Gets an answer to everything a run waits for. Without a person, everything is shown before the run is left.
async fn answered(setup: &Setup, run: &RunId, answers: Answers, screen: Screen) -> Result<Heard, Failure> {
    let waiting = Pending::of(setup, run).await?;
    let mut heard = Heard::Everything;
    for pending in &waiting {
        pending.show(screen);
        if waiting.len() > 1 {
            screen.tell(&format!("--action {}", pending.id));
        }
        let decision = if is_allowed_beforehand(pending, answers) {
            screen.tell("allowed by --yes");
            Some(Decision { reason: "--yes".to_owned(), ..Decision::accept(environment::person()) })
        } else if screen.can_ask() {
            match asked(pending, screen).await {
                None => return Ok(Heard::Nobody),
                decision => decision,
            }
        } else {
            None
        };
        match decision {
            Some(decision) => decide(setup, &pending.id, &decision).await?,
            None => heard = Heard::Nobody,
        }
    }
    let questions = Question::of(setup, run).await?;
    for question in &questions {
        question.show(screen);
        let answer =
            if screen.can_ask() { screen.ask("your answer, or nothing for later: ").await } else { None };
        match answer.filter(|answer| !answer.trim().is_empty()) {
            Some(answer) => question.answer(setup, &answer).await?,
            None => heard = Heard::Nobody,
        }
    }
    Ok(if waiting.is_empty() && questions.is_empty() { Heard::Nobody } else { heard })
}

/// Whether `--yes` answers a question. It says what may run; it cannot say what happened, and does not answer for
/// the person who is asked about exactly one call.
pub(super) fn is_allowed_beforehand(pending: &Pending, answers: Answers) -> bool {
    answers == Answers::Yes && !pending.is_in_doubt() && !pending.is_person_only()
}

/// Asks a person until the answer is one; none means later. What stands behind a no is the reason.
async fn asked(pending: &Pending, screen: Screen) -> Option<Decision> {
    let prompt = if pending.is_in_doubt() {
        "run it [a]gain, [n]ot again, it [h]appened RESULT, [l]ater: "
    } else {
        "allow it? [y]es, [n]o, [l]ater: "
    };
    loop {
        let answer = screen.ask(prompt).await?;
        let (word, rest) = answer.trim().split_once(char::is_whitespace).unwrap_or((answer.trim(), ""));
        let by = environment::person();
        match (word.to_ascii_lowercase().as_str(), pending.is_in_doubt()) {
            ("y" | "yes", false) | ("a" | "again", true) if rest.is_empty() => {
                return Some(Decision::accept(by));
            }
            ("n" | "no" | "not", _) => return Some(Decision::reject(by, rest.trim())),
            ("h" | "happened", true) if !rest.is_empty() => return Some(happened(by, rest, "")),
            ("" | "l" | "later", _) => return None,
            _ if pending.is_in_doubt() => {
                screen.tell("a, n with a reason if you like, h with what came of it, or l");
            }
            _ => screen.tell("y, n with a reason if you like, or l"),
        }
    }
}

/// A person's word for what came of a call that was in doubt.
pub(super) fn happened(by: String, result: &str, reason: &str) -> Decision {
    let why = Some(reason).filter(|reason| !reason.is_empty());
    let result = without_nulls(&json!({ "reported_by": by, "result": result.trim(), "reason": why }));
    Decision { result: Some(result), reason: reason.to_owned(), ..Decision::accept(by) }
}

/// A plain yes or no.
pub(super) fn yes_or_no(words: &str) -> Option<Verdict> {
    match words.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(Verdict::Accepted),
        "n" | "no" => Some(Verdict::Rejected),
        _ => None,
    }
}

/// Records a decision, or says plainly why it does not count. The run goes on when it is resumed.
pub(super) async fn decide(setup: &Setup, action_id: &str, decision: &Decision) -> Result<(), Failure> {
    let approvals = &*setup.runtime.stores().approvals;
    let decision = Decision { origin: Some(environment::origin()), ..decision.clone() };
    let decided = service::decide(approvals, action_id, &decision, clock::clock().now_ms()).await;
    decided.map(drop).map_err(|error| match error {
        DecideError::Storage(fault) => Failure::storage(&fault),
        error => Failure::of(Code::Decision, &error),
    })
}

/// The end of a run: its words to standard output, the rest beside them.
fn ended(outcome: &Outcome, live: &Live, screen: Screen) -> Exit {
    if screen.is_json() {
        screen.document(&outcome_document(outcome));
    } else {
        let run = &outcome.run;
        let status: &'static str = outcome.status.into();
        let shown = screen.is_terminal(Stream::Data) && live.has_just_said(outcome.text());
        screen.note("");
        if !outcome.text().is_empty() && !shown {
            screen.data(outcome.text());
            screen.note("");
        }
        let turns = outcome.result.get("turn_count").and_then(Value::as_u64).unwrap_or_default();
        let tokens =
            outcome.result.pointer("/usage/total_tokens").and_then(Value::as_u64).unwrap_or_default();
        let calls =
            outcome.result.get("tool_execution_results").and_then(Value::as_array).map_or(0, Vec::len);
        screen.note(&format!("{run}: {status}, {turns} turns, {calls} calls, {tokens} tokens"));
        if let Some(why) = outcome.result.pointer("/failure/message").and_then(Value::as_str) {
            // The whole of it stands above, where it happened.
            screen.note(&format!("why: {}", why.lines().next().unwrap_or_default().trim_end_matches(':')));
        }
        screen.note(match outcome.status {
            RunStatus::Completed => "next: provost show last, provost explain last, provost replay last",
            RunStatus::BudgetExceeded => {
                "next: provost explain last, provost resume last --budget NAME=NUMBER"
            }
            RunStatus::Stalled
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

/// An outcome as machines read it.
pub(super) fn outcome_document(outcome: &Outcome) -> Value {
    json!({
        "type": "outcome",
        "run": outcome.run.as_str(),
        "status": <&str>::from(outcome.status),
        "text": outcome.text(),
        "turns": outcome.result.get("turn_count"),
        "usage": outcome.result.get("usage"),
    })
}

pub(super) fn exit_of(status: RunStatus) -> Exit {
    match status {
        RunStatus::Completed => Exit::Done,
        RunStatus::ApprovalRequired | RunStatus::RuntimeToolPending => Exit::Waiting,
        RunStatus::BudgetExceeded | RunStatus::Stalled => Exit::Stopped,
        RunStatus::Cancelled | RunStatus::Interrupted => exit_of_cancelled(),
        RunStatus::Failed | RunStatus::TranscriptLockContention => Exit::Failed,
    }
}

/// A run that waits for somebody who is not there: how it can go on.
async fn parked(setup: &Setup, outcome: &Outcome, screen: Screen) -> Result<Exit, Failure> {
    let run = &outcome.run;
    let status: &'static str = outcome.status.into();
    if screen.is_json() {
        screen.document(&json!({ "type": "outcome", "run": run.as_str(), "status": status }));
        return Ok(Exit::Waiting);
    }
    screen.note("");
    screen.note(&format!("{run}: {status}. Nothing is lost; go on whenever you like:"));
    let waiting = Pending::of(setup, run).await?;
    for pending in &waiting {
        // Several calls are decided by name, so that none is allowed unseen.
        let named = if waiting.len() > 1 { format!(" --action {}", pending.id) } else { String::new() };
        if pending.is_in_doubt() {
            screen.note(&format!("  provost approve last{named}    (run {} again)", pending.tool));
            screen.note(&format!("  provost approve last{named} --happened \"WHAT CAME OF IT\""));
        } else {
            screen.note(&format!("  provost approve last{named}    ({})", pending.tool));
        }
        screen.note(&format!("  provost reject last{named} --reason \"…\""));
    }
    if !waiting.is_empty() {
        screen.note("  provost show last");
    }
    if !Question::of(setup, run).await?.is_empty() {
        screen.note("  provost answer last --text \"…\"    provost show last");
    }
    Ok(Exit::Waiting)
}
