//! What a run asks a person to decide, rendered from its journal at the moment it is shown.
//!
//! What a person reads is made of the journalled arguments, and the answer is bound to them: a changed row of the
//! table of waits cannot show one call and run another.

use provost_contract::json::Object;
use provost_contract::tool::ToolCall;
use provost_engine::event::WaitKind;
use provost_engine::view;
use provost_engine::{RunId, WaitId};
use provost_project::ProjectRuntime;
use provost_tools::Preview;
use serde_json::{Value, json};

use crate::failure::{Failure, unworked};
use crate::screen::Screen;

/// A preview that fills more lines than this is named again below its end.
const LINES_AT_A_GLANCE: usize = 20;

/// One call that waits for a person.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// What an answer names.
    pub(crate) wait: WaitId,
    pub(crate) tool: String,
    /// The arguments as the journal has them; secrets are redacted.
    pub(crate) arguments: Object,
    summary: String,
    shown: Value,
    /// The layer and the rule that ask.
    pub(crate) rule: Option<(String, String)>,
    in_doubt: bool,
    person_only: bool,
}

impl Pending {
    /// Everything that a run waits for and no one has decided, in the order in which it was asked.
    pub(crate) async fn of(setup: &ProjectRuntime, run: &RunId) -> Result<Vec<Self>, Failure> {
        let waits = setup.runtime.waits(run).await.map_err(|error| unworked(run, &error))?;
        let mut all = Vec::new();
        for pending in waits {
            if matches!(pending.kind, WaitKind::Approval { .. } | WaitKind::InDoubt { .. }) {
                all.push(Self::read(setup, pending).await);
            }
        }
        Ok(all)
    }

    async fn read(setup: &ProjectRuntime, pending: view::Pending) -> Self {
        // A tool that asked by itself before it acted says what it would do.
        let shown = if pending.asked_by_tool { None } else { preview(setup, &pending).await };
        Self {
            shown: shown.map_or(pending.preview, |preview| preview.to_value()),
            wait: pending.wait,
            tool: pending.tool,
            arguments: pending.arguments,
            summary: pending.summary,
            rule: pending.rule,
            in_doubt: pending.in_doubt,
            person_only: pending.person_only,
        }
    }

    /// Its number in the run: short enough to be typed.
    pub(crate) fn id(&self) -> String {
        self.wait.number.to_string()
    }

    /// Whether a person means it: by its number, or by its whole id.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        self.id() == word || self.wait.to_string() == word
    }

    /// Whether the question is what became of the call, and not whether it may run.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// Whether only a person may answer, about exactly this call.
    pub(crate) fn is_person_only(&self) -> bool {
        self.person_only
    }

    /// The question with all that would happen.
    pub(crate) fn text(&self) -> String {
        let shown = describe(&self.shown);
        let count = shown.lines().count();
        let mut lines = vec![self.summary.clone()];
        lines.extend(shown.lines().map(|line| format!("    {line}")));
        if count > LINES_AT_A_GLANCE {
            let path = self.shown.get("path").and_then(Value::as_str).unwrap_or_default();
            lines.push(format!("{} {path} ({count} lines above)", self.tool));
        }
        lines.join("\n")
    }

    /// Shows it, to a person or to a machine.
    pub(crate) fn show(&self, screen: Screen) {
        if screen.is_json() {
            screen.document(&self.document());
        } else {
            screen.note("");
            screen.note(&self.text());
        }
    }

    fn document(&self) -> Value {
        json!({
            "type": "approval",
            "id": self.wait.to_string(),
            "kind": if self.in_doubt { "in_doubt" } else { "tool_call" },
            "summary": self.summary,
            "preview": self.shown,
            "tool": self.tool,
            "arguments": self.arguments,
            "person_only": self.person_only,
        })
    }
}

/// What the call would do now, with the arguments of the journal.
async fn preview(setup: &ProjectRuntime, pending: &view::Pending) -> Option<Preview> {
    let asked = ToolCall::new(&pending.tool, pending.arguments.clone(), Object::new(), Some(&pending.label));
    setup.tools.preview(&asked).await
}

/// What would happen, for people.
pub(crate) fn describe(preview: &Value) -> String {
    let text = |key: &str| preview.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "diff" if text("diff").is_empty() => format!("{} stays as it is", text("path")),
        "diff" => text("diff").to_owned(),
        "command" => {
            let folder = Some(text("cwd")).filter(|cwd| !matches!(*cwd, "" | "."));
            let folder = folder.map(|cwd| format!("\n(in {cwd})")).unwrap_or_default();
            let input = Some(text("input")).filter(|input| !input.is_empty());
            let input = input.map(|input| format!("\n< {input}")).unwrap_or_default();
            format!("$ {}{folder}{input}", text("line"))
        }
        "request" => format!("GET {}", text("url")),
        "refused" => format!("it would fail: {}", text("reason")),
        _ => preview.to_string(),
    }
}
