//! What a run asks a person to decide, rendered from its journal at the moment it is shown.
//!
//! The approvals table says only what is still undecided. What a person reads is made of the journalled arguments:
//! a changed row of the table cannot show one call and run another.

use provost_contract::approval::PendingAction;
use provost_contract::json::{self, Object};
use provost_contract::tool::ToolCall;
use provost_runtime::RunId;
use provost_runtime::engine::{BatchCall, Proposal, Stage, WaitsFor};
use provost_tools::Preview;
use serde_json::{Value, json};

use super::failure::{Code, Failure};
use super::journal;
use super::screen::Screen;
use super::setup::Setup;

/// A preview that fills more lines than this is named again below its end.
const LINES_AT_A_GLANCE: usize = 20;

/// One call that waits for a person.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) id: String,
    pub(super) tool: String,
    /// The arguments as the journal has them; secrets are redacted.
    pub(super) arguments: Object,
    summary: String,
    shown: Value,
    /// The layer and the rule that ask.
    pub(super) rule: Option<(String, String)>,
    in_doubt: bool,
    person_only: bool,
}

impl Pending {
    /// Everything a run waits for and no one has decided, in the order it was asked.
    pub(super) async fn of(setup: &Setup, run: &RunId) -> Result<Vec<Self>, Failure> {
        let stored = setup.runtime.pending().await.map_err(|fault| Failure::storage(&fault))?;
        let stored = stored.into_iter().filter(|action| action.run_id() == Some(run.as_str()));
        let stored: Vec<PendingAction> = stored.collect();
        if stored.is_empty() {
            return Ok(Vec::new());
        }
        let state = journal::read(setup.runtime.stores(), run).await?.state;
        let mut all = Vec::new();
        for (_, call) in state.batch.in_stage(Stage::Waiting) {
            let Some(proposal) = proposal(call) else { continue };
            let Some(action) = stored.iter().find(|action| action.action_id() == proposal.action_id()) else {
                continue;
            };
            check(action, proposal)?;
            all.push(Self::read(setup, call, proposal).await);
        }
        Ok(all)
    }

    async fn read(setup: &Setup, call: &BatchCall, proposal: &Proposal) -> Self {
        let payload = |key: &str| proposal.envelope.pointer(&format!("/payload/{key}"));
        let stored = || payload("preview").cloned().unwrap_or_default();
        // A tool that asked by itself before it acted says what it would do.
        let asked_by_tool = call.attempts > 0 && !call.is_in_doubt();
        let shown = if asked_by_tool { None } else { preview(setup, call).await };
        Self {
            id: proposal.action_id().to_owned(),
            tool: call.declared.name.clone(),
            arguments: call.declared.parameters.clone(),
            summary: payload("summary").and_then(Value::as_str).unwrap_or_default().to_owned(),
            shown: shown.map_or_else(stored, |preview| preview.to_value()),
            rule: proposal.asked_by().map(|(layer, rule)| (layer.to_owned(), rule.to_owned())),
            in_doubt: call.is_in_doubt(),
            person_only: proposal.is_person_only(),
        }
    }

    /// Whether the question is what became of the call, and not whether it may run.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// Whether only a person may answer, about exactly this call.
    pub(super) fn is_person_only(&self) -> bool {
        self.person_only
    }

    /// The question with all that would happen.
    pub(super) fn text(&self) -> String {
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
    pub(super) fn show(&self, screen: Screen) {
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
            "id": self.id,
            "kind": if self.in_doubt { "in_doubt" } else { "tool_call" },
            "summary": self.summary,
            "preview": self.shown,
            "tool": self.tool,
            "arguments": self.arguments,
            "person_only": self.person_only,
        })
    }
}

fn proposal(call: &BatchCall) -> Option<&Proposal> {
    match &call.waits.as_ref()?.waits_for {
        WaitsFor::Approval(proposal) | WaitsFor::Doubt(proposal) => Some(proposal),
        WaitsFor::Client(_) => None,
    }
}

/// A row of the approvals table that is not what the journal says was changed by someone.
fn check(action: &PendingAction, proposal: &Proposal) -> Result<(), Failure> {
    let journalled = proposal.envelope.get("payload").and_then(Value::as_object).cloned().unwrap_or_default();
    let stored = action.to_object();
    let same = |key: &str| json::get(&stored, key) == json::get(&journalled, key);
    if ["summary", "preview", "apply_input", "metadata"].iter().all(|key| same(key)) {
        return Ok(());
    }
    let message =
        format!("the stored question {} is not the one in the journal: it was changed", action.action_id());
    Err(Failure::new(Code::Decision, message)
        .hint("nothing was decided; reject it with provost cancel, and find out what wrote to the database"))
}

/// What the call would do now, with the arguments of the journal.
async fn preview(setup: &Setup, call: &BatchCall) -> Option<Preview> {
    let declared = &call.declared;
    let asked = ToolCall::new(&declared.name, declared.parameters.clone(), Object::new(), Some(&declared.id));
    setup.tools.preview(&asked).await
}

/// What would happen, for people.
pub(super) fn describe(preview: &Value) -> String {
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
