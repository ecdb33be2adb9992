//! One conversation: a session, and the runs that work in it.

use std::path::PathBuf;
use std::sync::Arc;

use provost::{Request, RunHandle, SayError, Session};
use provost_engine::{RunId, Seq};
use provost_project::{CASSETTE, GOVERNED, MODEL, ProjectRuntime, clock, runs};
use provost_runtime::port::{IdKind, Ids};
use provost_runtime::store::{RunFilter, RunRow, SessionRow, Store};
use serde_json::{Value, json};

use super::open::Open;
use super::session;
use crate::failure::{Code, Failure, unworked};
use crate::follow::{News, news};
use crate::identity;
use crate::journal;
use crate::pending::Pending;
use crate::question::Question;

/// How many of the newest messages stay when the older ones are summed up.
const RECENT_MESSAGES: usize = 6;

/// What a conversation is begun with.
pub(crate) struct Opening {
    pub(crate) session: Option<SessionRow>,
    pub(crate) folder: PathBuf,
    pub(crate) agent: String,
    pub(crate) model: String,
    pub(crate) cassette: Option<String>,
}

/// An open session.
pub(crate) struct Conversation {
    pub(crate) setup: ProjectRuntime,
    pub(crate) session: String,
    pub(crate) folder: PathBuf,
    agent: String,
    /// Where every run comes from, as its context says.
    origin: [(&'static str, Value); 2],
    ids: Arc<dyn Ids>,
    stored: Stored,
    next: Transcript,
}

/// Whether a session is stored. A session without messages is not stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    NotYet,
    Yes,
}

/// What the next run begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transcript {
    Whole,
    SummedUp,
}

/// A continued run of the conversation, and its events from there on.
pub(super) struct GoingOn {
    pub(super) handle: RunHandle,
    pub(super) news: News,
}

impl Conversation {
    pub(crate) fn new(setup: ProjectRuntime, id: String, opening: Opening) -> Result<Self, Failure> {
        Ok(Self {
            setup,
            session: id,
            folder: opening.folder,
            agent: opening.agent,
            origin: [(MODEL, opening.model.into()), (CASSETTE, opening.cassette.into())],
            ids: clock::ids(clock::clock())?,
            stored: if opening.session.is_some() { Stored::Yes } else { Stored::NotYet },
            next: Transcript::Whole,
        })
    }

    pub(super) fn store(&self) -> &dyn Store {
        &**self.setup.runtime.store()
    }

    /// Names a run to a program that reads JSON.
    pub(super) fn run_document(&self, run: &RunId) -> Value {
        let [(_, model), _] = &self.origin;
        json!({ "type": "run", "run": run.as_str(), "agent": self.agent, "model": model })
    }

    /// The newest run.
    pub(super) async fn newest(&self) -> Result<Option<RunRow>, Failure> {
        newest(self.store(), &self.session).await
    }

    /// Continues the newest run, whichever process left it; an ended run is only reported. Events up to `shown`, or
    /// up to now, are skipped.
    pub(super) async fn take_up(&self, shown: Option<Seq>) -> Result<Option<GoingOn>, Failure> {
        let Some(row) = self.newest().await? else { return Ok(None) };
        self.check_governed(&row).await?;
        let news = news(&self.setup, &row.run, shown.unwrap_or(row.head)).await?;
        // What is shown must be what an answer counts for.
        self.setup.runtime.review(&row.run).await.map_err(|error| unworked(&row.run, &error))?;
        let handle = self.setup.runtime.resume(&row.run).await.map_err(|error| unworked(&row.run, &error))?;
        Ok(Some(GoingOn { handle, news }))
    }

    /// Whether another process works on a run now.
    pub(super) async fn is_elsewhere(&self, row: &RunRow) -> Result<bool, Failure> {
        runs::is_worked_on(self.store(), row).await
    }

