//! One event of every kind and variant, with every field filled and a mark in every word.

use std::sync::Arc;

use provost_engine::event::*;
use provost_engine::{Digest, Epoch, Event, EventKind, Payload, Seq, SignalId, Time, Usage, WorldEffect};
use serde_json::{Value, json};

use crate::values::*;

fn responded(declaration: Parsed) -> ModelResponded {
    let call = Call {
        label: "call_1".into(),
        name: "tool".into(),
        called: Some("Tool".into()),
        args: args(),
        unprepared: Some(unprepared()),
    };
    ModelResponded {
        request: 1,
        messages: vec![message()],
        calls: vec![Arc::new(call)],
        declaration: Some(Box::new(declaration)),
        malformed: 1,
        finish: "stop".into(),
        usage: usage(),
        provider: object(),
        output: Some(Payload::Artifact(artifact())),
        host: Some(Box::new(HostTurn {
            replaces: true,
            managed: true,
            completes: true,
            continuation: vec![message()],
            records: object(),
            metadata: object(),
        })),
    }
}

pub(crate) fn declaration() -> Declaration {
    Declaration {
        intent: "act".into(),
        add: vec![step(2)],
        cancel: vec![id(1, 0)],
        replace: vec![(id(1, 1), 0)],
        decide: vec![(id(1, 2), Choice::Accept)],
        answer: Some(inline()),
        title: Some(MARK.into()),
        note: Some(MARK.into()),
        violations: vec![json!({ "text": MARK })],
        price: usage(),
        signature: Some(Digest::of(b"signature")),
    }
}

fn accepted(origin: Origin) -> DeclarationAccepted {
    DeclarationAccepted {
        declaration: 2,
        origin,
        intent: "act".into(),
        add: vec![Arc::new(spec(id(2, 0), 2))],
        cancel: vec![id(1, 0)],
        replace: vec![(id(1, 1), id(2, 0))],
        decide: vec![(id(1, 2), Choice::Skip)],
        answer: Some(inline()),
        title: Some(MARK.into()),
        note: Some(MARK.into()),
        violations: vec![json!({ "text": MARK })],
        price: usage(),
        signature: Some(Digest::of(b"signature")),
    }
}

fn requested(purpose: Purpose) -> ModelRequested {
    ModelRequested {
        request: 1,
        purpose,
        turn: 1,
        attempt: 2,
        model: 1,
        reserved: usage(),
        measure: Usage::of("system", 3),
        through: Seq(3),
        active_ms: 10,
    }
}

/// Events of every kind, every variant of what they carry among them.
pub(crate) fn kinds() -> Vec<EventKind> {
    let mut kinds: Vec<EventKind> = run_kinds();
    kinds.extend(turn_kinds());
    kinds.extend(action_kinds());
    kinds
}

fn run_kinds() -> Vec<EventKind> {
    let mut kinds: Vec<EventKind> = vec![
        RunAccepted { spec: Arc::new(run_spec()) }.into(),
        RunClaimed {
            worker: "worker".parse().unwrap(),
            compiled: Digest::of(b"agent"),
            policy: Digest::of(b"policy"),
            standing: vec![standing()],
        }
        .into(),
        RunEnded {
            status: EndStatus::Completed,
            satisfying: true,
            effect: WorldEffect::Maybe,
            text: inline(),
            output: Some(inline()),
            usage: usage(),
            handoff: Some(artifact()),
        }
        .into(),
    ];
    kinds.extend(signals().into_iter().map(|body| {
        let (signal, from, ignored) = (SignalId(1), person(), Some(Ignored::Settled));
        EventKind::from(SignalTaken { signal, from, body, ignored })
    }));
    kinds.extend(stops().into_iter().map(|stop| EventKind::from(RunStopping { stop })));
    kinds
}

