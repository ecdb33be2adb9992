//! Which calls a standing approval covers, as the checker sees it.

use provost_engine::event::Remember;
use provost_engine::{Covers, Digest, StandingApproval, Time};
use serde_json::Value;

/// A standing approval.
#[derive(Clone, Debug)]
pub(super) struct Held {
    tool: String,
    /// The arguments of the only call that is covered.
    args: Option<String>,
    until: Option<Time>,
}

impl Held {
    pub(super) fn new(tool: &str, args: Digest, remember: &Remember) -> Self {
        let args = (remember.covers == Covers::Call).then(|| args.to_string());
        Self { tool: tool.to_owned(), args, until: remember.lasts.end() }
    }

    /// Reads one that an earlier run granted: its scope names the arguments.
    pub(super) fn of(approval: &StandingApproval) -> Self {
        let scope: Value = serde_json::from_str(&approval.scope).unwrap_or_default();
        let args = scope.pointer("/7/call").and_then(Value::as_str).map(str::to_owned);
        Self { tool: approval.tool.clone(), args, until: approval.until }
    }

    pub(super) fn covers(&self, tool: &str, args: Digest, at: Time) -> bool {
        let same = self.args.as_ref().is_none_or(|covered| *covered == args.to_string());
        self.tool == tool && same && self.until.is_none_or(|until| at < until)
    }

    /// Whether a scope names it.
    pub(super) fn is_named(&self, scope: &str) -> bool {
        let arguments = |args: &String| scope.contains(&format!("\"{args}\""));
        let narrow = self.args.as_ref().map_or(!scope.contains("\"call\""), arguments);
        scope.contains(&format!("\"{}\"", self.tool)) && narrow
    }
}
