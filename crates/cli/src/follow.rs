//! Watching a run to its end, asking people on the way.

use std::time::Duration;

use provost::{Followed, Outcome, RunEvents, RunHandle, RunStatus, WorkError};
use provost_engine::{RunId, Seq};
use provost_project::ProjectRuntime;
use serde_json::{Value, json};

use crate::asking::{Answers, Heard, answered};
use crate::exit::Exit;
use crate::failure::{Failure, unread, unworked};
use crate::identity;
use crate::interrupts::{Interrupts, exit_of_cancelled};
use crate::journal;
use crate::live::{Live, Manner};
use crate::pending::Pending;
use crate::question::Question;
use crate::record::{self, Record};
use crate::run_name;
use crate::screen::{Screen, Stream};
use crate::text::{Line, Span};
use crate::typing::{self, ChatInput, Key};
use crate::view::{Context, Fold, Gauge, elsewhere, fact, gauges, untouched, waits};

/// How often timers and streamed text are redrawn.
const TICK: Duration = Duration::from_millis(100);

/// Subscribes to a run after a position, before it continues, so that no delta is missed.
pub(crate) async fn news(setup: &ProjectRuntime, run: &RunId, shown: Seq) -> Result<News, Failure> {
    let events = setup.runtime.events(run, shown).await.map_err(|error| unworked(run, &error))?;
    Ok(News { events, shown, interrupts: Interrupts::listen() })
}

/// The events of a run after a position.
pub(crate) struct News {
    events: RunEvents,
    shown: Seq,
    /// Signals count from here on: the run may work before it is watched.
    interrupts: Interrupts,
}

/// Watches a run until it ends, or waits and no person is there to answer.
pub(crate) async fn follow(
    setup: &ProjectRuntime,
    handle: RunHandle,
    news: News,
    answers: Answers,
    screen: Screen,
) -> Result<Exit, Failure> {
    let run = handle.run().clone();
    let limits = gauges_of(setup, &run).await;
    let context = context(setup, &run).await;
    let going_on = format!("to continue: provost resume {}", context.run);
    let live = Live::new(screen, Manner::Run, limits, context);
    let mut watched = Watched::begin(setup, &run, news, live).await?;
    loop {
        let outcome = watched.until_rest(setup, &handle, &going_on, (None, screen)).await?;
        if let Some(changed) = setup.guard.as_ref().and_then(|guard| guard.found()) {
            ended(&outcome, &mut watched.live, screen);
            return Err(changed);
        }
        if !outcome.is_waiting() {
            return match record::of(setup, &run).await? {
                Some(record) => Ok(recorded(&record, &mut watched.live, screen)),
                None => Ok(ended(&outcome, &mut watched.live, screen)),
            };
        }
        if answered(setup, &run, answers, &mut watched.live, screen).await? == Heard::Later {
            if let Some(record) = record::of(setup, &run).await?.filter(|_| screen.is_json()) {
                return Ok(recorded(&record, &mut watched.live, screen));
            }
            return parked(setup, &outcome, &mut watched.live, screen).await;
        }
    }
}

/// Returns the context in which the lines of a run are shown.
pub(crate) async fn context(setup: &ProjectRuntime, run: &RunId) -> Context {
    let name = run_name::typed(&**setup.runtime.store(), run).await;
    Context { me: identity::person(), run: format!("{name}{}", elsewhere(setup)), fold: Fold::Folded }
}

/// Returns what a run has used so far.
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
    /// The last event received.
    came: Seq,
    /// The last event shown at the start: deltas before it are old.
    begun: Seq,
    /// The signals since the subscription; used by the first wait.
    interrupts: Option<Interrupts>,
}

impl Watched {
    /// Shows the events after the position, and starts to watch.
    pub(crate) async fn begin(
        setup: &ProjectRuntime,
        run: &RunId,
        News { events, shown, interrupts }: News,
        mut live: Live,
    ) -> Result<Self, Failure> {
        let read = journal::read(&**setup.runtime.store(), run).await?;
        let begun = live.begin(&read.run, shown).map_err(|error| unread(&error))?;
        Ok(Self { run: run.clone(), live, events, came: shown, begun, interrupts: Some(interrupts) })
    }

    fn take_in(&mut self, followed: Followed) {
        match &followed {
            Followed::Event(event) => self.came = event.event.seq,
            Followed::Delta(_) if self.came < self.begun => return,
            Followed::Delta(_) | Followed::Lagged(_) | Followed::Unreadable(_) => {}
        }
        self.live.take_in(followed);
    }

