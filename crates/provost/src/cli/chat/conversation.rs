//! One conversation: a session, and the runs that work in it.

use std::path::PathBuf;
use std::sync::Arc;

use provost_contract::session::Session;
use provost_runtime::RunId;
use provost_runtime::port::{Clock, IdKind, Ids, LockError, RunFilter, RunRow, SessionLock as _, Stores};
use provost_runtime::session::StoredLock;
use serde_json::{Value, json};

use super::open::Open;
use super::session;
use crate::cli::command::{CASSETTE, MODEL};
use crate::cli::failure::{Code, Failure};
use crate::cli::guard::GOVERNED;
use crate::cli::pending::Pending;
use crate::cli::question::Question;
use crate::cli::setup::Setup;
use crate::cli::{clock, environment, journal};
use crate::{Request, RunHandle};

/// How long the session is held for a run that is about to start; the run then holds it itself.
const HOLD_SECONDS: u64 = 10;
/// How many of the newest messages stay when the older ones are summed up.
const RECENT_MESSAGES: usize = 6;
const SUMMARY: &str = "agents_api_compaction";

/// What a conversation is begun with.
pub(in crate::cli) struct Opening {
    pub(in crate::cli) session: Option<Session>,
    pub(in crate::cli) folder: PathBuf,
    pub(in crate::cli) agent: String,
    pub(in crate::cli) model: String,
    pub(in crate::cli) cassette: Option<String>,
}

