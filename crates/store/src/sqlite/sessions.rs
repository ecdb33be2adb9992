//! Sessions in SQLite.

use provost_contract::principal::ConversationOwner;
use provost_contract::session::{Continuation, Session, SessionUpdate};
use provost_contract::{WorkspaceScope, json};
use provost_runtime::port::{
    Boxed, CreateSessionError, Fault, RecentSession, SessionList, Sessions, Transcripts,
};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::Value;

use super::broken::Broken;
use super::counter::stored;
use super::database::Database;
use super::{packed, record};

/// Every column of a session but its transcript, which follows when it is wanted.
const COLUMNS: &str = "session_id, workspace_type, workspace_id, owner_type, owner_key, agent_slug, title, \
                       metadata, provider, model, provider_response_id, context, created_at, updated_at, \
                       last_read_at, expires_at";

impl Sessions for Database {
    fn create(&self, session: Session) -> Boxed<'_, Result<(), CreateSessionError>> {
        let session_id = session.session_id.clone();
        Box::pin(async move {
            let messages = pack(&session.messages);
            match self.write(move |connection| insert(connection, &session, &messages)).await? {
                0 => Err(CreateSessionError::Taken { session_id }),
                _ => Ok(()),
            }
        })
    }

    fn get<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<Option<Session>, Fault>> {
        let session_id = session_id.to_owned();
        Box::pin(self.read(move |connection| {
            let sql = format!("SELECT {COLUMNS}, messages FROM sessions WHERE session_id = ?1");
            let mut statement = connection.prepare_cached(&sql)?;
            statement
                .query_row([session_id], |row| Ok(read(row, Transcripts::Included)))
                .optional()?
                .transpose()
        }))
    }

    fn update<'a>(
        &'a self,
        session_id: &'a str,
        update: SessionUpdate,
        now: i64,
    ) -> Boxed<'a, Result<bool, Fault>> {
        let (session_id, messages) = (session_id.to_owned(), pack(&update.messages));
        Box::pin(self.write(move |connection| write_update(connection, &session_id, &update, &messages, now)))
    }

    fn update_title<'a>(
        &'a self,
        session_id: &'a str,
        title: &'a str,
        now: i64,
    ) -> Boxed<'a, Result<bool, Fault>> {
        let [session_id, title] = [session_id, title].map(str::to_owned);
        Box::pin(self.write(move |connection| {
            let sql = "UPDATE sessions SET title = ?2, updated_at = ?3 WHERE session_id = ?1";
            Ok(connection.prepare_cached(sql)?.execute((&session_id, &title, now))? > 0)
        }))
    }

    fn delete<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<(), Fault>> {
        let session_id = session_id.to_owned();
        Box::pin(self.write(move |connection| {
            connection
                .prepare_cached("DELETE FROM sessions WHERE session_id = ?1")?
                .execute([&session_id])?;
            Ok(())
        }))
    }

    fn list<'a>(&'a self, list: &'a SessionList) -> Boxed<'a, Result<Vec<Session>, Fault>> {
        let list = list.clone();
        Box::pin(self.read(move |connection| read_list(connection, &list)))
    }

    fn recent_pending<'a>(
        &'a self,
        recent: &'a RecentSession,
        now_ms: i64,
    ) -> Boxed<'a, Result<Option<Session>, Fault>> {
        let recent = recent.clone();
        Box::pin(self.read(move |connection| recent_pending(connection, &recent, now_ms)))
    }

    fn acquire_lock<'a>(
        &'a self,
        session_id: &'a str,
        token: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<bool, Fault>> {
        let [session_id, token] = [session_id, token].map(str::to_owned);
        Box::pin(self.write(move |connection| {
            let sql = "UPDATE sessions SET lock_token = ?2, lock_expires_at_ms = ?3
                       WHERE session_id = ?1 AND (lock_token IS NULL OR lock_token = ?2 OR lock_expires_at_ms <= ?4)";
            let expires_at_ms = now_ms.saturating_add(ttl_ms);
            Ok(connection.prepare_cached(sql)?.execute((&session_id, &token, expires_at_ms, now_ms))? > 0)
        }))
    }

    fn lock_token<'a>(&'a self, session_id: &'a str) -> Boxed<'a, Result<Option<String>, Fault>> {
        let session_id = session_id.to_owned();
        Box::pin(self.read(move |connection| {
            let sql = "SELECT lock_token FROM sessions WHERE session_id = ?1";
            let token = connection.prepare_cached(sql)?.query_row([session_id], |row| row.get(0));
            Ok(token.optional()?.flatten())
        }))
    }

    fn release_lock<'a>(&'a self, session_id: &'a str, token: &'a str) -> Boxed<'a, Result<bool, Fault>> {
        let [session_id, token] = [session_id, token].map(str::to_owned);
        Box::pin(self.write(move |connection| {
            let sql = "UPDATE sessions SET lock_token = NULL, lock_expires_at_ms = NULL
                       WHERE session_id = ?1 AND lock_token = ?2";
            Ok(connection.prepare_cached(sql)?.execute((&session_id, &token))? > 0)
        }))
    }
}

