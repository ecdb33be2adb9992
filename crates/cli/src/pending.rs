//! What a run asks a person to decide, rendered from its journal at the moment it is shown.
//!
//! What a person reads is generated from the arguments in the journal, and the answer is bound to them: a changed row of the
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
use crate::view::QuestionLines;

/// One call that waits for a person.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) asked: view::Pending,
    /// What would happen now.
    preview: Value,
}

impl Pending {
    /// Everything that a run waits for and no one has decided, in the order in which it was asked.
    pub(crate) async fn of(setup: &ProjectRuntime, run: &RunId) -> Result<Vec<Self>, Failure> {
        let waits = setup.runtime.waits(run).await.map_err(|error| unworked(run, &error))?;
        let mut all = Vec::new();
        for asked in waits {
            if matches!(asked.kind, WaitKind::Approval { .. } | WaitKind::InDoubt { .. }) {
                all.push(Self::read(setup, asked).await);
            }
        }
        Ok(all)
    }

    /// Whether it still waits.
    pub(crate) async fn is_open(&self, setup: &ProjectRuntime) -> Result<bool, Failure> {
        let run = &self.asked.wait.run;
        let waits = setup.runtime.waits(run).await.map_err(|error| unworked(run, &error))?;
        Ok(waits.iter().any(|waiting| waiting.wait == self.asked.wait))
    }

    /// The same call with other arguments, and what it would do now.
    pub(crate) async fn changed(&self, setup: &ProjectRuntime, arguments: &Object) -> Self {
        let asked = view::Pending { arguments: arguments.clone(), ..self.asked.clone() };
        Self::read(setup, asked).await
    }

    /// One with the preview that was found when it was asked.
    pub(crate) fn stored(asked: view::Pending) -> Self {
        let preview = asked.preview.clone();
        Self { asked, preview }
    }

    async fn read(setup: &ProjectRuntime, asked: view::Pending) -> Self {
        // A tool that asks by itself supplies its own preview.
        let now = if asked.asked_by_tool { None } else { preview(setup, &asked).await };
        let preview = now.map_or_else(|| asked.preview.clone(), |preview| preview.to_value());
        Self { asked, preview }
    }

    pub(crate) fn wait(&self) -> &WaitId {
        &self.asked.wait
    }

    pub(crate) fn tool(&self) -> &str {
        &self.asked.tool
    }

    /// The arguments as the journal has them; secrets are redacted.
    pub(crate) fn arguments(&self) -> &Object {
        &self.asked.arguments
    }

    /// Its number in the run: short enough to be typed.
    pub(crate) fn id(&self) -> String {
        self.asked.wait.number.to_string()
    }

    /// Whether a person means it: by its number, by its whole id, or by the name or id of the declared action.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        let wait = self.id() == word || self.asked.wait.to_string() == word;
        // The entries of a fan-out are called NAME[0], NAME[1], …; its own name means all that wait.
        let fan_out = self.asked.label.split_once('[').is_some_and(|(name, _)| name == word);
        wait || fan_out || self.asked.label == word || self.asked.action.to_string() == word
    }

    /// Whether the question is what became of the call, and not whether it may run.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.asked.in_doubt
    }

    /// Whether only a person may answer, about exactly this call.
    pub(crate) fn is_person_only(&self) -> bool {
        self.asked.person_only
    }

    /// The question with all that would happen.
    pub(crate) fn lines(&self) -> QuestionLines {
        QuestionLines::of(&self.asked, &self.preview)
    }

    /// Shows it, to a person or to a machine.
    pub(crate) fn show(&self, screen: Screen) {
        if screen.is_json() {
            screen.document(&self.document());
        } else {
            screen.notes(&self.lines().whole());
        }
    }

    pub(crate) fn document(&self) -> Value {
        let asked = &self.asked;
        json!({
            "type": "approval",
            "id": asked.wait.to_string(),
            "run": asked.wait.run,
            "kind": if asked.in_doubt { "in_doubt" } else { "tool_call" },
            "summary": asked.summary,
            "preview": self.preview,
            "tool": asked.tool,
            "arguments": asked.arguments,
            "person_only": asked.person_only,
        })
    }
}

/// What the call would do now, with the arguments of the journal.
async fn preview(setup: &ProjectRuntime, pending: &view::Pending) -> Option<Preview> {
    let asked = ToolCall::new(&pending.tool, pending.arguments.clone(), Object::new(), Some(&pending.label));
    setup.tools.preview(&asked).await
}
