//! One event of every kind and variant, with every field filled and a mark in every word.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::action::{ConditionStatus, OnFailure, Repeat, Resource, ResultPolicy};
use provost_contract::json::{Object, into_object};
use provost_engine::event::*;
use provost_engine::{
    ActionId, Actor, ActorKind, Args, ArtifactRef, Digest, Epoch, Event, EventKind, Fault, Payload, Ruling,
    RunId, Seq, SignalId, StandingApproval, Time, Usage, Verdict, WaitId, WorldEffect,
};
use serde_json::{Value, json};

/// What stands in every word, and must stand in no fact.
pub(crate) const MARK: &str = "WORDMARK";

pub(crate) fn run() -> RunId {
    "run_sample".parse().unwrap()
}

pub(crate) fn id(declaration: u32, index: u32) -> ActionId {
    ActionId { declaration, index }
}

fn wait() -> WaitId {
    WaitId { run: run(), number: 1 }
}

fn person() -> Actor {
    Actor::new(ActorKind::Person, "user:ada").via("cli")
}

fn message() -> Arc<Message> {
    Arc::new(Message::text("user", MARK))
}

fn object() -> Object {
    into_object(json!({ "key": MARK }))
}

fn inline() -> Payload {
    Payload::inline(json!({ "text": MARK }))
}

fn artifact() -> ArtifactRef {
    ArtifactRef {
        digest: Digest::of(b"a"),
        size: 1,
        media: "text/plain".into(),
        excerpt: MARK.into(),
        truncated: None,
    }
}

fn fault() -> Fault {
    Fault { code: "code".into(), message: MARK.into(), fields: object() }
}

fn args() -> Args {
    Args { redacted: object(), raw: Digest::of(b"raw"), hides: true }
}

fn ruling() -> Ruling {
    let ruling = Ruling::new(Verdict::Ask, "rule", "source").because(MARK);
    Ruling { inputs: object(), person_only: true, ..ruling }
}

fn usage() -> Usage {
    Usage::of("tokens", 7)
}

fn unprepared() -> Unprepared {
    Unprepared { code: "tool_not_found".into(), result: object() }
}

fn standing() -> StandingApproval {
    let reason = Some(MARK.to_owned());
    StandingApproval {
        scope: "scope".into(),
        tool: "tool".into(),
        by: person(),
        at: Time(1),
        run: run(),
        reason,
    }
}

/// An action with every field filled; `depth` levels of steps below it.
fn spec(id_: ActionId, depth: u32) -> ActionSpec {
    let result_policy = json!({ "return_to_model": "summary", "if_truncated": MARK });
    let steps = (0..depth.min(1)).map(|_| step(depth - 1)).collect();
    ActionSpec {
        id: id_,
        label: "label".into(),
        origin: Origin::Declaration,
        under: Some(id(1, 0)),
        operation: "operation".into(),
        called: Some("called".into()),
        executor: Executor {
            kind: ExecutorKind::Tool,
            target: "target".into(),
            reasons: vec!["only".into()],
        },
        facts: serde_json::from_value(json!({ "idempotency": "keyed", "takes_key": true })).unwrap(),
        args: args(),
        prompt: Some(MARK.into()),
        context: json!([MARK]),
        depends_on: vec![id(1, 0)],
        when: vec![When { action: id(1, 0), status: ConditionStatus::Failed }],
        repeat: Some(Repeat::parse(&json!({ "max": 3 })).unwrap()),
        on_failure: OnFailure::Retry.into(),
        resources: Resource::parse_all(&json!(["file:a"])).unwrap(),
        result_policy: ResultPolicy::parse(&result_policy).unwrap(),
        policies: json!({ "timeout": 3 }),
        persist: false,
        title: MARK.into(),
        description: Some(MARK.into()),
        reason: Some(MARK.into()),
        steps,
        share: usage(),
        wait_ms: Some(5),
        unprepared: Some(unprepared()),
    }
}

fn step(depth: u32) -> Step {
    Step {
        spec: spec(id(0, 0), depth),
        depends_on: vec![0],
        when: vec![(0, ConditionStatus::Completed)],
        earlier: vec![id(1, 0)],
    }
}

fn assignment() -> Assignment {
    Assignment {
        run: "run_parent".parse().unwrap(),
        action: id(1, 0),
        attempt: 1,
        wait: WaitId { run: "run_parent".parse().unwrap(), number: 1 },
        root: "run_parent".parse().unwrap(),
        path: "1.0".into(),
        depth: 1,
        authority: json!({ "tools": ["read"] }),
        context: json!({ "text": MARK }),
        expected: json!({ "text": MARK }),
        share: usage(),
    }
}

fn run_spec() -> RunSpec {
    RunSpec {
        run: run(),
        agent: "agent".into(),
        compiled: Digest::of(b"agent"),
        policy: Digest::of(b"policy"),
        principal: json!({ "acting_user_id": 1 }),
        workspace: "workspace:1".into(),
        mode: Mode::Protocol,
        model: ModelUse::Asked,
        input: vec![message()],
        context: object(),
        session: Some(SessionFrom { id: "session".parse().unwrap(), from: 2 }),
        parent: Some(assignment()),
        forked: Some(Fork { run: "run_other".parse().unwrap(), seq: Seq(4) }),
        limits: Limits { wait_ms: Some(1), equal_failures: Some(2), ..Limits::default() },
        budgets: BTreeMap::from([("turns".to_owned(), 4)]),
        hooks: HookSet {
            before_model: true,
            after_model: true,
            policy: true,
            mediate: true,
            after_tool: true,
            completion: true,
            continuation: Continuation::Asked,
            interrupt: true,
            on_stop: true,
            preview: true,
        },
        output_schema: Some(json!({ "type": "object" })),
        labels: BTreeMap::from([("label".to_owned(), MARK.to_owned())]),
    }
}

