//! Events by hand.

use std::sync::Arc;

use provost_contract::tool::ToolCatalog;
use provost_contract::{Message, canonical};
use provost_runtime::engine::{
    About, ArgumentCheck, Asks, CallDeclared, CallOpened, CallSettled, Event, Kind, Limits, Managed,
    Reservation, RunState, SettledBy, Spec, TranscriptChange, TurnAnswered, TurnStarted,
};
use provost_runtime::port::Seq;
use serde_json::json;

/// A run of at most three turns with one tool.
pub(crate) fn spec() -> Spec {
    let tools = json!({ "kb/find": { "name": "kb/find", "description": "Find." } });
    Spec {
        run: "run_sample".to_owned(),
        messages: vec![Arc::new(Message::text("user", "Where are the ferns?"))],
        max_turns: 3,
        context: serde_json::Map::new(),
        tools: ToolCatalog::read(&tools).to_value().into(),
        has_executor: true,
        budgets: Vec::new(),
        compaction: None,
        result_bytes_max: None,
        spin_threshold: None,
        failure_threshold: None,
        tool_call_rules: Vec::new(),
        session: None,
        structured_output: None,
        model: serde_json::Map::new(),
        asks: Asks::default(),
        about: About::default(),
        policy: serde_json::Map::new(),
        visibility: Vec::new(),
        limits: Limits::default(),
        arguments: ArgumentCheck::default(),
    }
}

/// Numbers and stamps kinds of events as a journal would.
pub(crate) fn events(spec: Spec, kinds: Vec<Kind>) -> Vec<Event> {
    let all = std::iter::once(Kind::from(spec)).chain(kinds);
    all.zip(1..).map(|(kind, seq)| Event::new(Seq(seq), 1_000, kind).expect("events are JSON")).collect()
}

/// The state after a start and these events.
pub(crate) fn state(spec: Spec, kinds: Vec<Kind>) -> RunState {
    RunState::fold(&events(spec, kinds)).expect("events begin with a start")
}

pub(crate) fn started(turn: u64) -> Kind {
    TurnStarted { turn, reserved: Reservation::default() }.into()
}

/// A turn in which the model says nothing but calls a tool once for each text.
pub(crate) fn called(questions: &[&str]) -> Kind {
    let declared = |(place, question): (usize, &&str)| {
        Arc::new(CallDeclared {
            id: format!("call-{place}-{question}"),
            name: "kb/find".to_owned(),
            called: None,
            declared: true,
            parameters: json!({ "q": question }).as_object().cloned().unwrap_or_default(),
            parameters_sha256: canonical::hash(&json!({ "q": question })),
            raw_sha256: Some(format!("sha256:raw-{question}")),
            unprepared: None,
        })
    };
    let calls: Vec<_> = questions.iter().enumerate().map(declared).collect();
    let answered = TurnAnswered {
        transcript: TranscriptChange::Append(Vec::new()),
        left_out: 0,
        calls: Some(calls),
        continuation: Vec::new(),
        usage: serde_json::Map::new(),
        metadata: serde_json::Map::new(),
        request_metadata: None,
        provider_diagnostics: None,
        structured_output: None,
        managed: Managed::default(),
    };
    answered.into()
}

pub(crate) fn opened(call: usize) -> Kind {
    CallOpened { call }.into()
}

pub(crate) fn settled(call: usize) -> Kind {
    let result = json!({ "success": true, "tool_name": "kb/find", "metadata": {}, "result": { "bed": 4 } });
    CallSettled {
        call,
        by: SettledBy::Executor,
        result: result.as_object().cloned().unwrap_or_default(),
        truncated: None,
        completes: false,
        nudge: None,
        diagnostics: serde_json::Map::new(),
    }
    .into()
}

/// One whole turn with one call.
pub(crate) fn turn(number: u64, question: &str) -> Vec<Kind> {
    vec![started(number), called(&[question]), opened(0), settled(0)]
}
