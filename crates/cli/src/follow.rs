//! Watching a run to its end, asking people on the way.

use std::time::Duration;

use provost::{Decision, Followed, Outcome, RunEvents, RunHandle, RunStatus, Verdict, WorkError};
use provost_contract::json::without_nulls;
use provost_engine::{RunId, Seq};
use provost_project::ProjectRuntime;
use provost_runtime::store::RunFilter;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::{Failure, undecided, unread, unworked};
use crate::identity;
use crate::interrupts::{Interrupts, exit_of_cancelled};
use crate::journal;
use crate::live::{Live, Manner};
use crate::pending::Pending;
use crate::question::Question;
use crate::screen::{Screen, Stream};
use crate::view::{Gauge, elsewhere, gauges, untouched};

/// How often what changes with time is drawn anew.
const TICK: Duration = Duration::from_millis(500);

/// Who answers when a run asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// The person at the terminal, if there is one.
    Asked,
    /// Yes, always.
    Yes,
}

impl Answers {
    pub(crate) fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::Asked }
    }
}

/// Begins to watch a run behind a position of its journal. Called before the run goes on, so that nothing is missed
/// that streams.
pub(crate) async fn news(setup: &ProjectRuntime, run: &RunId, shown: Seq) -> Result<News, Failure> {
    let events = setup.runtime.events(run, shown).await.map_err(|error| unworked(run, &error))?;
    Ok(News { events, shown })
}

/// What happens in a run behind a position.
pub(crate) struct News {
    events: RunEvents,
    shown: Seq,
}

/// Watches a run until it is over, or rests and no person is there to answer it.
pub(crate) async fn follow(
    setup: &ProjectRuntime,
    handle: RunHandle,
    news: News,
    answers: Answers,
    screen: Screen,
) -> Result<Exit, Failure> {
    let run = handle.run().clone();
    let gauges = gauges_of(setup, &run).await;
    let mut watched = Watched::begin(setup, &run, news, Live::new(screen, Manner::Run, gauges)).await?;
    loop {
        let going_on = format!("provost resume {run} goes on");
        let outcome = watched.until_rest(setup, &handle, &going_on, screen).await?;
        if let Some(changed) = setup.guard.as_ref().and_then(|guard| guard.found()) {
            ended(setup, &outcome, &watched.live, screen).await;
            return Err(changed);
        }
        if !outcome.is_waiting() {
            return Ok(ended(setup, &outcome, &watched.live, screen).await);
        }
        if answered(setup, &run, answers, screen).await? == Heard::Nobody {
            return parked(setup, &outcome, screen).await;
        }
    }
}

/// What a run has used so far.
pub(crate) async fn gauges_of(setup: &ProjectRuntime, run: &RunId) -> Vec<Gauge> {
    match journal::read(&**setup.runtime.store(), run).await {
        Ok(read) => gauges(&read),
        Err(_) => setup.limits.as_ref().map(untouched).unwrap_or_default(),
    }
}

/// A run that is watched on a screen.
pub(crate) struct Watched {
    run: RunId,
    pub(crate) live: Live,
    events: RunEvents,
    /// The last event that came.
    came: Seq,
    /// The last event that was shown when it began: what streamed before it is old.
    begun: Seq,
}

impl Watched {
    /// Shows what happened behind the position, and begins to watch.
    pub(crate) async fn begin(
        setup: &ProjectRuntime,
        run: &RunId,
        News { events, shown }: News,
        mut live: Live,
    ) -> Result<Self, Failure> {
        let read = journal::read(&**setup.runtime.store(), run).await?;
        let begun = live.begin(&read.run, shown).map_err(|error| unread(&error))?;
        Ok(Self { run: run.clone(), live, events, came: shown, begun })
    }

    fn take_in(&mut self, followed: Followed) {
        match &followed {
            Followed::Event(event) => self.came = event.event.seq,
            Followed::Delta(_) if self.came < self.begun => return,
            Followed::Delta(_) | Followed::Lagged(_) | Followed::Unreadable(_) => {}
        }
        self.live.take_in(followed);
    }

