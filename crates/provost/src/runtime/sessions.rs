//! Sessions: conversations that consist of many runs.

use std::sync::Arc;

use provost_contract::{ContractError, Message};
use provost_engine::SessionId;
use provost_engine::event::MessageMode;
use provost_runtime::dispatch::SessionDoorError;
use provost_runtime::host::RunsError;
use provost_runtime::port::IdKind;
use provost_runtime::store::{NewSession, Page, SessionCursor, SessionFilter, SessionRow};
use serde_json::Value;

use super::start::named;
use super::{Request, RunHandle, Runtime, StartError};

/// A session to create.
///
/// ```
/// use provost::SessionOptions;
/// let options = SessionOptions { owner: "user:ada".to_owned(), ..SessionOptions::default() };
/// # drop(options);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionOptions {
    /// Its id; the default is a generated one.
    pub id: Option<String>,
    /// The workspace that owns it.
    pub workspace: String,
    /// The person or client that owns the conversation.
    pub owner: String,
    /// The agent it talks to.
    pub agent: String,
    /// Its context, such as `chat`.
    pub context: String,
    /// Its title in lists.
    pub title: Option<String>,
    /// Metadata of the caller.
    pub metadata: Value,
}

/// Why a session could not be read, changed or used.
///
/// ```
/// fn told(error: &provost::SayError) -> String {
///     error.to_string()
/// }
/// ```
#[derive(Debug, thiserror::Error)]
pub enum SayError {
    /// The id is invalid.
    #[error(transparent)]
    Invalid(#[from] ContractError),
    /// The session rejected the operation.
    #[error(transparent)]
    Session(#[from] SessionDoorError),
    /// The message started no run.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The worker cannot be started.
    #[error(transparent)]
    Runs(#[from] RunsError),
}

/// A session: a stored conversation. Cheap to clone.
///
/// ```
/// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::SayError> {
/// let session = runtime.create_session(provost::SessionOptions::default()).await?;
/// session.say("My name is Ada.").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    runtime: Runtime,
    id: SessionId,
}

impl Runtime {
    /// Creates a session.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::SayError> {
    /// let session = runtime.create_session(provost::SessionOptions::default()).await?;
    /// println!("{}", session.id());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the id exists, or the store fails.
    pub async fn create_session(&self, options: SessionOptions) -> Result<Session, SayError> {
        let id = options.id.unwrap_or_else(|| self.0.ids.make(IdKind::Session));
        let id = named(&id)?;
        let new = NewSession {
            session: id.clone(),
            workspace: options.workspace,
            owner: options.owner,
            agent: options.agent,
            context: options.context,
            title: options.title,
            metadata: options.metadata,
        };
        self.runs().await?.sessions.create(new).await?;
        Ok(Session { runtime: self.clone(), id })
    }

    /// Returns an existing session.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::SayError> {
    /// let session = runtime.session("5f7c").await?;
    /// # drop(session);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If it does not exist, or the store fails.
    pub async fn session(&self, id: &str) -> Result<Session, SayError> {
        let id = named(id)?;
        self.runs().await?.sessions.get(&id).await?;
        Ok(Session { runtime: self.clone(), id })
    }

    /// Returns a page of sessions, newest first.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::SayError> {
    /// let page = runtime.sessions(provost::SessionFilter::default(), None, 20).await?;
    /// println!("{} conversations", page.items.len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the store fails.
    pub async fn sessions(
        &self,
        filter: SessionFilter,
        after: Option<SessionCursor>,
        limit: usize,
    ) -> Result<Page<SessionRow, SessionId>, SayError> {
        Ok(self.runs().await?.sessions.list(filter, after, limit).await?)
    }
}

impl Session {
    /// Returns its id.
    ///
    /// ```
    /// fn path(session: &provost::Session) -> String {
    ///     format!("/sessions/{}", session.id())
    /// }
    /// ```
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Sends a message. If a run is active, it goes to that run and withdraws its open questions. Otherwise
    /// it starts a run that reads the conversation so far. Other parts of the request, such as a typed
    /// answer, apply only to a run that starts.
    ///
    /// ```
    /// # async fn example(session: &provost::Session) -> Result<(), provost::SayError> {
    /// let run = session.say("What is my name?").await?;
    /// # drop(run);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no such agent, or the message cannot be stored.
    pub async fn say(&self, request: impl Into<Request>) -> Result<RunHandle, SayError> {
        let mut request = request.into();
        request.in_session(&self.row().await?);
        let words = request.messages.pop().unwrap_or_default();
        let message = Message::parse(&words)?;
        let (new, context) = self.runtime.new_run(&request)?;
        let runs = self.runtime.runs().await?;
        let said = runs.say(&self.id, message, MessageMode::Supersede, (new, context)).await;
        let said = said.map_err(|error| match error {
            RunsError::Start(error) => SayError::Start(error.into()),
            error => error.into(),
        })?;
        Ok(self.runtime.handle(said.run().clone()))
    }

    /// Returns the stored session.
    ///
    /// ```
    /// # async fn example(session: &provost::Session) -> Result<(), provost::SayError> {
    /// println!("{:?}", session.row().await?.about.title);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the store fails.
    pub async fn row(&self) -> Result<SessionRow, SayError> {
        Ok(self.runtime.runs().await?.sessions.get(&self.id).await?)
    }

    /// Returns the messages, up to an entry if one is given.
    ///
    /// ```
    /// # async fn example(session: &provost::Session) -> Result<(), provost::SayError> {
    /// println!("{} messages", session.history(None).await?.len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a run of it cannot be read, or the store fails.
    pub async fn history(&self, upto: Option<u64>) -> Result<Vec<Arc<Message>>, SayError> {
        Ok(self.runtime.runs().await?.sessions.history(&self.id, upto).await?)
    }

    /// Changes the title.
    ///
    /// ```
    /// # async fn example(session: &provost::Session) -> Result<(), provost::SayError> {
    /// session.rename(Some("Invoices".to_owned())).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the store fails.
    pub async fn rename(&self, title: Option<String>) -> Result<(), SayError> {
        Ok(self.runtime.runs().await?.sessions.rename(&self.id, title).await?)
    }

    /// Creates a session that continues from an entry of this one. No run is copied.
    ///
    /// ```
    /// # async fn example(session: &provost::Session) -> Result<(), provost::SayError> {
    /// let other = session.fork(2).await?;
    /// # drop(other);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no such entry, or the store fails.
    pub async fn fork(&self, upto: u64) -> Result<Session, SayError> {
        let about = self.row().await?.about;
        let id = named(&self.runtime.0.ids.make(IdKind::Session))?;
        let new = NewSession { session: id.clone(), ..about };
        self.runtime.runs().await?.sessions.fork(&self.id, upto, new).await?;
        Ok(Session { runtime: self.runtime.clone(), id })
    }
}