/// A session at work.
pub(in crate::cli) struct Conversation {
    pub(in crate::cli) setup: Setup,
    pub(in crate::cli) session: String,
    pub(in crate::cli) folder: PathBuf,
    agent: String,
    /// What every run is told about where it comes from.
    origin: [(&'static str, Value); 2],
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    stored: Stored,
    next: Transcript,
}

/// Whether a session is stored. One in which nothing was said leaves nothing behind.
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

impl Conversation {
    pub(in crate::cli) fn new(setup: Setup, id: String, opening: Opening) -> Result<Self, Failure> {
        let clock = clock::clock();
        Ok(Self {
            setup,
            session: id,
            folder: opening.folder,
            agent: opening.agent,
            origin: [(MODEL, opening.model.into()), (CASSETTE, opening.cassette.into())],
            ids: clock::ids(clock.clone())?,
            clock,
            stored: if opening.session.is_some() { Stored::Yes } else { Stored::NotYet },
            next: Transcript::Whole,
        })
    }

    pub(super) fn stores(&self) -> &Stores {
        self.setup.runtime.stores()
    }

    /// The newest run.
    pub(super) async fn newest(&self) -> Result<Option<RunRow>, Failure> {
        newest(self.stores(), &self.session).await
    }

    /// Goes on with what an earlier process left, or tells its end again.
    pub(super) async fn take_up(&self) -> Result<Option<RunHandle>, Failure> {
        let Some(row) = self.newest().await? else { return Ok(None) };
        self.check_governed(&row).await?;
        Ok(Some(self.setup.runtime.resume(row.run)))
    }

    /// Refuses to go on with a run whose governing files changed.
    async fn check_governed(&self, row: &RunRow) -> Result<(), Failure> {
        let Some(guard) =
            self.setup.guard.as_ref().filter(|_| row.status == "running" || is_parked(&row.status))
        else {
            return Ok(());
        };
        let state = journal::read(self.stores(), &row.run).await?.state;
        guard.resume(&row.run, &state.spec.context)
    }

    /// What waits for a person.
    pub(super) async fn open(&self) -> Result<Open, Failure> {
        let Some(row) = self.newest().await? else { return Ok(Open::default()) };
        Ok(Open {
            approvals: Pending::of(&self.setup, &row.run).await?,
            questions: Question::of(&self.setup, &row.run).await?,
        })
    }

    /// Lets the next message begin with a summary of the older ones.
    pub(super) fn sum_up(&mut self) {
        self.next = Transcript::SummedUp;
    }

    /// Says something: to the run that waits, which takes its questions back, or to a new one.
    pub(super) async fn say(&mut self, words: &str) -> Result<RunHandle, Failure> {
        if let Some(row) = self.newest().await?.filter(|row| is_parked(&row.status)) {
            self.check_governed(&row).await?;
            let said = self.setup.runtime.say(&row.run, &environment::person(), words).await;
            said.map_err(|error| Failure::of(Code::Run, &error))?;
            return Ok(self.setup.runtime.resume(row.run));
        }
        self.begin(words).await
    }

    /// Starts a run with everything that was said before. The session is held under the run's name while
    /// the transcript is read: nobody adds to it in between.
    async fn begin(&mut self, words: &str) -> Result<RunHandle, Failure> {
        self.store(words).await?;
        let run: RunId = self
            .ids
            .make(IdKind::Run)
            .parse()
            .map_err(|_| Failure::machine("no name could be made for the run"))?;
        let governed = self.setup.guard.as_ref().map(|guard| guard.start(&run)).transpose()?;
        let lock = StoredLock { sessions: self.stores().sessions.clone(), clock: self.clock.clone() };
        let token = match lock.acquire(&self.session, run.as_str(), HOLD_SECONDS).await {
            Ok(token) => token,
            Err(LockError::Contended) => return Err(self.busy()),
            Err(LockError::Failed(error)) => return Err(Failure::of(Code::Store, &error)),
        };
        let request = match self.transcript(words).await {
            Ok(messages) => self.request(messages, run).context(GOVERNED, governed.into()),
            Err(failure) => {
                drop(lock.release(&self.session, &token).await);
                return Err(failure);
            }
        };
        self.next = Transcript::Whole;
        self.setup.runtime.start(request).map_err(|error| Failure::of(Code::Run, &error))
    }

    fn request(&self, messages: Vec<Value>, run: RunId) -> Request {
        // One less than there are: it is summed up now, and may become as long again.
        let messages_max = messages.len().saturating_sub(1).max(1);
        let mut request = Request::from_messages(messages)
            .agent(&self.agent)
            .run(run)
            .session(&self.session)
            .workspace(&self.folder.to_string_lossy())
            .principal(environment::principal());
        for (key, value) in &self.origin {
            request = request.context(key, value.clone());
        }
        match self.next {
            Transcript::Whole => request,
            Transcript::SummedUp => request.option(
                "compaction_policy",
                json!({ "enabled": true, "max_messages": messages_max, "recent_messages": RECENT_MESSAGES }),
            ),
        }
    }

    /// Everything that was said, and these words. The agent's instructions are the run's own to give.
    async fn transcript(&self, words: &str) -> Result<Vec<Value>, Failure> {
        let stored = self.stores().sessions.get(&self.session).await;
        let stored = stored.map_err(|fault| Failure::storage(&fault))?;
        let mut messages = stored.map(|session| session.messages).unwrap_or_default();
        if messages.first().is_some_and(is_instruction) {
            messages.remove(0);
        }
        messages.push(json!({ "role": "user", "content": words }));
        Ok(messages)
    }

    async fn store(&mut self, words: &str) -> Result<(), Failure> {
        if self.stored == Stored::Yes {
            return Ok(());
        }
        let now = self.clock.now_ms().div_euclid(1_000);
        let mut session = session::new(&self.folder, &self.session, &self.agent, now)?;
        session.title = session::title(words);
        let created = self.stores().sessions.create(session).await;
        created.map_err(|error| Failure::of(Code::Store, &error))?;
        self.stored = Stored::Yes;
        Ok(())
    }

    pub(super) fn busy(&self) -> Failure {
        Failure::new(Code::Busy, format!("somebody else is talking in the conversation {}", self.session))
            .hint("say it again when they are done, or begin another: provost chat")
    }
}

/// The newest run of a session.
pub(in crate::cli) async fn newest(stores: &Stores, session: &str) -> Result<Option<RunRow>, Failure> {
    let filter = RunFilter { session: Some(session.to_owned()), ..RunFilter::default() };
    let page = stores.runs.list(&filter, 1, None).await.map_err(|fault| Failure::storage(&fault))?;
    Ok(page.rows.into_iter().next())
}

/// Whether a run in this state goes on when somebody answers.
pub(super) fn is_parked(status: &str) -> bool {
    [crate::RunStatus::ApprovalRequired, crate::RunStatus::RuntimeToolPending]
        .into_iter()
        .any(|parked| <&str>::from(parked) == status)
}

/// A summary speaks as the system too, but is part of the conversation.
fn is_instruction(message: &Value) -> bool {
    let summary = message.get("metadata").and_then(|metadata| metadata.get(SUMMARY));
    message.get("role").and_then(Value::as_str) == Some("system") && summary.is_none()
}