    /// Shows what happens until the run rests or is over. Ctrl-C, SIGTERM and SIGHUP cancel it; a second one leaves
    /// it as it is.
    pub(crate) async fn until_rest(
        &mut self,
        setup: &ProjectRuntime,
        handle: &RunHandle,
        going_on: &str,
        screen: Screen,
    ) -> Result<Outcome, Failure> {
        let mut cancelling = false;
        let mut interrupts = Interrupts::listen();
        let mut ticks = tokio::time::interval(TICK);
        let outcome = handle.outcome();
        tokio::pin!(outcome);
        let outcome = loop {
            tokio::select! {
                followed = self.events.next() => match followed {
                    Some(followed) => self.take_in(followed),
                    None => break outcome.await,
                },
                outcome = &mut outcome => break outcome,
                _ = ticks.tick(), if self.live.is_drawn() => self.live.draw(),
                stop = interrupts.next() => {
                    if cancelling {
                        self.live.rest();
                        screen.note(&format!("left; {going_on}"));
                        std::process::exit(stop.exit().number().into());
                    }
                    cancelling = true;
                    self.live.note("stopping; Ctrl-C again leaves at once");
                    match setup.runtime.cancel(&self.run, identity::actor(), stop.word()).await {
                        Ok(_) => {}
                        // A cancel that cannot be written down is not waited for: nothing else can be either.
                        Err(error @ WorkError::Runs(_)) => {
                            self.live.rest();
                            screen.note(&format!("left without a cancel: {error}; {going_on}"));
                            std::process::exit(stop.exit().number().into());
                        }
                        Err(error) => self.live.note(&format!("  ! it cannot be stopped: {error}")),
                    }
                }
            }
        };
        let outcome = outcome.map_err(|error| unworked(&self.run, &error))?;
        self.catch_up(setup).await?;
        self.live.rest();
        Ok(outcome)
    }

    /// Shows what the journal has and the watcher has not got yet.
    async fn catch_up(&mut self, setup: &ProjectRuntime) -> Result<(), Failure> {
        let listed = setup.runtime.store().run(self.run.clone()).await;
        let head = listed.map_err(|fault| Failure::storage(&fault))?.map_or(Seq(0), |listed| listed.row.head);
        while self.live.seq() < head {
            match self.events.next().await {
                Some(Followed::Unreadable(_)) | None => break,
                Some(followed) => self.take_in(followed),
            }
        }
        Ok(())
    }
}

/// Whether everything a run waits for was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heard {
    Everything,
    Nobody,
}

