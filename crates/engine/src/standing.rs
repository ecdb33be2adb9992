//! Standing approvals: questions that need not be asked again.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ActionId, Actor, RunId, Time};

/// A standing approval: a question that need not be asked again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandingApproval {
    /// What it covers as one text, by which it is found ([`ApprovalScope`]).
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

    /// Returns what its scope says; `None` if the scope was not written by this version.
    pub fn about(&self) -> Option<ApprovalScope> {
        ApprovalScope::parse(&self.scope)
    }
}

/// Whose calls, and which, a standing approval covers.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalScope {
    /// The workspace.
    pub workspace: String,
    /// The type and the key of the principal's owner, as the principal names them.
    pub owner: [Value; 2],
    /// The acting user.
    pub user: Value,
    /// The agent.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The layer of the policy that asks.
    pub layer: String,
    /// The rule that asks.
    pub rule: String,
    /// Which calls of the tool, if not all.
    pub calls: Option<Value>,
}

impl ApprovalScope {
    /// Returns its text, equal for equal scopes.
    pub fn to_text(&self) -> String {
        let Self { workspace, owner, user, agent, tool, layer, rule, calls } = self;
        let mut parts = vec![json!(workspace), json!(owner), user.clone(), json!(agent), json!(tool)];
        parts.extend([json!(layer), json!(rule)]);
        parts.extend(calls.clone());
        Value::Array(parts).to_string()
    }

    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<Value> = serde_json::from_str(text).ok()?;
        let (fixed, calls) = parts.split_at_checked(7)?;
        let [workspace, owner, user, agent, tool, layer, rule] = fixed else { return None };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Self {
            workspace: text(workspace)?,
            owner: owner.as_array()?.clone().try_into().ok()?,
            user: user.clone(),
            agent: text(agent)?,
            tool: text(tool)?,
            layer: text(layer)?,
            rule: text(rule)?,
            calls: calls.first().cloned(),
        })
    }

    /// Returns the owner as text: `user:ada`.
    pub fn principal(&self) -> String {
        let [kind, key] = &self.owner;
        format!("{}:{}", kind.as_str().unwrap_or_default(), key.as_str().unwrap_or_default())
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
    fn a_scope_reads_back_what_it_was_written_from() {
        let scope = ApprovalScope {
            workspace: "/garden".into(),
            owner: [json!("user"), json!("ada")],
            user: json!(7),
            agent: "scribe".into(),
            tool: "note/write".into(),
            layer: "rule".into(),
            rule: "writes-ask".into(),
            calls: None,
        };
        assert_eq!(
            scope.to_text(),
            r#"["/garden",["user","ada"],7,"scribe","note/write","rule","writes-ask"]"#
        );
        let narrow = ApprovalScope { calls: Some(json!({ "place": "src" })), ..scope.clone() };
        for scope in [scope, narrow] {
            assert_eq!(ApprovalScope::parse(&scope.to_text()), Some(scope.clone()));
            assert_eq!(scope.principal(), "user:ada");
        }
        for other in ["s", "[]", r#"["/garden",["user"],7,"a","b","c","d"]"#] {
            assert_eq!(ApprovalScope::parse(other), None, "{other}");
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
