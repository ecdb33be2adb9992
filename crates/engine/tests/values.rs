//! Values that events carry, every field filled and a mark in every word.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::action::{ConditionStatus, OnFailure, Repeat, Resource, ResultPolicy};
use provost_contract::json::{Object, into_object};
use provost_engine::event::*;
use provost_engine::{
    ActionId, Actor, ActorKind, ActorOrigin, Args, ArtifactRef, Covers, Digest, Fault, Payload, Ruling,
    RunId, Seq, SignalId, StandingApproval, Time, Usage, Verdict, WaitId, WorldEffect,
};
use serde_json::json;

/// What stands in every word, and must stand in no fact.
pub(crate) const MARK: &str = "WORDMARK";

pub(crate) fn run() -> RunId {
    "run_sample".parse().unwrap()
}

pub(crate) fn id(declaration: u32, index: u32) -> ActionId {
    ActionId { declaration, index }
}

pub(crate) fn wait() -> WaitId {
    WaitId { run: run(), number: 1 }
}

pub(crate) fn person() -> Actor {
    Actor::new(ActorKind::Person, "user:ada").via("cli").from_origin(ActorOrigin {
        uid: Some(1000),
        terminal: Some("/dev/pts/1".into()),
        process: Some("host/7/8".into()),
        started_by_a_run: Some("run_other".into()),
    })
}

pub(crate) fn message() -> Arc<Message> {
    Arc::new(Message::text("user", MARK))
}

pub(crate) fn object() -> Object {
    into_object(json!({ "key": MARK }))
}

pub(crate) fn inline() -> Payload {
    Payload::inline(json!({ "text": MARK }))
}

pub(crate) fn artifact() -> ArtifactRef {
    ArtifactRef {
        digest: Digest::of(b"a"),
        size: 1,
        media: "text/plain".into(),
        excerpt: MARK.into(),
        truncated: None,
    }
}

pub(crate) fn fault() -> Fault {
    Fault { code: "code".into(), message: MARK.into(), fields: object() }
}

pub(crate) fn args() -> Args {
    Args { redacted: object(), raw: Digest::of(b"raw"), hides: true }
}

pub(crate) fn ruling() -> Ruling {
    let ruling = Ruling::new(Verdict::Ask, "rule", "source").because(MARK);
    Ruling { inputs: object(), person_only: true, ..ruling }
}

pub(crate) fn usage() -> Usage {
    Usage::of("tokens", 7)
}

pub(crate) fn unprepared() -> Unprepared {
    Unprepared { code: "tool_not_found".into(), result: object() }
}

pub(crate) fn standing() -> StandingApproval {
    let reason = Some(MARK.to_owned());
    StandingApproval {
        scope: "scope".into(),
        tool: "tool".into(),
        covers: Covers::Place("src".into()),
        until: Some(Time(9)),
        by: person(),
        at: Time(1),
        run: run(),
        action: Some(id(1, 0)),
        reason,
    }
}

/// An action with every field filled; `depth` levels of steps below it.
pub(crate) fn spec(id_: ActionId, depth: u32) -> ActionSpec {
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
        resolves: true,
        each: Some(Each { list: "action:list.output".into(), max: 3 }),
    }
}

pub(crate) fn step(depth: u32) -> Step {
    Step {
        spec: spec(id(0, 0), depth),
        depends_on: vec![0],
        when: vec![(0, ConditionStatus::Completed)],
        earlier: vec![id(1, 0)],
    }
}

pub(crate) fn assignment() -> Assignment {
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

pub(crate) fn run_spec() -> RunSpec {
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
        budgets_used: BTreeMap::from([("turns".to_owned(), 1)]),
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

pub(crate) fn answers() -> Vec<Answer> {
    let verdicts = BTreeMap::from([
        (id(1, 0), Decision::Approve { edit: Some(args()) }),
        (id(1, 1), Decision::Reject { reason: MARK.into() }),
    ]);
    let covers = Covers::Place("src".into());
    let remember = Some(Remember { lasts: Lasts::Until(Time(1)), covers });
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

pub(crate) fn signals() -> Vec<Signal> {
    let reason = || MARK.to_owned();
    let message = Signal::Message { message: message(), mode: MessageMode::Steer, leaves_doubt: true };
    let budgets = BTreeMap::from([("turns".to_owned(), 20)]);
    let mut signals = vec![
        message,
        Signal::Cancel { actions: Some(vec![id(1, 0)]), reason: reason() },
        Signal::Resume {
            budgets,
            reason: reason(),
            declaration: Some(Box::new(crate::sample::declaration())),
        },
        Signal::Submit { declaration: Box::new(crate::sample::declaration()) },
        Signal::Decide { action: id(1, 0), choice: Choice::Retry, reason: reason() },
        Signal::External { name: "built".into(), payload: json!({ "text": MARK }) },
        Signal::Standing { scope: "scope".into(), grant: Some(Box::new(standing())) },
    ];
    signals.extend(answers().into_iter().map(|answer| Signal::Answer { wait: wait(), answer }));
    signals
}

pub(crate) fn stops() -> Vec<Stop> {
    vec![
        Stop::Completed { by: "mediator".into() },
        Stop::Budget { name: "turns".into(), dimension: "turns".into(), used: 4, limit: 4 },
        Stop::Stalled { signature: json!({ "tool": MARK }), count: 3 },
        Stop::Interrupted { code: "crash_loop".into(), message: Some(message()) },
        Stop::Failed { fault: fault() },
        Stop::Cancelled { signal: SignalId(1) },
    ]
}

pub(crate) fn hook_answers() -> Vec<HookAnswer> {
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
        HookAnswer::Resolved { args: args(), items: vec![args()] },
        HookAnswer::Failed { fault: fault() },
    ]
}

pub(crate) fn outcomes() -> Vec<Outcome> {
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

pub(crate) fn notes() -> Vec<Note> {
    vec![
        Note::Process { host: "host".into(), pid: 4, start: 5, handle: "scope".into() },
        Note::Remote { handle: "job-7".into() },
        Note::Posture { posture: json!({ "text": MARK }) },
        Note::Progress { title: MARK.into(), done: 1, of: Some(2) },
        Note::Output { artifact: artifact() },
    ]
}

pub(crate) fn wait_kinds() -> Vec<WaitKind> {
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