    /// Refuses to go on with a run whose governing files changed.
    async fn check_governed(&self, row: &RunRow) -> Result<(), Failure> {
        let Some(guard) = self.setup.guard.as_ref().filter(|_| row.ended.is_none()) else {
            return Ok(());
        };
        let state = journal::read(self.store(), &row.run).await?.state;
        guard.resume(&row.run, &state.spec.context)
    }

    /// What waits for a person.
    pub(super) async fn open(&self) -> Result<Open, Failure> {
        let Some(row) = self.newest().await?.filter(|row| row.ended.is_none()) else {
            return Ok(Open::default());
        };
        Ok(Open {
            approvals: Pending::of(&self.setup, &row.run).await?,
            questions: Question::of(&self.setup, &row.run).await?,
        })
    }

    /// Lets the next message begin with a summary of the older ones.
    pub(super) fn sum_up(&mut self) {
        self.next = Transcript::SummedUp;
    }

    /// Sends a message to the active run, which withdraws its questions, or starts a run.
    pub(super) async fn say(&mut self, words: &str) -> Result<GoingOn, Failure> {
        let session = self.session(words).await?;
        let active = self.newest().await?.filter(|row| row.ended.is_none());
        if let Some(row) = &active {
            self.check_governed(row).await?;
        }
        let (run, request) = self.request(words, &session).await?;
        let of_new = news(&self.setup, &run, Seq(0)).await?;
        let handle = session.say(request).await.map_err(|error| unsaid(&error))?;
        self.next = Transcript::Whole;
        let news = match active {
            _ if *handle.run() == run => of_new,
            Some(row) if row.run == *handle.run() => news(&self.setup, &row.run, row.head).await?,
            Some(_) | None => news(&self.setup, handle.run(), Seq(0)).await?,
        };
        Ok(GoingOn { handle, news })
    }

    /// A request that begins a run with some words, and the run that it would begin.
    async fn request(&self, words: &str, session: &Session) -> Result<(RunId, Request), Failure> {
        let run: RunId = self
            .ids
            .make(IdKind::Run)
            .parse()
            .map_err(|_| Failure::machine("no id could be made for the run"))?;
        let governed = match &self.setup.guard {
            Some(guard) => Some(guard.start(&run).await?),
            None => None,
        };
        let mut request = Request::new(words)
            .agent(&self.agent)
            .run(run.clone())
            .workspace(&self.folder.to_string_lossy())
            .principal(identity::principal())
            .by(identity::actor())
            .context(GOVERNED, governed.into());
        for (key, value) in &self.origin {
            request = request.context(key, value.clone());
        }
        if self.next == Transcript::Whole {
            return Ok((run, request));
        }
        let said = session.history(None).await.map_err(|error| unsaid(&error))?;
        // One less than the next count, so that this message triggers the summary.
        let messages_max = said.len().max(1);
        let compaction =
            json!({ "enabled": true, "max_messages": messages_max, "recent_messages": RECENT_MESSAGES });
        Ok((run, request.option("compaction_policy", compaction)))
    }

    /// The session, stored with the first words.
    async fn session(&mut self, words: &str) -> Result<Session, Failure> {
        let runtime = &self.setup.runtime;
        let session = match self.stored {
            Stored::Yes => runtime.session(&self.session).await,
            Stored::NotYet => {
                runtime.create_session(session::new(&self.folder, &self.session, &self.agent, words)).await
            }
        };
        let session = session.map_err(|error| unsaid(&error))?;
        self.stored = Stored::Yes;
        Ok(session)
    }
}

fn unsaid(error: &SayError) -> Failure {
    Failure::of(Code::Run, error).hint("say it again, or begin another conversation: provost chat")
}

/// The newest run of a session.
pub(crate) async fn newest(store: &dyn Store, session: &str) -> Result<Option<RunRow>, Failure> {
    let Ok(session) = session.parse() else { return Ok(None) };
    let filter = RunFilter { session: Some(session), ..RunFilter::default() };
    let page = store.runs(filter, None, 1).await.map_err(|fault| Failure::storage(&fault))?;
    Ok(page.items.into_iter().next().map(|listed| listed.row))
}