    /// Shows events until the run waits or ends. Ctrl-C, SIGTERM and SIGHUP cancel it; a second one exits.
    pub(crate) async fn until_rest(
        &mut self,
        setup: &ProjectRuntime,
        handle: &RunHandle,
        going_on: &str,
        (mut chat_input, screen): (Option<&mut ChatInput>, Screen),
    ) -> Result<Outcome, Failure> {
        let mut cancelling = false;
        // Typed text must not appear among the lines of the run.
        let _quiet = typing::Quiet::begin();
        // While a person is asked, no one listens: a signal then leaves the program.
        let mut interrupts = self.interrupts.take().unwrap_or_else(Interrupts::listen);
        let mut ticks = tokio::time::interval(TICK);
        let outcome = handle.outcome();
        tokio::pin!(outcome);
        if let Some(chat_input) = chat_input.as_deref_mut() {
            self.live.chat_input(chat_input);
        }
        let outcome = loop {
            tokio::select! {
                followed = self.events.next() => match followed {
                    Some(followed) => self.take_in(followed),
                    None => break outcome.await,
                },
                outcome = &mut outcome => break outcome,
                key = typed(&mut chat_input) => if let Some(chat_input) = chat_input.as_deref_mut() {
                    chat_input.work(key);
                    self.live.chat_input(chat_input);
                },
                _ = ticks.tick(), if self.live.is_drawn() => {
                    typing::renew();
                    self.live.draw();
                }
                stop = interrupts.next() => {
                    if cancelling {
                        self.live.rest();
                        screen.note(&format!("left; {going_on}"));
                        typing::give_back();
                        std::process::exit(stop.exit().number().into());
                    }
                    cancelling = true;
                    self.live.hint("Ctrl-C again leaves");
                    self.live.note("Stopping: what runs is ended. Ctrl-C again leaves at once. Nothing is lost either way.");
                    match setup.runtime.cancel(&self.run, identity::actor(), stop.word()).await {
                        Ok(_) => {}
                        // If the cancel cannot be stored, do not wait: nothing else can be stored either.
                        Err(error @ WorkError::Runs(_)) => {
                            self.live.rest();
                            screen.note(&format!("exited without cancelling: {error}; {going_on}"));
                            typing::give_back();
                        std::process::exit(stop.exit().number().into());
                        }
                        Err(error) => self.live.note(&format!("it cannot be stopped: {error}")),
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

/// The next key that is typed at a chat_input.
async fn typed(chat_input: &mut Option<&mut ChatInput>) -> Key {
    match chat_input {
        Some(chat_input) => chat_input.next_key().await,
        None => std::future::pending().await,
    }
}

/// The end of a run: its words to standard output, the rest beside them.
fn ended(outcome: &Outcome, live: &mut Live, screen: Screen) -> Exit {
    if screen.is_json() {
        screen.document(&outcome_document(outcome));
    } else {
        let shown = screen.is_terminal(Stream::Data)
            && screen.is_terminal(Stream::Notes)
            && live.has_just_said(outcome.text());
        if !outcome.text().is_empty() && !shown {
            screen.data(outcome.text());
        }
        live.end();
    }
    exit_of(outcome.status)
}

/// The end of a run that asks no model, or where it rests: its record.
fn recorded(record: &Record, live: &mut Live, screen: Screen) -> Exit {
    if screen.is_json() {
        screen.document(&record.value);
        return record.exit;
    }
    if let Some(answer) = record.value.get("answer").and_then(Value::as_str).filter(|text| !text.is_empty()) {
        screen.data(answer);
    }
    live.end();
    record.exit
}

/// An outcome as machines read it.
pub(crate) fn outcome_document(outcome: &Outcome) -> Value {
    json!({
        "type": "outcome",
        "run": outcome.run.as_str(),
        "status": outcome.status.as_str(),
        // Text before a wait is not an answer.
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

/// Prints how to continue a run that waits for a person who is absent, or who answers later.
async fn parked(
    setup: &ProjectRuntime,
    outcome: &Outcome,
    live: &mut Live,
    screen: Screen,
) -> Result<Exit, Failure> {
    let (run, status) = (&outcome.run, outcome.status.as_str());
    if screen.is_json() {
        screen.document(&json!({ "type": "outcome", "run": run.as_str(), "status": status }));
        return Ok(Exit::Waiting);
    }
    let (waiting, questions) = (Pending::of(setup, run).await?, Question::of(setup, run).await?);
    let context = live.context();
    let mut lines = vec![Line::blank(), waits(waiting.len(), questions.len(), &context)];
    let name = &context.run;
    for pending in &waiting {
        // Several calls are decided by name, so that none is allowed unseen.
        let named = if waiting.len() > 1 { format!(" --action {}", pending.id()) } else { String::new() };
        let tool = pending.tool();
        lines.extend(match pending.is_in_doubt() {
            true => vec![
                fact("again", vec![Span::text(format!("provost approve {name}{named}   runs {tool} again"))]),
                fact(
                    "it did",
                    vec![Span::text(format!("provost approve {name}{named} --happened \"RESULT\""))],
                ),
                fact("leave", vec![Span::text(format!("provost reject {name}{named} --reason \"…\""))]),
            ],
            false => vec![
                fact("allow", vec![Span::text(format!("provost approve {name}{named}   {tool}"))]),
                fact("decline", vec![Span::text(format!("provost reject {name}{named} --reason \"…\""))]),
            ],
        });
    }
    if !questions.is_empty() {
        lines.push(fact("answer", vec![Span::text(format!("provost answer {name} --text \"…\""))]));
    }
    live.print(&lines);
    Ok(Exit::Waiting)
}
