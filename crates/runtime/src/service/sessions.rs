//! Sessions for callers: each sees and changes its own.

use std::sync::Arc;

use provost_contract::json::{self, Object};
use provost_contract::session::{NewSession, Reach, Session, SessionQuery, SessionRequest, StoreSupport};
use provost_contract::{ExecutionPrincipal, loose};

use super::ServiceError;
use crate::port::{Clock, IdKind, Ids, SessionList, Sessions};

/// The storage a host gave for sessions.
#[derive(Clone)]
pub enum SessionStore {
    /// None: nothing can be kept.
    Missing,
    /// One that can keep the sessions of users apart, and nobody else's.
    UsersOnly(Arc<dyn Sessions>),
    EveryOwner(Arc<dyn Sessions>),
}

impl SessionStore {
    fn support(&self) -> StoreSupport {
        match self {
            Self::Missing => StoreSupport::Missing,
            Self::UsersOnly(_) => StoreSupport::UsersOnly,
            Self::EveryOwner(_) => StoreSupport::EveryOwner,
        }
    }
}

/// Makes, shows, names and forgets sessions for whoever owns them.
pub struct SessionDesk {
    pub store: SessionStore,
    pub ids: Arc<dyn Ids>,
    pub clock: Arc<dyn Clock>,
}

/// A request whose sender was checked, and the storage that answers it.
struct Admitted<'a> {
    request: SessionRequest,
    sessions: &'a dyn Sessions,
}

impl SessionDesk {
    /// Makes a session.
    pub async fn create(
        &self,
        principal: Option<&ExecutionPrincipal>,
        reach: Reach,
        input: &Object,
    ) -> Result<Session, ServiceError> {
        let Admitted { request, sessions } = self.admit(principal, reach, input)?;
        let new = NewSession::parse(&request, input);
        let session = new.into_session(self.ids.make(IdKind::Session), self.now());
        sessions.create(session.clone()).await?;
        Ok(session)
    }

    /// Shows a session with its transcript.
    pub async fn get(
        &self,
        principal: Option<&ExecutionPrincipal>,
        reach: Reach,
        input: &Object,
    ) -> Result<Session, ServiceError> {
        self.admit(principal, reach, input)?.session(input).await
    }

    /// Shows the caller's sessions, without their transcripts.
    pub async fn list(
        &self,
        principal: Option<&ExecutionPrincipal>,
        reach: Reach,
        input: &Object,
    ) -> Result<Vec<Session>, ServiceError> {
        let Admitted { request, sessions } = self.admit(principal, reach, input)?;
        let query = SessionQuery::parse(&request, input);
        Ok(sessions.list(&SessionList::from(&query)).await?)
    }

    /// Names a session.
    pub async fn update_title(
        &self,
        principal: Option<&ExecutionPrincipal>,
        reach: Reach,
        input: &Object,
    ) -> Result<Session, ServiceError> {
        let admitted = self.admit(principal, reach, input)?;
        let mut session = admitted.session(input).await?;
        let title = json::get(input, "title").and_then(loose::text).unwrap_or_default();
        session.retitle(&title, self.now())?;
        let known =
            admitted.sessions.update_title(&session.session_id, &session.title, session.updated_at).await?;
        // Somebody may have forgotten it since it was looked up.
        Ok(admitted.request.access(known.then_some(session))?)
    }

    /// Forgets a session.
    pub async fn delete(
        &self,
        principal: Option<&ExecutionPrincipal>,
        reach: Reach,
        input: &Object,
    ) -> Result<(), ServiceError> {
        let admitted = self.admit(principal, reach, input)?;
        let session = admitted.session(input).await?;
        Ok(admitted.sessions.delete(&session.session_id).await?)
    }

    fn admit(
        &self,
        principal: Option<&ExecutionPrincipal>,
        reach: Reach,
        input: &Object,
    ) -> Result<Admitted<'_>, ServiceError> {
        let request = SessionRequest::parse(principal, input, self.store.support(), reach)?;
        match &self.store {
            SessionStore::UsersOnly(sessions) | SessionStore::EveryOwner(sessions) => {
                Ok(Admitted { request, sessions: sessions.as_ref() })
            }
            SessionStore::Missing => Err(ServiceError::Storage(crate::port::Fault::Closed)),
        }
    }

    fn now(&self) -> i64 {
        self.clock.now_ms().div_euclid(1_000)
    }
}

impl Admitted<'_> {
    /// The session a request names, when its sender may touch it.
    async fn session(&self, input: &Object) -> Result<Session, ServiceError> {
        let session_id = SessionRequest::session_id(input)?;
        Ok(self.request.access(self.sessions.get(&session_id).await?)?)
    }
}
