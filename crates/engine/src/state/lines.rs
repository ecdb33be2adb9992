//! How events become lines of the transcript.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use serde_json::{Value, json};

use super::{Action, RunState, Transcript};
use crate::event::Subject;
use crate::{ActionId, Agent, Digest, Payload, Seq};

/// The key under which a result says who changed the arguments, and what they became.
pub(crate) const ARGUMENTS_CHANGED: &str = "arguments_changed";
/// The key under which a result says that its output is the list of the outputs of these actions.
pub(crate) const PARTS: &str = "parts";
/// The type of a line that says why a declaration was refused.
pub(crate) const REFUSED_DECLARATION: &str = "declaration_refused";
/// The type of a line of the model that stands beside a declaration, and is shown with it.
pub const BESIDE_DECLARATION: &str = "beside_declaration";
/// The key under which a line names the artifact that it stands for.
const ARTIFACT: &str = "artifact";

impl RunState {
    /// Returns the transcript with everything that the next request will show.
    pub fn shown(&self) -> Transcript {
        let after = self.after_turn.iter().chain(&self.queued).cloned();
        self.followed_by(self.ended_lines(&|_, _| false, &BTreeMap::new()).into_iter().chain(after))
    }

    /// Returns the transcript as a hook sees it that is asked about an action: the calls that began, and the
    /// action itself, stand in it. About an action of a graph it is what stood there when the graph was declared:
    /// the others end beside it, in any order, and there may be many of them.
    pub fn shown_about(&self, about: ActionId) -> Transcript {
        if self.is_protocol() {
            return self.transcript.clone();
        }
        let begun = |id: ActionId, action: &Action| id == about || action.has_begun();
        self.followed_by(self.ended_lines(&begun, &BTreeMap::new()))
    }

    /// Returns the transcript with the calls that began, and what stands in it for those that wait. What
    /// follows the calls of a turn is not said before they are over.
    pub fn shown_with(&self, waiting: &BTreeMap<ActionId, Arc<Message>>) -> Transcript {
        let begun = |_, action: &Action| action.has_begun();
        let lines = self.ended_lines(&begun, waiting);
        let early = match (&self.turn, waiting.is_empty()) {
            (Some(turn), false) => turn.continuation,
            (Some(_) | None, _) => 0,
        };
        let after = self.after_turn.iter().skip(early).chain(&self.queued).cloned();
        self.followed_by(lines.into_iter().chain(after))
    }

    fn followed_by(&self, lines: impl IntoIterator<Item = (Seq, Arc<Message>)>) -> Transcript {
        let mut transcript = self.transcript.clone();
        for (seq, message) in lines {
            transcript.push(seq, message);
        }
        transcript
    }

    /// The lines of calls that the model has not been shown, in order; of open ones as far as they began.
    fn ended_lines(
        &self,
        begun: &dyn Fn(ActionId, &Action) -> bool,
        waiting: &BTreeMap<ActionId, Arc<Message>>,
    ) -> Vec<(Seq, Arc<Message>)> {
        let mut lines = Vec::new();
        for (id, action) in self.actions.iter().filter(|(_, action)| !action.seen) {
            if action.end.is_some() && self.is_shown(action) {
                self.lines_of(*id, action, &mut lines);
            } else if action.end.is_none() && action.spec.under.is_none() && begun(*id, action) {
                if !self.is_protocol() {
                    lines.push((self.seq, Arc::new(call_message(self.turn_of(*id), action))));
                }
                lines.extend(waiting.get(id).map(|message| (self.seq, message.clone())));
            }
        }
        lines
    }

    /// The turn that declared an action.
    pub(super) fn turn_of(&self, id: ActionId) -> u32 {
        let turn = self.turn.as_ref().filter(|turn| turn.declaration == id.declaration);
        turn.map_or(self.turn_number(), |turn| turn.turn)
    }

    /// Returns whether the model is shown the end of an action: of a part only when it is to decide about it.
    pub(super) fn is_shown(&self, action: &Action) -> bool {
        action.spec.under.is_none() || self.is_undecided(action)
    }

    /// The call, its result and what follows from it. A call that was left out stands nowhere.
    fn lines_of(&self, id: ActionId, action: &Action, lines: &mut Vec<(Seq, Arc<Message>)>) {
        let Some(end) = action.end.as_ref().filter(|end| end.reason != "left_out") else { return };
        if !self.is_protocol() {
            lines.push((end.seq, Arc::new(call_message(self.turn_of(id), action))));
        }
        lines.push((end.seq, Arc::new(result_message(action, &end.result))));
        lines.extend(end.nudge.iter().map(|nudge| (end.seq, nudge.clone())));
        lines.extend(end.remarks.iter().map(|remark| (end.seq, remark.clone())));
    }

