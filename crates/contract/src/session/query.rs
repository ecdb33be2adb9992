//! Which sessions a list shows.

use super::{Session, SessionRequest};
use crate::json::{self, Object};
use crate::principal::ConversationOwner;
use crate::{WorkspaceScope, loose};

const LIMIT: usize = 50;
const LIMIT_MAX: usize = 100;

/// A page of one owner's sessions in one workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionQuery {
    /// Where.
    pub workspace: WorkspaceScope,
    /// Whose.
    pub owner: ConversationOwner,
    /// Only those with this agent.
    pub agent_slug: Option<String>,
    /// Only conversations of this kind.
    pub context: Option<String>,
    /// From 1 to 100.
    limit: usize,
    /// How many of the newest to leave out.
    pub offset: usize,
}

impl SessionQuery {
    /// Reads a request; numbers out of range are brought into it.
    pub fn parse(request: &SessionRequest, input: &Object) -> Self {
        let text = |key| json::get(input, key).and_then(loose::text);
        let limit =
            json::present(input, "limit").map_or(LIMIT, |limit| loose::count(limit).unwrap_or_default());
        Self {
            workspace: request.workspace().clone(),
            owner: request.owner().clone(),
            agent_slug: text("agent"),
            context: text("context"),
            limit: limit.clamp(1, LIMIT_MAX),
            offset: json::get(input, "offset").and_then(loose::count).unwrap_or_default(),
        }
    }

    /// How many sessions a page shows.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Whether a session can be on any page.
    pub fn matches(&self, session: &Session) -> bool {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|wanted| wanted == is);
        session.workspace == self.workspace
            && session.owner == self.owner
            && fits(&self.agent_slug, &session.agent_slug)
            && fits(&self.context, &session.context)
    }

    /// The page: newest first, what was made in the same second in the order it came, last first.
    pub fn page<'a>(&self, sessions: impl IntoIterator<Item = &'a Session>) -> Vec<&'a Session> {
        let mut matching: Vec<&Session> =
            sessions.into_iter().filter(|session| self.matches(session)).collect();
        matching.reverse();
        matching.sort_by_key(|session| std::cmp::Reverse(session.created_at));
        matching.into_iter().skip(self.offset).take(self.limit).collect()
    }
}
