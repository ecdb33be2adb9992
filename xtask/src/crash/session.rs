//! The stored session some scenarios belong to.

use provost_contract::WorkspaceScope;
use provost_contract::json::{Object, text};
use provost_contract::principal::ConversationOwner;
use provost_contract::session::NewSession;
use provost_runtime::port::{CreateSessionError, Stores};
use serde_json::Value;

use super::process::Cast;
use super::world::World;
use crate::Failure;

fn id(world: &World) -> Option<&str> {
    text(&world.scenario.options, "session_id")
}

/// Makes the session, unless it is there.
pub(super) async fn prepare(cast: &Cast) -> Result<(), Failure> {
    let Some(id) = id(&cast.world) else { return Ok(()) };
    let new = NewSession {
        workspace: WorkspaceScope::new("site", "1")?,
        owner: ConversationOwner::new("user", "7")?,
        agent_slug: "coach".to_owned(),
        context: "chat".to_owned(),
        metadata: Object::new(),
    };
    match cast.stores.sessions.create(new.into_session(id.to_owned(), 0)).await {
        Ok(()) | Err(CreateSessionError::Taken { .. }) => Ok(()),
        Err(error @ CreateSessionError::Storage(_)) => Err(error.into()),
    }
}

/// What is kept of the conversation; whether the lock is free again.
pub(super) async fn kept(world: &World, stores: &Stores) -> Result<Option<(Vec<Value>, bool)>, Failure> {
    let Some(id) = id(world) else { return Ok(None) };
    let messages = stores.sessions.get(id).await?.ok_or("the session is gone")?.messages;
    let free = stores.sessions.acquire_lock(id, "somebody else", 1, 0).await?;
    Ok(Some((messages, free)))
}
