//! Every decision of a run, with whose word it was.

use std::collections::BTreeMap;

use provost_contract::timestamp;
use provost_runtime::engine::{CallSettled, Event, Kind, RunState, SettledBy, WaitsFor, Word};
use serde_json::{Value, json};

/// What is said of a call that runs.
const RUNS: &str = "runs";
/// How the word of whoever allowed something begins.
const ALLOWED: &str = "allowed by ";

/// One decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::cli) struct Decided {
    pub(in crate::cli) seq: u64,
    pub(in crate::cli) at_ms: i64,
    pub(in crate::cli) turn: u64,
    pub(in crate::cli) tool: String,
    pub(in crate::cli) call: String,
    /// What was decided.
    pub(in crate::cli) what: String,
    pub(in crate::cli) layer: String,
    pub(in crate::cli) rule: String,
    pub(in crate::cli) reason: String,
    /// The process that carries out a call.
    pub(in crate::cli) process: Option<String>,
    /// Where a person's decision came from: user id, terminal, process.
    pub(in crate::cli) origin: Option<Value>,
}

impl Decided {
    pub(in crate::cli) fn document(&self) -> Value {
        let mut document = json!({
            "seq": self.seq,
            "at": timestamp::iso8601(self.at_ms.div_euclid(1_000)),
            "turn": self.turn,
            "tool": self.tool,
            "call": self.call,
            "decided": self.what,
            "layer": self.layer,
            "rule": self.rule,
            "reason": self.reason,
        });
        let further = [("process", self.process.clone().map(Value::from)), ("origin", self.origin.clone())];
        if let Some(fields) = document.as_object_mut() {
            fields.extend(further.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        }
        document
    }

    pub(in crate::cli) fn line(&self) -> String {
        let by = match (self.layer.as_str(), self.rule.as_str()) {
            ("", "") => String::new(),
            (layer, "") => format!("  [{layer}]"),
            (layer, rule) => format!("  [{layer}: {rule}]"),
        };
        let about = if self.tool.is_empty() { "the run" } else { &self.tool };
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        let when = if self.turn == 0 { "start".to_owned() } else { format!("turn {}", self.turn) };
        format!("{:>4}  {when:<7} {about:<10} {}{reason}{by}", self.seq, self.what)
    }

    /// Whose remembered word spared a question.
    fn spared(mut self, decision: Option<&Value>) -> Self {
        let by = decision.and_then(|decision| decision.pointer("/inputs/remembered_by"));
        if let Some(by) = by.and_then(Value::as_str) {
            self.what = format!("{}, as {by} said to remember", self.what);
        }
        self
    }

    /// The words of a decision as policies write it.
    fn by(mut self, decision: &Value) -> Self {
        let text = |key: &str| decision.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        self.layer = text("layer");
        self.rule = text("rule");
        self.reason = text("reason");
        self
    }
}

/// The decisions of a journal, in order.
pub(in crate::cli) fn decisions(events: &[Event]) -> Vec<Decided> {
    let mut decided = Vec::new();
    let mut state = None::<RunState>;
    for event in events {
        match &mut state {
            None => state = RunState::begin(event),
            Some(state) => state.apply(event),
        }
        if let Some(state) = &state {
            decided.extend(of_event(state, event));
        }
    }
    by_permission(&mut decided);
    decided
}

/// A call that was asked for and allowed runs by that word, not by the rule that asked.
fn by_permission(decided: &mut [Decided]) {
    let mut allowed: BTreeMap<String, Decided> = BTreeMap::new();
    for decision in decided {
        if decision.what.starts_with(ALLOWED) {
            allowed.insert(decision.call.clone(), decision.clone());
        } else if let Some(word) = allowed.remove(&decision.call).filter(|_| decision.what.starts_with(RUNS))
        {
            decision.layer = word.layer;
            decision.rule = word.rule;
            decision.reason = word.what;
        }
    }
}

fn of_event(state: &RunState, event: &Event) -> Vec<Decided> {
    let new = |what: &str| Decided {
        seq: event.seq.0,
        at_ms: event.at_ms,
        turn: state.turn,
        what: what.to_owned(),
        ..Decided::default()
    };
    let about = |place: usize, what: &str| {
        let declared = state.batch.call(place).map(|call| call.declared.clone());
        let (tool, call) = declared.map(|call| (call.name.clone(), call.id.clone())).unwrap_or_default();
        Decided { tool, call, ..new(what) }
    };
    match &event.kind {
        Kind::RunStarted(spec) => spec.visibility.iter().map(|told| visibility(new("shown"), told)).collect(),
        Kind::ActionStarted(started) => {
            let decided = about(started.call, if started.attempt > 1 { "runs again" } else { RUNS });
            let word = state.words.of(started).map(Word::read);
            let decided = word.iter().fold(decided, Decided::by).spared(word.as_ref());
            vec![Decided { process: started.process.clone(), ..decided }]
        }
        Kind::CallWaits(waits) => vec![asked(about(waits.call, "asks"), &waits.waits_for)],
        Kind::CallApproved(approved) => {
            let text = |key: &str| approved.approval.get(key).and_then(Value::as_str).unwrap_or_default();
            let decided = about(approved.call, &format!("{ALLOWED}{}", text("by")));
            let (layer, reason) = ("person".to_owned(), text("reason").to_owned());
            vec![Decided { layer, reason, origin: approved.approval.get("origin").cloned(), ..decided }]
        }
        Kind::CallSettled(settled) => refusal(settled.by)
            .map(|what| settled_by(about(settled.call, what), settled))
            .into_iter()
            .collect(),
        kind => of_run(new(""), kind).into_iter().collect(),
    }
}

fn asked(decided: Decided, waits_for: &WaitsFor) -> Decided {
    match waits_for {
        WaitsFor::Approval(proposal) => {
            let decision = proposal.envelope.pointer("/payload/metadata/decision");
            decision.into_iter().fold(decided, Decided::by)
        }
        WaitsFor::Doubt(_) => Decided {
            layer: "recovery".to_owned(),
            rule: "never_repeat_an_effect".to_owned(),
            reason: "it was running when the process died, and may have taken effect".to_owned(),
            ..decided
        },
        WaitsFor::Client(_) => Decided { what: "waits for a client".to_owned(), ..decided },
    }
}

fn settled_by(decided: Decided, settled: &CallSettled) -> Decided {
    let decision = settled.result.get("metadata").and_then(|metadata| metadata.get("decision"));
    let mut decided = decision.into_iter().fold(decided, Decided::by);
    decided.origin = Value::Object(settled.result.clone()).pointer("/metadata/approval/origin").cloned();
    if !decided.reason.is_empty() {
        return decided;
    }
    let error = settled.result.get("error").and_then(Value::as_str).unwrap_or_default();
    let is_person = matches!(settled.by, SettledBy::Refusal | SettledBy::Witness);
    let error = if settled.by == SettledBy::Witness { attested(settled) } else { error.to_owned() };
    let layer = if is_person { "person".to_owned() } else { decided.layer };
    Decided { reason: error, layer, ..decided }
}

/// Who said what came of a call in doubt, and why.
fn attested(settled: &CallSettled) -> String {
    let result = Value::Object(settled.result.clone());
    let text = |key: &str| result.pointer(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (by, reason) = (text("/metadata/approval/by"), text("/metadata/approval/reason"));
    if reason.is_empty() { by } else { format!("{by}: {reason}") }
}

/// What was decided about the run as a whole.
fn of_run(new: Decided, kind: &Kind) -> Option<Decided> {
    let (what, layer, rule, reason) = match kind {
        Kind::BudgetExceeded(over) => {
            let used = format!("{} of {} used", over.current, over.ceiling);
            ("stops".to_owned(), "budget", over.budget.clone(), used)
        }
        Kind::CompletionBlocked(blocked) => {
            ("may not end yet".to_owned(), "gate", String::new(), blocked.message.clone())
        }
        Kind::CancelAsked(asked) => {
            let layer = if asked.by.starts_with("runtime:") { "control_plane" } else { "person" };
            (format!("cancelled by {}", asked.by), layer, String::new(), asked.reason.clone())
        }
        Kind::LoopStalled(_) => {
            ("stops: the model repeats itself".to_owned(), "stall", String::new(), String::new())
        }
        Kind::RunParked(parked) => {
            (format!("parked: {}", <&str>::from(parked.status)), "", String::new(), String::new())
        }
        Kind::RunResumed(_) => ("resumed".to_owned(), "", String::new(), String::new()),
        Kind::RunEnded(ended) => {
            (format!("ended: {}", <&str>::from(ended.status)), "", String::new(), String::new())
        }
        // These happened and nobody decided them, or are about one call.
        Kind::RunStarted(_)
        | Kind::SessionLocked(_)
        | Kind::SessionContended(_)
        | Kind::TurnStarted(_)
        | Kind::HistoryCompacted(_)
        | Kind::TurnAnswered(_)
        | Kind::TurnFailed(_)
        | Kind::CallOpened(_)
        | Kind::ActionStarted(_)
        | Kind::CallSettled(_)
        | Kind::CallWaits(_)
        | Kind::CallApproved(_)
        | Kind::CompletionJudged(_)
        | Kind::ContinuationAdded(_)
        | Kind::InterruptHeard(_)
        | Kind::ContinueJudged(_)
        | Kind::MessageQueued(_)
        | Kind::RunBroken(_) => return None,
    };
    Some(Decided { what, layer: layer.to_owned(), rule, reason, ..new })
}

fn visibility(decided: Decided, told: &Value) -> Decided {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let decision = told.get("decision").cloned().unwrap_or_default();
    let what = match decision.get("verdict").and_then(Value::as_str) {
        Some("allow" | "visible") => "is shown to the model".to_owned(),
        Some(verdict) => verdict.to_owned(),
        None => decided.what.clone(),
    };
    Decided { tool: text(told.get("tool_name")), what, ..decided }.by(&decision)
}

/// What a result says that did not come from doing the work.
fn refusal(by: SettledBy) -> Option<&'static str> {
    match by {
        SettledBy::Executor | SettledBy::Client => None,
        SettledBy::Preparation => Some("could not be prepared"),
        SettledBy::Gate => Some("refused by the gate"),
        SettledBy::Policy => Some("forbidden"),
        SettledBy::Rejection => Some("refused by the mediator"),
        SettledBy::Replacement => Some("answered by the mediator"),
        SettledBy::Refusal => Some("rejected"),
        SettledBy::Expiry => Some("expired"),
        SettledBy::Supersession => Some("superseded"),
        SettledBy::Witness => Some("happened, as a person says"),
        SettledBy::Timeout => Some("stopped for its time"),
        SettledBy::Cancellation => Some("cancelled"),
        SettledBy::Doubt => Some("in doubt"),
        SettledBy::Loss => Some("lost"),
    }
}