fn insert(connection: &Connection, session: &Session, messages: &[u8]) -> Result<usize, Broken> {
    let sql = format!(
        "INSERT INTO sessions ({COLUMNS}, token_id, message_count, messages)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
         ON CONFLICT DO NOTHING"
    );
    Ok(connection.prepare_cached(&sql)?.execute(params![
        session.session_id,
        session.workspace.workspace_type(),
        session.workspace.workspace_id(),
        session.owner.owner_type(),
        session.owner.owner_key(),
        session.agent_slug,
        session.title,
        Value::Object(session.metadata.clone()).to_string(),
        session.provider,
        session.model,
        session.provider_response_id,
        session.context,
        session.created_at,
        session.updated_at,
        session.last_read_at,
        session.expires_at,
        RecentSession::token_of(&session.metadata),
        stored(session.messages.len() as u64),
        messages,
    ])?)
}

/// An empty provider or model keeps what is stored, and so does a response id nobody speaks of.
fn write_update(
    connection: &Connection,
    session_id: &str,
    update: &SessionUpdate,
    messages: &[u8],
    now: i64,
) -> Result<bool, Broken> {
    let mut statement = connection.prepare_cached(
        "UPDATE sessions SET
             metadata = ?2, token_id = ?3, message_count = ?4, messages = ?5, updated_at = ?6,
             provider = iif(?7 = '', provider, ?7), model = iif(?8 = '', model, ?8),
             provider_response_id = iif(?9, ?10, provider_response_id)
         WHERE session_id = ?1",
    )?;
    let (replaces, response_id) = match &update.continuation {
        Continuation::Keep => (false, None),
        Continuation::Forget => (true, None),
        Continuation::From(response_id) => (true, Some(response_id)),
    };
    let changed = statement.execute(params![
        session_id,
        Value::Object(update.metadata.clone()).to_string(),
        RecentSession::token_of(&update.metadata),
        stored(update.messages.len() as u64),
        messages,
        now,
        update.provider,
        update.model,
        replaces,
        response_id,
    ])?;
    Ok(changed > 0)
}

fn read_list(connection: &Connection, list: &SessionList) -> Result<Vec<Session>, Broken> {
    let transcript = match list.transcripts {
        Transcripts::Left => "",
        Transcripts::Included => ", messages",
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}{transcript} FROM sessions
         WHERE workspace_type = ?1 AND workspace_id = ?2 AND owner_type = ?3 AND owner_key = ?4
             AND (?5 IS NULL OR agent_slug = ?5) AND (?6 IS NULL OR context = ?6)
         ORDER BY created_at DESC, no DESC LIMIT ?7 OFFSET ?8"
    ))?;
    let mut rows = statement.query(params![
        list.workspace.workspace_type(),
        list.workspace.workspace_id(),
        list.owner.owner_type(),
        list.owner.owner_key(),
        list.agent_slug,
        list.context,
        stored(list.limit.max(1) as u64),
        stored(list.offset as u64),
    ])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(read(row, list.transcripts)?);
    }
    Ok(sessions)
}

fn recent_pending(
    connection: &Connection,
    recent: &RecentSession,
    now_ms: i64,
) -> Result<Option<Session>, Broken> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT * FROM (
             SELECT {COLUMNS}, messages, message_count, coalesce(lock_expires_at_ms > ?7, FALSE) AS locked
             FROM sessions
             WHERE workspace_type = ?1 AND workspace_id = ?2 AND owner_type = ?3 AND owner_key = ?4
                 AND context = ?5 AND created_at >= ?6 AND (?8 IS NULL OR token_id = ?8)
             ORDER BY created_at DESC, no DESC LIMIT 1
         ) WHERE message_count = 0 OR locked"
    ))?;
    let found = statement.query_row(
        params![
            recent.workspace.workspace_type(),
            recent.workspace.workspace_id(),
            recent.owner.owner_type(),
            recent.owner.owner_key(),
            recent.context,
            recent.since,
            now_ms,
            recent.token_id,
        ],
        |row| Ok(read(row, Transcripts::Included)),
    );
    found.optional()?.transpose()
}

fn read(row: &Row<'_>, transcript: Transcripts) -> Result<Session, Broken> {
    let damaged = |error: provost_contract::ContractError| Broken::Damaged(error.to_string());
    let text = |column: usize| row.get::<_, String>(column);
    Ok(Session {
        session_id: text(0)?,
        workspace: WorkspaceScope::new(text(1)?, text(2)?).map_err(damaged)?,
        owner: ConversationOwner::new(text(3)?, text(4)?).map_err(damaged)?,
        agent_slug: text(5)?,
        title: text(6)?,
        metadata: json::into_object(record::value(&text(7)?)?),
        provider: text(8)?,
        model: text(9)?,
        provider_response_id: row.get(10)?,
        context: text(11)?,
        created_at: row.get(12)?,
        updated_at: row.get(13)?,
        last_read_at: row.get(14)?,
        expires_at: row.get(15)?,
        messages: match transcript {
            Transcripts::Left => Vec::new(),
            Transcripts::Included => unpack(&row.get::<_, Vec<u8>>(16)?)?,
        },
    })
}

fn pack(messages: &[Value]) -> Vec<u8> {
    packed::pack(Value::Array(messages.to_vec()).to_string().as_bytes())
}

fn unpack(bytes: &[u8]) -> Result<Vec<Value>, Broken> {
    let damaged = || Broken::Damaged("a transcript is no list of messages".to_owned());
    let text = String::from_utf8(packed::unpack(bytes)?).map_err(|_| damaged())?;
    match record::value(&text)? {
        Value::Array(messages) => Ok(messages),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            Err(damaged())
        }
    }
}
