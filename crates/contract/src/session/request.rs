//! Who asks about sessions, where, and as whose owner.

use serde_json::Value;

use super::Session;
use super::ownership::USER;
use super::refusal::Refusal;
use crate::json::{self, Object};
use crate::principal::ConversationOwner;
use crate::{ContractError, ExecutionPrincipal, Result, WorkspaceScope, loose};

/// Whoever holds this may touch every session.
pub const MANAGE_CAPABILITY: &str = "system.manage";
const AUDIENCE: &str = "audience";
const PUBLIC: [&str; 2] = ["public", "audience:public"];
const WORKSPACE_TYPE: &str = "site";
const WORKSPACE_ID: &str = "default";

/// Whose sessions a store can keep apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreSupport {
    /// There is no store.
    Missing,
    /// Only those of users.
    UsersOnly,
    /// Those of every kind of owner.
    EveryOwner,
}

/// Which sessions a caller may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of its own, in the workspace it names.
    Own,
    /// Every one: it holds [`MANAGE_CAPABILITY`].
    Everything,
}

/// A request about sessions whose sender was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRequest {
    /// Always the principal's own: what a request says about it is only checked.
    owner: ConversationOwner,
    workspace: WorkspaceScope,
    agent_slug: String,
    reach: Reach,
}

impl SessionRequest {
    /// Checks who asks, that the owner the request asserts is its sender, and where it asks.
    pub fn parse(
        principal: Option<&ExecutionPrincipal>,
        input: &Object,
        store: StoreSupport,
        reach: Reach,
    ) -> Result<Self> {
        let principal = principal.ok_or(Refusal::Unauthenticated)?;
        let owner = principal.conversation_owner().ok_or(Refusal::OwnerRequired)?;
        refuse_public(&owner)?;
        check_assertion(input, &owner)?;
        match store {
            StoreSupport::Missing => return Err(Refusal::NoStore.into()),
            StoreSupport::UsersOnly if owner.owner_type() != USER => {
                return Err(Refusal::PrincipalStoreRequired.into());
            }
            StoreSupport::UsersOnly | StoreSupport::EveryOwner => {}
        }
        let agent_slug = principal.effective_agent_id().to_owned();
        Ok(Self { owner, workspace: parse_workspace(input)?, agent_slug, reach })
    }

    /// The owner of whatever is made or listed.
    pub fn owner(&self) -> &ConversationOwner {
        &self.owner
    }

    /// Where it is made or listed.
    pub fn workspace(&self) -> &WorkspaceScope {
        &self.workspace
    }

    /// The agent the sender speaks with unless it names another.
    pub fn agent_slug(&self) -> &str {
        &self.agent_slug
    }

    /// The session a request names.
    pub fn session_id(input: &Object) -> Result<String> {
        Ok(json::get(input, "session_id").and_then(loose::text).ok_or(Refusal::InvalidId)?)
    }

    /// Passes on the session that was found, if the sender may touch it.
    pub fn access<S: std::borrow::Borrow<Session>>(&self, found: Option<S>) -> Result<S> {
        let found = found.ok_or(Refusal::NotFound)?;
        let session = found.borrow();
        let is_own = session.owner == self.owner && session.workspace == self.workspace;
        match self.reach {
            Reach::Own if !is_own => Err(Refusal::Forbidden.into()),
            Reach::Own | Reach::Everything => Ok(found),
        }
    }
}

/// What everybody shares keeps nobody's conversation apart.
fn refuse_public(owner: &ConversationOwner) -> Result<()> {
    if owner.owner_type() == AUDIENCE && PUBLIC.contains(&owner.owner_key()) {
        return Err(Refusal::NonIsolatingOwner.into());
    }
    Ok(())
}

/// A request may say whose session it means; it must be its sender's.
fn check_assertion(input: &Object, owner: &ConversationOwner) -> Result<()> {
    let in_context =
        || json::object(input, "client_context").and_then(|it| json::present(it, "session_owner"));
    let Some(asserted) = json::present(input, "session_owner").or_else(in_context) else { return Ok(()) };
    let asserted = parse_owner(asserted).ok_or(Refusal::InvalidOwner)?;
    refuse_public(&asserted)?;
    match (asserted == *owner, asserted.owner_type()) {
        (true, _) => Ok(()),
        (false, USER) => Err(Refusal::UserOwnerForbidden.into()),
        (false, _) => Err(Refusal::OwnerForbidden.into()),
    }
}

fn parse_owner(value: &Value) -> Option<ConversationOwner> {
    let part = |key| value.get(key).and_then(loose::text);
    let is_key_character = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(*c);
    let owner_type: String = part("type")?.to_ascii_lowercase().chars().filter(is_key_character).collect();
    let key = part("key")?;
    let key = match owner_type.as_str() {
        USER => key.strip_prefix("user:").unwrap_or(&key),
        _ => &key,
    };
    ConversationOwner::new(owner_type.as_str(), key).ok()
}

fn parse_workspace(input: &Object) -> Result<WorkspaceScope> {
    let part = |key, default: &str| {
        json::get(input, key).and_then(loose::text).unwrap_or_else(|| default.to_owned())
    };
    let scope = match json::present(input, "workspace") {
        Some(workspace) => WorkspaceScope::parse(workspace),
        None => WorkspaceScope::new(
            part("workspace_type", WORKSPACE_TYPE).to_ascii_lowercase(),
            part("workspace_id", WORKSPACE_ID),
        ),
    };
    // The reader is told what is wrong with the workspace, under the code of sessions.
    scope.map_err(|error| {
        let refused = ContractError::from(Refusal::InvalidWorkspace);
        ContractError::with_message(refused.code().to_owned(), error.message()).about("workspace")
    })
}