    /// What is new enters the transcript for good.
    pub(super) fn enter_lines(&mut self) {
        self.transcript = self.shown();
        self.after_turn.clear();
        self.queued.clear();
        for action in self.actions.values_mut() {
            action.seen |= action.end.is_some();
        }
        if let Some(turn) = &mut self.turn {
            turn.continuation = 0;
        }
    }

    /// Shows the model what is new.
    pub(super) fn show(&mut self) {
        self.enter_lines();
        self.turn = None;
        self.repetition.found = None;
        let plain = !self.is_protocol();
        let mut effect = self.effect;
        self.actions.retain(|_, action| {
            let ended = action.end.is_some();
            if ended && plain {
                effect = effect.max(action.effect);
            }
            // Nothing refers to an ended call of an earlier turn any more.
            !(ended && plain)
        });
        self.effect = effect;
        let actions = &self.actions;
        self.hooks.retain(|(_, subject), _| match subject {
            Subject::Action { action } => actions.contains_key(action),
            Subject::Turn { .. } | Subject::Run => true,
        });
    }

    /// Returns the tools that were called so far, in order, those of the open turn included up to `before`.
    pub(crate) fn tools_called(&self, before: Option<ActionId>) -> Vec<&str> {
        let open = self.actions.iter().filter(|(id, action)| {
            action.spec.under.is_none() && !action.seen && before.is_none_or(|before| **id < before)
        });
        let open = open.filter(|(_, action)| action.end.as_ref().is_none_or(|end| end.reason != "left_out"));
        self.transcript.tool_calls().chain(open.map(|(_, action)| action.spec.operation.as_str())).collect()
    }
}

fn call_message(turn: u32, action: &Action) -> Message {
    let parameters = &action.args.redacted;
    let metadata = json::into_object(json!({
        "tool_call_id": action.spec.label,
        "parameters_sha256": crate::hash_of(parameters).to_string(),
        "parameters_redacted": true,
    }));
    Message::tool_call("", &action.spec.operation, parameters.clone(), turn.into(), metadata)
}

/// The result of an action. One that is an artifact is marked with it: it is read before the model is shown
/// the line, because an excerpt never decides what a model sees.
fn result_message(action: &Action, result: &Payload) -> Message {
    let (operation, label) = (&action.spec.operation, &action.spec.label);
    let mut message = result_line(operation, label, result.shown());
    if let Some(artifact) = result.artifact() {
        message.metadata.insert(ARTIFACT.to_owned(), artifact.digest.to_string().into());
    }
    message
}

fn result_line(operation: &str, label: &str, result: &Value) -> Message {
    let payload = result.as_object().cloned().unwrap_or_else(|| {
        json::into_object(json!({ "success": true, "tool_name": operation, "result": result }))
    });
    let metadata = Object::from_iter([("tool_call_id".to_owned(), label.into())]);
    Message::tool_result(&result_content(&payload), operation, payload, metadata)
}

/// Returns the artifact that a line of a transcript stands for, if it does.
pub fn artifact_of(message: &Message) -> Option<Digest> {
    message.metadata.get(ARTIFACT)?.as_str()?.parse().ok()
}

/// Returns a line with the whole result in the place of its excerpt, cut to what the agent's model may see.
pub fn with_result(agent: &Agent, message: &Message, result: &Value) -> Message {
    let label = json::text(&message.metadata, "tool_call_id").unwrap_or_default();
    let cut =
        agent.truncator.zip(result.as_object()).map(|(truncator, wire)| truncator.truncate(wire).result);
    result_line(message.tool_name(), label, &cut.map_or_else(|| result.clone(), Value::Object))
}

/// What the model reads of a result: its payload as JSON, or the error in plain words; before it, which
/// arguments it ran with when a person changed them.
fn result_content(result: &Object) -> String {
    let changed =
        json::object(result, "metadata").and_then(|metadata| json::object(metadata, ARGUMENTS_CHANGED));
    let changed = changed.map(|changed| {
        let by = json::text(changed, "by").unwrap_or("A person");
        let parameters = changed.get("parameters").map(Value::to_string).unwrap_or_default();
        format!("{by} changed the arguments of this call. It ran with {parameters}.\n")
    });
    let content = match (json::text(result, "error"), result.get("result")) {
        (Some(error), _) => error.to_owned(),
        (None, payload) => payload.map(Value::to_string).unwrap_or_default(),
    };
    format!("{}{content}", changed.unwrap_or_default())
}
