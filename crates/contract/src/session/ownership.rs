//! Whose a stored session is.

use crate::json::{self, Object};
use crate::principal::ConversationOwner;
use crate::{UserId, WorkspaceScope, loose};

/// The kind of owner that is a user of the host.
pub(super) const USER: &str = "user";

/// Whether a stored row, also one from before sessions had owners, belongs to a workspace and an owner.
pub fn owns_row(row: &Object, workspace: &WorkspaceScope, owner: &ConversationOwner) -> bool {
    let in_workspace = ["workspace_type", "workspace_id"].map(|key| said(row, &[key]))
        == [workspace.workspace_type(), workspace.workspace_id()].map(|text| Some(text.to_owned()));
    in_workspace && owner_matches(row, owner)
}

fn owner_matches(row: &Object, owner: &ConversationOwner) -> bool {
    let owner_type = said(row, &["owner_type", "principal_owner_type"]);
    let owner_key = said(row, &["owner_key", "principal_owner_key"]);
    if owner_type.is_some() || owner_key.is_some() {
        return owner_type.as_deref() == Some(owner.owner_type())
            && owner_key.as_deref() == Some(owner.owner_key());
    }
    // A row that names no owner is from a time when only users had sessions.
    let user = json::get(row, "user_id").and_then(UserId::numeric).filter(|user| user.is_somebody());
    owner.owner_type() == USER && user.is_some_and(|user| user.to_string() == owner.owner_key())
}

/// The first of some keys that says something.
fn said(row: &Object, keys: &[&str]) -> Option<String> {
    keys.iter().find_map(|key| json::get(row, key).and_then(loose::text))
}
