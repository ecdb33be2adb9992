//! Events of a run as JSON documents: journal events and deltas.
//!
//! Each has its run; an event also its position, time, actor and kind. A call that did not run or failed has a reason
//! (code, rule) and its effect.

use std::collections::HashMap;

use provost::{Delta, Followed};
use provost_contract::json::{self, Object};
use provost_contract::timestamp;
use provost_engine::event::{
    ActionEnd, ActionEnded, ActionSpec, EndStatus, Event, EventKind, Stop, WaitOpened,
};
use provost_engine::view::{Observed, Observer};
use provost_engine::{ActionId, RunId, Seq, Time};
use provost_runtime::actor::{LoadError, ReadRun};
use serde_json::{Value, json};

use crate::view::spoken_rule;

/// Turns the events of one run into documents.
pub(crate) struct Reader {
    run: RunId,
    observer: Observer,
    /// The events up to here were taken in.
    seq: Seq,
    turn: u32,
    /// Calls that have not ended: their turn, tool and name.
    calls: HashMap<ActionId, (u32, String, String)>,
    /// When calls that run began.
    began: HashMap<ActionId, Time>,
    /// Why the run stops.
    stop: Option<Stop>,
}

impl Reader {
    /// Begins with a run as it is stored. Returns the documents of the events behind `shown`.
    pub(super) fn begin(read: &ReadRun, shown: Seq) -> Result<(Self, Vec<Value>), LoadError> {
        let Some((first, others)) = read.events.split_first() else {
            return Err(LoadError::Unknown(read.run.clone()));
        };
        let (observer, observed) = Observer::begin(&read.agent, &read.history, first, true)?;
        let (run, calls, began) = (read.run.clone(), HashMap::new(), HashMap::new());
        let mut reader = Self { run, observer, seq: first.seq, turn: 0, calls, began, stop: None };
        let mut news: Vec<Value> = Vec::new();
        if shown < first.seq {
            news.extend(observed.into_iter().map(|observed| reader.observed(first, observed)));
        }
        for event in others {
            let new = reader.take_in(event);
            if event.seq > shown {
                news.extend(new);
            }
        }
        Ok((reader, news))
    }

    pub(super) fn seq(&self) -> Seq {
        self.seq
    }

    /// Takes in what a watcher got.
    pub(super) fn take(&mut self, followed: Followed) -> Vec<Value> {
        let between = |kind: &str, fields: Value| {
            let mut document = json!({ "type": kind, "run": self.run.as_str() });
            if let Some(document) = document.as_object_mut() {
                document.extend(json::into_object(fields));
            }
            vec![document]
        };
        match followed {
            Followed::Event(event) => self.take_in(&event.event),
            Followed::Delta(Delta::Text(text)) => between("delta", json!({ "text": text })),
            Followed::Delta(Delta::Restart) => between("restart", json!({})),
            Followed::Delta(Delta::Trouble(problem)) => between("trouble", json!({ "problem": problem })),
            Followed::Delta(Delta::Retry { address, problem, attempt, attempts_max, wait_ms }) => {
                let fields = json!({
                    "address": address,
                    "problem": problem,
                    "attempt": attempt,
                    "attempts_max": attempts_max,
                    "wait_ms": wait_ms,
                });
                between("retry", fields)
            }
            // Calls are shown when they are declared, with what was decided about them.
            Followed::Delta(
                Delta::Reasoning(_)
                | Delta::Call { .. }
                | Delta::Arguments { .. }
                | Delta::Output { .. }
                | Delta::Progress { .. },
            ) => Vec::new(),
            Followed::Lagged(count) => between("left_out", json!({ "count": count })),
            Followed::Unreadable(problem) => between("unreadable", json!({ "problem": problem })),
        }
    }

    fn take_in(&mut self, event: &Event) -> Vec<Value> {
        if event.seq <= self.seq {
            return Vec::new();
        }
        self.seq = event.seq;
        let mut news = self.own(event);
        match self.observer.take(event) {
            Ok(observed) => {
                // A call is shown when it is declared, so that all of a turn stand in the model's order. How calls
                // and runs end is said by the events themselves.
                let is_said =
                    |name: &str| matches!(name, "tool_call" | "tool_result" | "completed" | "failed");
                let shown = observed.into_iter().filter(|observed| !is_said(observed.event));
                let asked = match &event.kind {
                    EventKind::WaitOpened(opened) => asked(opened),
                    _ => Value::Null,
                };
                news.extend(shown.map(|observed| {
                    let mut document = self.observed(event, observed);
                    if !asked.is_null()
                        && let Some(document) = document.as_object_mut()
                    {
                        document.insert("reason".to_owned(), asked.clone());
                    }
                    document
                }));
            }
            Err(illegal) => {
                let run = self.run.as_str();
                news.push(json!({ "type": "unreadable", "run": run, "problem": illegal.to_string() }));
            }
        }
        news
    }

