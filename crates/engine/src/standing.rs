//! Standing approvals: questions that need not be asked again.

use serde::{Deserialize, Serialize};

use crate::{ActionId, Actor, RunId, Time};

/// A standing approval: a question that need not be asked again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandingApproval {
    /// What it covers as one text: workspace, principal, agent, tool, the rule that asks, and which calls.
    pub scope: String,
    /// The tool.
    pub tool: String,
    /// Which calls of the tool.
    #[serde(default, skip_serializing_if = "Covers::is_tool")]
    pub covers: Covers,
    /// When it ends. None means that it holds until it is revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// Who granted it.
    pub by: Actor,
    /// When.
    pub at: Time,
    /// The run in which it was granted.
    pub run: RunId,
    /// The call that was asked about when it was granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionId>,
    /// The reason that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl StandingApproval {
    /// Returns whether it holds at a time.
    pub fn holds_at(&self, now: Time) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// Which calls of a tool a standing approval covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Covers {
    /// Every call.
    #[default]
    Tool,
    /// Calls with exactly the arguments that were asked about.
    Call,
    /// Calls about this file, or about anything in this folder. The path is relative to the workspace, with its
    /// links resolved, as the policy reports it in the input [`PLACE`] of its ruling.
    Place(String),
}

impl Covers {
    /// Returns whether every call is covered.
    pub fn is_tool(&self) -> bool {
        *self == Self::Tool
    }
}

/// The input of a ruling that names the file or folder that the call is about, relative to the workspace.
pub const PLACE: &str = "place";

/// Returns a path and the folders that contain it, the innermost first.
///
/// A path that is absolute or leaves its folder has none: it is in no folder of the workspace.
pub fn enclosing(place: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(place).filter(|place| is_inside(place));
    std::iter::from_fn(move || {
        let place = next?;
        next = place.rsplit_once('/').map(|(folder, _)| folder);
        Some(place)
    })
}

fn is_inside(place: &str) -> bool {
    place.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_enclose_what_lies_in_them_and_nothing_else() {
        let folders = |place| enclosing(place).collect::<Vec<_>>();
        assert_eq!(folders("src/a/b.rs"), ["src/a/b.rs", "src/a", "src"]);
        assert_eq!(folders("notes.md"), ["notes.md"]);
        for outside in ["", "/etc/passwd", "src/../secrets/key", "./src", "src//a", "..", "src/."] {
            assert!(folders(outside).is_empty(), "{outside}");
        }
    }

    #[test]
    fn an_approval_ends_at_its_time() {
        let mut approval: StandingApproval = serde_json::from_value(serde_json::json!({
            "scope": "s", "tool": "t", "by": { "kind": "person", "id": "user:ada" }, "at": 1, "run": "run-1",
        }))
        .unwrap();
        assert!(approval.covers.is_tool() && approval.holds_at(Time(i64::MAX)));
        approval.until = Some(Time(10));
        assert!(approval.holds_at(Time(9)) && !approval.holds_at(Time(10)));
    }
}