/// Gets an answer to everything a run waits for. Without a person, everything is shown before the run is left.
async fn answered(
    setup: &ProjectRuntime,
    run: &RunId,
    answers: Answers,
    screen: Screen,
) -> Result<Heard, Failure> {
    let waiting = Pending::of(setup, run).await?;
    let mut heard = Heard::Everything;
    for pending in &waiting {
        pending.show(screen);
        if waiting.len() > 1 {
            screen.tell(&format!("--action {}", pending.id()));
        }
        let decision = if is_allowed_beforehand(pending, answers) {
            screen.tell("allowed by --yes");
            Some(Decision { reason: "--yes".to_owned(), ..Decision::approve(identity::person()) })
        } else if screen.can_ask() {
            match asked(pending, screen).await {
                None => return Ok(Heard::Nobody),
                decision => decision,
            }
        } else {
            None
        };
        match decision {
            Some(decision) => decide_or_see(setup, pending, &decision, screen).await?,
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
pub(crate) fn is_allowed_beforehand(pending: &Pending, answers: Answers) -> bool {
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
        let by = identity::person();
        match (word.to_ascii_lowercase().as_str(), pending.is_in_doubt()) {
            ("y" | "yes", false) | ("a" | "again", true) if rest.is_empty() => {
                return Some(Decision::approve(by));
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
pub(crate) fn happened(by: String, result: &str, reason: &str) -> Decision {
    let why = Some(reason).filter(|reason| !reason.is_empty());
    let result = without_nulls(&json!({ "reported_by": by, "result": result.trim(), "reason": why }));
    Decision { reason: reason.to_owned(), ..Decision::happened(by, result) }
}

/// A plain yes or no.
pub(crate) fn yes_or_no(words: &str) -> Option<Verdict> {
    match words.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(Verdict::Approved),
        "n" | "no" => Some(Verdict::Rejected),
        _ => None,
    }
}

/// Answers a question, or says plainly why the answer does not count.
pub(crate) async fn decide(
    setup: &ProjectRuntime,
    pending: &Pending,
    decision: &Decision,
) -> Result<(), Failure> {
    let decision =
        Decision { origin: Some(identity::origin()), via: identity::DOOR.to_owned(), ..decision.clone() };
    // The run goes on when it is asked for, which a door does after its last answer.
    let decided = setup.runtime.record_decision(&pending.wait.to_string(), decision).await;
    decided.map(drop).map_err(|error| undecided(&error))
}

/// Answers a question. One that was answered elsewhere meanwhile is no failure: the run goes on with that answer.
async fn decide_or_see(
    setup: &ProjectRuntime,
    pending: &Pending,
    decision: &Decision,
    screen: Screen,
) -> Result<(), Failure> {
    let Err(failure) = decide(setup, pending, decision).await else { return Ok(()) };
    let open = Pending::of(setup, &pending.wait.run).await?;
    if open.iter().any(|other| other.wait == pending.wait) {
        return Err(failure);
    }
    screen.tell(&failure.message);
    Ok(())
}

/// The end of a run: its words to standard output, the rest beside them.
async fn ended(setup: &ProjectRuntime, outcome: &Outcome, live: &Live, screen: Screen) -> Exit {
    if screen.is_json() {
        screen.document(&outcome_document(outcome));
    } else {
        let run = &outcome.run;
        let status = outcome.status.as_str();
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
        let (name, next) = (name_of(setup, run).await, format!("next{}:", elsewhere(setup)));
        screen.note(&match outcome.status {
            RunStatus::Completed => {
                format!("{next} provost show {name}, provost explain {name}, provost replay {name}")
            }
            RunStatus::Cancelled => format!("{next} provost show {name}, provost explain {name}"),
            RunStatus::BudgetExceeded => {
                format!("{next} provost explain {name}, provost resume {name} --budget NAME=NUMBER")
            }
            RunStatus::Queued
            | RunStatus::Running
            | RunStatus::Waiting
            | RunStatus::Cancelling
            | RunStatus::Stalled
            | RunStatus::Interrupted
            | RunStatus::Failed => format!("{next} provost explain {name}, provost resume {name}"),
        });
    }
    exit_of(outcome.status)
}

/// What a person types for a run: `last` only when it is the newest one.
async fn name_of(setup: &ProjectRuntime, run: &RunId) -> String {
    let newest = setup.runtime.store().runs(RunFilter::default(), None, 1).await;
    let is_newest = newest.is_ok_and(|page| page.items.iter().any(|listed| listed.row.run == *run));
    if is_newest { "last".to_owned() } else { run.to_string() }
}

/// An outcome as machines read it.
pub(crate) fn outcome_document(outcome: &Outcome) -> Value {
    json!({
        "type": "outcome",
        "run": outcome.run.as_str(),
        "status": outcome.status.as_str(),
        // What was said before it had to wait is no answer.
        "text": (!outcome.is_waiting()).then(|| outcome.text()),
        "turns": outcome.result.get("turn_count"),
        "usage": outcome.result.get("usage"),
    })
}

pub(crate) fn exit_of(status: RunStatus) -> Exit {
    match status {
        RunStatus::Completed => Exit::Done,
        RunStatus::Queued | RunStatus::Running | RunStatus::Waiting | RunStatus::Cancelling => Exit::Waiting,
        RunStatus::BudgetExceeded | RunStatus::Stalled => Exit::Stopped,
        RunStatus::Cancelled | RunStatus::Interrupted => exit_of_cancelled(),
        RunStatus::Failed => Exit::Failed,
    }
}

/// A run that waits for somebody who is not there: how it can go on.
async fn parked(setup: &ProjectRuntime, outcome: &Outcome, screen: Screen) -> Result<Exit, Failure> {
    let run = &outcome.run;
    let status = outcome.status.as_str();
    if screen.is_json() {
        screen.document(&json!({ "type": "outcome", "run": run.as_str(), "status": status }));
        return Ok(Exit::Waiting);
    }
    screen.note("");
    screen.note(&format!("{run}: {status}. Nothing is lost; go on whenever you like{}:", elsewhere(setup)));
    let (waiting, name) = (Pending::of(setup, run).await?, name_of(setup, run).await);
    for pending in &waiting {
        // Several calls are decided by name, so that none is allowed unseen.
        let named = if waiting.len() > 1 { format!(" --action {}", pending.id()) } else { String::new() };
        if pending.is_in_doubt() {
            screen.note(&format!("  provost approve {name}{named}    (run {} again)", pending.tool));
            screen.note(&format!("  provost approve {name}{named} --happened \"WHAT CAME OF IT\""));
        } else {
            screen.note(&format!("  provost approve {name}{named}    ({})", pending.tool));
        }
        screen.note(&format!("  provost reject {name}{named} --reason \"…\""));
    }
    if !waiting.is_empty() {
        screen.note(&format!("  provost show {name}"));
    }
    if !Question::of(setup, run).await?.is_empty() {
        screen.note(&format!("  provost answer {name} --text \"…\""));
        screen.note(&format!("  provost show {name}"));
    }
    Ok(Exit::Waiting)
}
