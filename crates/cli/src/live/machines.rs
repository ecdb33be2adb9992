//! What is new in a run, as machines read it: the events of its journal, and what streams between them.

use std::collections::HashMap;

use provost::{Delta, Followed};
use provost_engine::event::{ActionSpec, EndedBy, Event, EventKind};
use provost_engine::view::{Observed, Observer};
use provost_engine::{ActionId, Seq, Time};
use provost_runtime::actor::{LoadError, ReadRun};
use serde_json::{Value, json};

/// Something that a machine reads.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum News {
    /// An event, with what it says of a call that ended.
    Event { seq: Seq, observed: Observed, ended: Option<Ended> },
    /// A piece of the model's text.
    Text(String),
    /// The response broke off and is asked for again.
    Restart,
    /// The response is whole; also one that came at once.
    Whole { turn: u32, text: String, usage: Value },
    /// The storage cannot be written; it is tried again.
    Trouble(String),
    /// The model is asked again: the document that says so.
    Retry(Value),
    /// So many pieces were left out.
    LeftOut(u64),
    /// The rest of the journal cannot be read.
    Unreadable(String),
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ended {
    /// What it says of itself: a summary, or the error.
    pub(super) said: String,
    /// How long it ran; none when it never began.
    pub(super) ms: Option<i64>,
}

/// Turns the events of one run into news.
pub(crate) struct Reader {
    observer: Observer,
    /// The events up to here were taken in.
    seq: Seq,
    turn: u32,
    /// When calls that run began.
    began: HashMap<ActionId, Time>,
}

impl Reader {
    /// Begins with a run as it is stored. Returns the news of the events behind `shown`.
    pub(super) fn begin(read: &ReadRun, shown: Seq) -> Result<(Self, Vec<News>), LoadError> {
        let Some((first, others)) = read.events.split_first() else {
            return Err(LoadError::Unknown(read.run.clone()));
        };
        let (observer, observed) = Observer::begin(&read.agent, &read.history, first, true)?;
        let mut reader = Self { observer, seq: first.seq, turn: 0, began: HashMap::new() };
        let mut news: Vec<News> = Vec::new();
        if shown < first.seq {
            news.extend(observed.into_iter().map(|observed| News::Event {
                seq: first.seq,
                observed,
                ended: None,
            }));
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
    pub(super) fn take(&mut self, followed: Followed) -> Vec<News> {
        match followed {
            Followed::Event(event) => self.take_in(&event.event),
            Followed::Delta(Delta::Text(text)) => vec![News::Text(text)],
            Followed::Delta(Delta::Restart) => vec![News::Restart],
            Followed::Delta(Delta::Trouble(problem)) => vec![News::Trouble(problem)],
            Followed::Delta(Delta::Retry { address, problem, attempt, attempts_max, wait_ms }) => {
                vec![News::Retry(json!({
                    "type": "retry",
                    "address": address,
                    "problem": problem,
                    "attempt": attempt,
                    "attempts_max": attempts_max,
                    "wait_ms": wait_ms,
                }))]
            }
            // Calls are shown when they are declared, with what was decided about them.
            Followed::Delta(
                Delta::Reasoning(_)
                | Delta::Call { .. }
                | Delta::Arguments { .. }
                | Delta::Output { .. }
                | Delta::Progress { .. },
            ) => Vec::new(),
            Followed::Lagged(count) => vec![News::LeftOut(count)],
            Followed::Unreadable(problem) => vec![News::Unreadable(problem)],
        }
    }

    fn called(&self, seq: Seq, spec: &ActionSpec) -> News {
        let payload = json!({
            "turn": self.turn,
            "tool_name": spec.operation,
            "tool_call_id": spec.label,
            "parameters": spec.args.redacted,
        });
        News::Event { seq, observed: Observed { event: "tool_call", payload }, ended: None }
    }

    fn take_in(&mut self, event: &Event) -> Vec<News> {
        if event.seq <= self.seq {
            return Vec::new();
        }
        self.seq = event.seq;
        let mut news = Vec::new();
        let mut ended = None;
        match &event.kind {
            EventKind::ModelRequested(requested) => self.turn = requested.turn,
            EventKind::ModelResponded(responded) => {
                let texts = responded.messages.iter().filter_map(|message| message.content.as_text());
                let text = texts.collect::<Vec<_>>().join("\n");
                let usage = responded.provider.get("usage").cloned().unwrap_or_default();
                news.push(News::Whole { turn: self.turn, text, usage });
            }
            EventKind::ModelFailed(failed) if failed.next.is_some() => news.push(News::Restart),
            EventKind::DeclarationAccepted(accepted) => {
                let calls = accepted.add.iter().filter(|spec| spec.under.is_none());
                news.extend(calls.map(|spec| self.called(event.seq, spec)));
            }
            EventKind::ActionStarted(started) => {
                self.began.insert(started.action, event.at);
            }
            EventKind::ActionEnded(done) => {
                let result = done.result.shown();
                let said = done.summary.as_deref();
                let said = said.or_else(|| result.pointer("/metadata/summary").and_then(Value::as_str));
                let said = said.or_else(|| result.get("error").and_then(Value::as_str)).unwrap_or_default();
                let attested = done.by == EndedBy::Attested;
                let said = if attested { "happened, as a person says" } else { said };
                let began = self.began.remove(&done.action).filter(|_| done.attempt.is_some());
                let ms = began.map(|began| event.at.0.saturating_sub(began.0));
                ended = Some(Ended { said: said.to_owned(), ms });
            }
            _ => {}
        }
        match self.observer.take(event) {
            Ok(observed) => {
                let seq = event.seq;
                // A call is shown when it is declared, so that all of a turn stand in the model's order.
                let shown = observed.into_iter().filter(|observed| observed.event != "tool_call");
                news.extend(shown.map(|observed| {
                    let ended = ended.clone().filter(|_| observed.event == "tool_result");
                    News::Event { seq, observed, ended }
                }));
            }
            Err(illegal) => news.push(News::Unreadable(illegal.to_string())),
        }
        news
    }
}

/// News as machines read it.
pub(super) fn document(news: &News) -> Value {
    match news {
        News::Event { seq, observed, .. } => {
            json!({ "type": "event", "seq": seq, "event": observed.event, "payload": observed.payload })
        }
        News::Text(text) => json!({ "type": "delta", "text": text }),
        News::Restart => json!({ "type": "restart" }),
        News::Whole { turn, text, usage } => {
            json!({ "type": "answer", "turn": turn, "text": text, "usage": usage })
        }
        News::Retry(document) => document.clone(),
        News::Trouble(problem) => json!({ "type": "trouble", "problem": problem }),
        News::LeftOut(count) => json!({ "type": "left_out", "count": count }),
        News::Unreadable(problem) => json!({ "type": "unreadable", "problem": problem }),
    }
}