fn turn_kinds() -> Vec<EventKind> {
    let action = id(1, 0);
    let next = NextModel { model: 1, attempt: 2, not_before: Time(9) };
    let subjects = [Subject::Turn { turn: 1 }, Subject::Action { action }, Subject::Run];
    let (attempt, number) = (1, 3);
    let origins = [
        Origin::ToolCall,
        Origin::Declaration,
        Origin::Submitted,
        Origin::Workflow,
        Origin::Task,
        Origin::Assignment,
        Origin::Pipeline { action },
        Origin::Bridge { action, attempt, number },
    ];
    let purposes = [Purpose::Turn, Purpose::Compaction, Purpose::Summary { action }];
    let mut kinds: Vec<EventKind> = vec![
        responded(Parsed::Declared(Box::new(declaration()))).into(),
        responded(Parsed::Malformed { fault: fault() }).into(),
        ModelFailed {
            request: 1,
            fault: fault(),
            usage: usage(),
            next: Some(next),
            diagnostics: json!({ "text": MARK }),
        }
        .into(),
        ResponseRefused {
            request: 1,
            code: "malformed".into(),
            reasons: vec![MARK.into()],
            violations: vec![json!({ "text": MARK })],
            retry: true,
        }
        .into(),
        HistoryCompacted {
            upto: 2,
            replacement: vec![message()],
            archive: Some(artifact()),
            fault: Some(fault()),
            events: vec![json!({ "text": MARK })],
        }
        .into(),
    ];
    kinds.extend(purposes.map(|purpose| EventKind::from(requested(purpose))));
    kinds.extend(origins.map(|origin| EventKind::from(accepted(origin))));
    for (answer, subject) in hook_answers().into_iter().zip(subjects.into_iter().cycle()) {
        kinds.push(HookAnswered { hook: Hook::Policy, subject, answer }.into());
    }
    kinds
}

fn action_kinds() -> Vec<EventKind> {
    let (action, attempt) = (id(1, 0), 1);
    let allowed = [
        AllowedBy::Rule,
        AllowedBy::Wait { wait: wait() },
        AllowedBy::Standing { scope: "scope".into() },
        AllowedBy::RollForward,
    ];
    let mut kinds: Vec<EventKind> = Vec::new();
    kinds.extend(allowed.map(|allowed_by| {
        EventKind::from(ActionStarted {
            action,
            attempt,
            round: 1,
            phase: Phase::Apply,
            key: Digest::of(b"key"),
            args: Digest::of(b"raw"),
            resolved: Some(args()),
            ruling: ruling(),
            allowed_by,
            expect: vec![Digest::of(b"file")],
            input: Some(inline()),
        })
    }));
    kinds.extend(notes().into_iter().map(|note| EventKind::from(ActionNoted { action, attempt, note })));
    let nexts = [
        Next::Retry { not_before: Time(9) },
        Next::Round,
        Next::Judge,
        Next::Input,
        Next::Doubt,
        Next::AskAgain,
    ];
    for (outcome, next) in outcomes().into_iter().zip(nexts.into_iter().cycle()) {
        kinds.push(AttemptEnded { action, attempt, outcome, usage: usage(), next }.into());
    }
    kinds.push(
        ActionEnded {
            action,
            attempt: Some(attempt),
            status: ActionEnd::Failed,
            satisfying: false,
            effect: WorldEffect::Maybe,
            by: EndedBy::Executor,
            reason: "failed".into(),
            result: inline(),
            summary: Some(MARK.into()),
            citations: vec![json!({ "text": MARK })],
            artifacts: vec![artifact()],
            usage: usage(),
            nudge: Some(message()),
            truncated: Some(object()),
        }
        .into(),
    );
    kinds.extend(waits());
    kinds
}

fn waits() -> Vec<EventKind> {
    let opened = wait_kinds().into_iter().map(|kind| {
        EventKind::from(WaitOpened {
            wait: wait(),
            kind,
            actions: vec![id(1, 0)],
            attempt: Some(1),
            ask: inline(),
            schema: Some(inline()),
            binding: Digest::of(b"b"),
            may_answer: vec!["user:ada".into()],
            supersedable: true,
            due: Some(Time(7)),
            expect: vec![Digest::of(b"file")],
            reserved: usage(),
        })
    });
    let settled = answers().into_iter().map(|answer| {
        EventKind::from(WaitSettled {
            wait: wait(),
            how: Settlement::Answered,
            by: person(),
            signal: Some(SignalId(1)),
            answer: Some(answer),
            usage: usage(),
        })
    });
    opened.chain(settled).collect()
}

/// An event of a kind, at position 1.
pub(crate) fn event(kind: EventKind) -> Event {
    Event { seq: Seq(1), at: Time(1), epoch: Epoch(0), actor: person(), kind, erased: false }
}

/// Whether every text in a value is free of the mark.
pub(crate) fn is_unmarked(value: &Value) -> bool {
    !value.to_string().contains(MARK)
}