fn answers() -> Vec<Answer> {
    let verdicts = BTreeMap::from([
        (id(1, 0), Decision::Approve { edit: Some(args()) }),
        (id(1, 1), Decision::Reject { reason: MARK.into() }),
    ]);
    let remember = Some(Remember::Always);
    let (satisfying, effect) = (true, WorldEffect::Done);
    vec![
        Answer::Verdicts { verdicts, remember, binding: Digest::of(b"b"), reason: MARK.into() },
        Answer::Again { reason: MARK.into() },
        Answer::Leave { reason: MARK.into() },
        Answer::Happened { payload: inline(), reason: MARK.into() },
        Answer::Result {
            payload: inline(),
            status: ActionEnd::Completed,
            satisfying,
            effect,
            usage: usage(),
        },
        Answer::Expired,
    ]
}

fn signals() -> Vec<Signal> {
    let reason = || MARK.to_owned();
    let message = Signal::Message { message: message(), mode: MessageMode::Steer, leaves_doubt: true };
    let budgets = BTreeMap::from([("turns".to_owned(), 20)]);
    let mut signals = vec![
        message,
        Signal::Cancel { actions: Some(vec![id(1, 0)]), reason: reason() },
        Signal::Resume { budgets, reason: reason() },
        Signal::Decide { action: id(1, 0), choice: Choice::Retry, reason: reason() },
        Signal::External { name: "built".into(), payload: json!({ "text": MARK }) },
        Signal::Standing { scope: "scope".into(), grant: Some(Box::new(standing())) },
    ];
    signals.extend(answers().into_iter().map(|answer| Signal::Answer { wait: wait(), answer }));
    signals
}

fn stops() -> Vec<Stop> {
    vec![
        Stop::Completed { by: "mediator".into() },
        Stop::Budget { name: "turns".into(), dimension: "turns".into(), used: 4, limit: 4 },
        Stop::Stalled { signature: json!({ "tool": MARK }), count: 3 },
        Stop::Interrupted { code: "crash_loop".into(), message: Some(message()) },
        Stop::Failed { fault: fault() },
        Stop::Cancelled { signal: SignalId(1) },
    ]
}

fn hook_answers() -> Vec<HookAnswer> {
    let (result, completes) = (Some(object()), true);
    vec![
        HookAnswer::NoOpinion,
        HookAnswer::Proceed { ruling: Some(Box::new(ruling())) },
        HookAnswer::Reject { fault: fault(), result, completes },
        HookAnswer::Replace { payload: inline(), completes },
        HookAnswer::Wait { result: object() },
        HookAnswer::Message { messages: vec![message()], record: object() },
        HookAnswer::Complete { reason: "done".into(), record: object() },
        HookAnswer::Note { value: json!({ "text": MARK }) },
        HookAnswer::Failed { fault: fault() },
    ]
}

fn outcomes() -> Vec<Outcome> {
    let change_set = ChangeSet {
        artifact: artifact(),
        digest: Digest::of(b"set"),
        base: Digest::of(b"base"),
        paths: vec![ChangedPath { path: "a.txt".into(), ruling: ruling() }],
    };
    vec![
        Outcome::Completed { result: inline(), goal: false, satisfying: false },
        Outcome::Failed { fault: fault(), result: inline() },
        Outcome::TimedOut { ms: 5 },
        Outcome::Stopped,
        Outcome::Lost { gone: true, probe: Probe::Done, result: Some(inline()) },
        Outcome::NotStarted { code: "secrets_lost".into() },
        Outcome::Stale { what: MARK.into() },
        Outcome::Proposed { change_set },
        Outcome::InputRequired { request: inline(), state: Payload::Artifact(artifact()) },
    ]
}

fn notes() -> Vec<Note> {
    vec![
        Note::Process { host: "host".into(), pid: 4, start: 5, handle: "scope".into() },
        Note::Remote { handle: "job-7".into() },
        Note::Posture { posture: json!({ "text": MARK }) },
        Note::Progress { title: MARK.into(), done: 1, of: Some(2) },
        Note::Output { artifact: artifact() },
    ]
}

fn wait_kinds() -> Vec<WaitKind> {
    vec![
        WaitKind::Approval { change_set: Some(Digest::of(b"set")) },
        WaitKind::InDoubt { cause: "lost".into() },
        WaitKind::Client,
        WaitKind::Question,
        WaitKind::Input,
        WaitKind::Child { run: "run_child".parse().unwrap() },
        WaitKind::Timer,
        WaitKind::Signal { name: "built".into() },
    ]
}

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
            continuation: vec![message()],
            records: object(),
            metadata: object(),
        })),
    }
}

fn declaration() -> Declaration {
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