    /// What the event itself says.
    fn own(&mut self, event: &Event) -> Vec<Value> {
        match &event.kind {
            EventKind::ModelRequested(requested) => self.turn = requested.turn,
            EventKind::ModelResponded(responded) => {
                let texts = responded.messages.iter().filter_map(|message| message.content.as_text());
                let text = texts.collect::<Vec<_>>().join("\n");
                let usage = responded.provider.get("usage").cloned().unwrap_or_default();
                let fields = json!({ "turn": self.turn, "text": text, "usage": usage, "type": "answer" });
                let answer = self.event(event, "answer", fields);
                return vec![answer];
            }
            EventKind::ModelFailed(failed) => {
                let reason = reason(&failed.fault.code, &failed.fault.message);
                let again = failed.next.is_some();
                let fields = json!({ "turn": self.turn, "again": again, "reason": reason });
                return vec![self.event(event, "model_failed", fields)];
            }
            EventKind::DeclarationAccepted(accepted) => {
                for spec in accepted.add.iter() {
                    let known = (self.turn, spec.operation.clone(), spec.label.clone());
                    self.calls.insert(spec.id, known);
                }
                let calls = accepted.add.iter().filter(|spec| spec.under.is_none());
                return calls.map(|spec| self.called(event, spec)).collect();
            }
            EventKind::ActionStarted(started) => drop(self.began.insert(started.action, event.at)),
            EventKind::ActionEnded(ended) => return vec![self.ended(event, ended)],
            EventKind::RunStopping(stopping) => self.stop = Some(stopping.stop.clone()),
            EventKind::RunEnded(ended) => {
                let status: &'static str = ended.status.into();
                let reason = self.stop.take().filter(|_| ended.status != EndStatus::Completed);
                let reason = reason.as_ref().map(stopped);
                let fields = json!({
                    "turn": self.turn, "status": status, "effect": ended.effect, "reason": reason,
                });
                return vec![self.event(event, "ended", fields)];
            }
            _ => {}
        }
        Vec::new()
    }

    fn called(&self, event: &Event, spec: &ActionSpec) -> Value {
        let fields = json!({
            "turn": self.turn,
            "tool": spec.operation,
            "call": spec.label,
            "arguments": spec.args.redacted,
        });
        self.event(event, "tool_call", fields)
    }

    /// How a call ended. One that did not do its work says why.
    fn ended(&mut self, event: &Event, ended: &ActionEnded) -> Value {
        let result = ended.result.shown();
        let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str);
        let summary = ended.summary.as_deref().or_else(|| text("/metadata/summary"));
        let began = self.began.remove(&ended.action).filter(|_| ended.attempt.is_some());
        let ms = began.map(|began| event.at.0.saturating_sub(began.0));
        let status: &'static str = ended.status.into();
        let by: &'static str = ended.by.into();
        let reason = (ended.status != ActionEnd::Completed).then(|| {
            let rule = text("/metadata/decision/rule").map(spoken_rule);
            json!({
                "code": ended.reason,
                "message": result.get("error"),
                "layer": text("/metadata/decision/layer"),
                "rule": rule,
                "source": text("/metadata/decision/inputs/source"),
            })
        });
        let (turn, tool, call) = self.calls.remove(&ended.action).unwrap_or_default();
        let mut fields = json!({
            "turn": turn,
            "tool": tool,
            "call": call,
            "status": status,
            "by": by,
            "success": result.get("success") == Some(&Value::Bool(true)),
            "exit_code": result.pointer("/result/exit_code"),
            "ms": ms,
            "effect": ended.effect,
            "summary": summary,
            "reason": reason,
        });
        if let (Some(signal), Some(fields)) = (result.pointer("/result/signal"), fields.as_object_mut()) {
            fields.insert("signal".to_owned(), signal.clone());
        }
        self.event(event, "tool_result", fields)
    }

    fn observed(&self, event: &Event, observed: Observed) -> Value {
        let fields = json::into_object(observed.payload);
        let spoken = |key: String| match key.as_str() {
            "tool_name" => "tool".to_owned(),
            "tool_call_id" => "call".to_owned(),
            "action_id" => "wait".to_owned(),
            "parameters" => "arguments".to_owned(),
            _ => key,
        };
        let mut fields: Object = fields.into_iter().map(|(key, value)| (spoken(key), value)).collect();
        if let Some(limit) = fields.get_mut("max_turns") {
            *limit = self.observer.turns_limit().into();
        }
        self.event(event, observed.event, Value::Object(fields))
    }

    /// An event with what every event has.
    fn event(&self, event: &Event, kind: &str, fields: Value) -> Value {
        let actor: &'static str = event.actor.kind.into();
        let mut document = json::into_object(json!({
            "type": "event",
            "run": self.run.as_str(),
            "seq": event.seq,
            "at": timestamp::iso8601(event.at.0.div_euclid(1_000)),
            "actor": { "kind": actor, "id": event.actor.id, "via": event.actor.via },
            "kind": kind,
        }));
        document.extend(json::into_object(fields));
        Value::Object(document)
    }
}

fn reason(code: &str, message: &str) -> Value {
    json!({ "code": code, "message": message, "rule": null, "source": null })
}

/// Why a person is asked.
fn asked(opened: &WaitOpened) -> Value {
    let ask = opened.ask.shown();
    let Some(ruling) = ask.pointer("/actions/0/ruling").filter(|ruling| !ruling.is_null()) else {
        return Value::Null;
    };
    let text = |pointer: &str| ruling.pointer(pointer).and_then(Value::as_str);
    json!({
        "code": "ask",
        "message": text("/reason"),
        "layer": text("/layer"),
        "rule": text("/rule").map(spoken_rule),
        "source": text("/inputs/source"),
    })
}

/// Why a run stops.
fn stopped(stop: &Stop) -> Value {
    match stop {
        Stop::Completed { by } => reason("completed", by),
        Stop::Budget { name, used, limit, .. } => {
            json!({
                "code": "budget", "message": format!("{used} of {limit} used"), "rule": name, "source": null,
                "used": used, "limit": limit,
            })
        }
        Stop::Stalled { count, .. } => {
            reason("stalled", &format!("the same call with the same answer {count} times"))
        }
        Stop::Interrupted { code, message } => {
            let said = message.as_ref().and_then(|message| message.content.as_text());
            reason(code, said.unwrap_or_default())
        }
        Stop::Failed { fault } => reason(&fault.code, &fault.message),
        Stop::Cancelled { .. } => reason("cancelled", "it was cancelled"),
    }
}
