//! Events that cannot follow: the fold refuses each by name, and its state is as it was.

use provost_engine::event::*;
use provost_engine::{
    ActionId, Digest, Epoch, Event, EventKind, Payload, Ruling, Seq, SignalId, Usage, Verdict, WaitId,
    WorldEffect,
};

use crate::sample;
use crate::stage::{runs, stages};
use crate::world::{RUN, World, id, message, person, proposed};

fn world(name: &str) -> World {
    let all = stages().into_iter().chain(runs());
    all.into_iter().find(|(found, _)| *found == name).unwrap_or_else(|| panic!("no stage {name}")).1
}

fn next(world: &World, kind: impl Into<EventKind>) -> Event {
    let (seq, epoch) = (world.state.seq.plus(1), world.state.epoch);
    Event { seq, epoch, at: world.now.wall, actor: person(), kind: kind.into(), erased: false }
}

/// Asserts that an event cannot follow, why, and that it changed nothing.
#[track_caller]
fn refused(world: &World, event: Event, why: &str) {
    let mut state = world.state.clone();
    let illegal = state.apply(&event).expect_err("it cannot follow");
    assert!(illegal.problem.contains(why), "{illegal}");
    assert!(state == world.state, "a refused event changed the state: {illegal}");
}

fn started(attempt: u32, phase: Phase) -> ActionStarted {
    ActionStarted {
        action: id("1.0"),
        attempt,
        round: 1,
        phase,
        key: Digest::of(b"key"),
        args: Digest::of(b"args"),
        resolved: None,
        ruling: Ruling::new(Verdict::Allow, "rule", "policy"),
        allowed_by: AllowedBy::Rule,
        expect: Vec::new(),
        input: None,
    }
}

fn ended(attempt: Option<u32>) -> ActionEnded {
    ActionEnded {
        action: id("1.0"),
        attempt,
        status: ActionEnd::Completed,
        satisfying: true,
        effect: WorldEffect::None,
        by: EndedBy::Executor,
        reason: "ok".into(),
        result: Payload::default(),
        summary: None,
        citations: Vec::new(),
        artifacts: Vec::new(),
        usage: Usage::default(),
        nudge: None,
        truncated: None,
    }
}

fn attempt_ended(attempt: u32, outcome: Outcome, next: Next) -> AttemptEnded {
    AttemptEnded { action: id("1.0"), attempt, outcome, usage: Usage::default(), next }
}

fn opened(number: u32, kind: WaitKind) -> WaitOpened {
    WaitOpened {
        wait: WaitId { run: RUN.parse().unwrap(), number },
        kind,
        actions: vec![id("1.0")],
        attempt: None,
        ask: Payload::default(),
        schema: None,
        binding: Digest::ZERO,
        may_answer: Vec::new(),
        supersedable: false,
        due: None,
        expect: Vec::new(),
        reserved: Usage::default(),
    }
}

fn settled(run: &str, number: u32) -> WaitSettled {
    WaitSettled {
        wait: WaitId { run: run.parse().unwrap(), number },
        how: Settlement::Withdrawn,
        by: person(),
        signal: None,
        answer: None,
        usage: Usage::default(),
    }
}

fn declared(declaration: u32, origin: Origin) -> DeclarationAccepted {
    DeclarationAccepted {
        declaration,
        origin,
        intent: "act".into(),
        add: Vec::new(),
        cancel: Vec::new(),
        replace: Vec::new(),
        decide: Vec::new(),
        answer: None,
        title: None,
        note: None,
        violations: Vec::new(),
        price: Usage::default(),
        signature: None,
    }
}

fn requested(request: u32) -> ModelRequested {
    ModelRequested {
        request,
        purpose: Purpose::Turn,
        turn: 1,
        attempt: 1,
        model: 0,
        reserved: Usage::default(),
        measure: Usage::default(),
        through: Seq(1),
        active_ms: 0,
    }
}

fn run_ended() -> RunEnded {
    RunEnded {
        status: EndStatus::Completed,
        satisfying: true,
        effect: WorldEffect::None,
        text: Payload::default(),
        output: None,
        usage: Usage::default(),
        handoff: None,
    }
}

#[test]
fn a_start_with_an_open_wait() {
    let waits = "it waits for an answer";
    for name in ["pending with an approval", "running with a client wait", "suspended with an input wait"] {
        let world = world(name);
        let attempt = world.state.action(id("1.0")).unwrap().attempt + 1;
        refused(&world, next(&world, started(attempt, Phase::Run)), waits);
    }
    let world = world("proposed with an approval");
    refused(&world, next(&world, started(2, Phase::Apply)), waits);
}

#[test]
fn a_start_of_an_action_that_has_ended() {
    for name in ["ended completed", "ended failed", "ended blocked (rejected)", "ended cancelled"] {
        let world = world(name);
        let attempt = world.state.action(id("1.0")).unwrap().attempt + 1;
        refused(&world, next(&world, started(attempt, Phase::Run)), "cannot start in stage Ended");
    }
}

#[test]
fn a_second_attempt_while_one_is_open() {
    let running = world("running (run), a write");
    refused(&running, next(&running, started(2, Phase::Run)), "cannot start in stage Running");
    let applying = world("running (apply)");
    refused(&applying, next(&applying, started(3, Phase::Apply)), "cannot start in stage Running");
}

#[test]
fn an_attempt_that_skips_a_number() {
    let world = world("pending, to be retried later");
    refused(&world, next(&world, started(3, Phase::Run)), "counted one by one");
    refused(&world, next(&world, started(1, Phase::Run)), "counted one by one");
}

#[test]
fn an_apply_without_a_change_set() {
    let world = world("pending, to be retried later");
    refused(&world, next(&world, started(2, Phase::Apply)), "cannot start in stage Pending");
}

#[test]
fn an_apply_that_is_judged_asked_or_run_again() {
    let world = world("running (apply)");
    let judged = attempt_ended(2, proposed(&[Verdict::Allow]), Next::Judge);
    refused(&world, next(&world, judged), "a begun apply");
    for next_ in [Next::Round, Next::Input, Next::AskAgain] {
        refused(&world, next(&world, attempt_ended(2, Outcome::Stopped, next_)), "a begun apply");
    }
}

#[test]
fn a_judgement_without_a_change_set() {
    let world = world("running (run), a transactional program");
    let judged = attempt_ended(1, Outcome::TimedOut { ms: 1 }, Next::Judge);
    refused(&world, next(&world, judged), "only a change set can be judged");
}

#[test]
fn an_end_with_an_open_wait() {
    let waits = "it waits for an answer";
    let pending = world("pending with an approval");
    refused(&pending, next(&pending, ended(None)), waits);
    let running = world("running with a client wait");
    refused(&running, next(&running, ended(Some(1))), waits);
    let attempt = attempt_ended(1, Outcome::Stopped, Next::Doubt);
    refused(&running, next(&running, attempt), waits);
}

#[test]
fn an_end_that_leaves_its_attempt_open_or_names_none() {
    let running = world("running (run), a write");
    refused(&running, next(&running, ended(None)), "its open attempt ends with it");
    refused(&running, next(&running, ended(Some(2))), "its open attempt ends with it");
    let pending = world("pending, behind 1.1");
    refused(&pending, next(&pending, ended(Some(1))), "its open attempt ends with it");
}

#[test]
fn any_event_about_a_completed_action() {
    let world = world("ended completed");
    let note = Note::Remote { handle: "job".into() };
    let decide = Signal::Decide { action: id("1.0"), choice: Choice::Retry, reason: String::new() };
    let decide = SignalTaken { signal: SignalId(9), from: person(), body: decide, ignored: None };
    let kinds: [(EventKind, &str); 6] = [
        (started(2, Phase::Run).into(), "Ended"),
        (ActionNoted { action: id("1.0"), attempt: 1, note }.into(), "is not open"),
        (attempt_ended(1, Outcome::Stopped, Next::Doubt).into(), "is not open"),
        (ended(None).into(), "it has ended"),
        (opened(1, WaitKind::Approval { change_set: None }).into(), "Ended"),
        (decide.into(), "has not failed"),
    ];
    for (kind, why) in kinds {
        refused(&world, next(&world, kind), why);
    }
}

#[test]
fn a_wait_on_an_ended_action_or_in_a_stage_that_does_not_ask() {
    for kind in [WaitKind::Client, WaitKind::Input, WaitKind::InDoubt { cause: "lost".into() }] {
        let failed = world("ended failed");
        refused(&failed, next(&failed, opened(1, kind.clone())), "Ended");
        let pending = world("pending, behind 1.1");
        refused(&pending, next(&pending, opened(1, kind)), "Pending");
    }
    let running = world("running (run), a write");
    refused(&running, next(&running, opened(1, WaitKind::Approval { change_set: None })), "Running");
}

#[test]
fn a_second_wait_a_skipped_number_and_a_wait_on_nothing() {
    let waiting = world("pending with an approval");
    refused(&waiting, next(&waiting, opened(2, WaitKind::Approval { change_set: None })), "waits already");
    refused(&waiting, next(&waiting, opened(3, WaitKind::Client)), "counted one by one");
    let mut nothing = opened(2, WaitKind::Client);
    nothing.actions = vec![ActionId { declaration: 7, index: 0 }];
    refused(&waiting, next(&waiting, nothing), "there is no action");
}

#[test]
fn a_second_settlement_and_one_of_another_run() {
    let world = world("ended blocked (rejected)");
    refused(&world, next(&world, settled(RUN, 1)), "is not open");
    refused(&world, next(&world, settled("other", 1)), "another run");
}

/// The fold refuses it, and the engine never appends it: the model reads why.
#[test]
fn a_retry_by_the_model_of_what_is_blocked() {
    let world = world("ended blocked (rejected)");
    let decide = vec![(id("1.0"), Choice::Retry)];
    let declaration =
        Declaration { intent: "decide".into(), decide: decide.clone(), ..Declaration::default() };
    let input = world.declares(declaration);
    let responded = ModelResponded {
        request: 2,
        messages: Vec::new(),
        calls: Vec::new(),
        declaration: None,
        malformed: 0,
        finish: String::new(),
        usage: Usage::default(),
        provider: serde_json::Map::new(),
        output: None,
        host: None,
    };
    let mut unread = world.clone();
    let event = next(&unread, responded);
    unread.state.apply(&event).unwrap();
    let accepted = DeclarationAccepted { decide, ..declared(2, Origin::Declaration) };
    refused(&unread, next(&unread, accepted), "a model may retry only what failed");
    let row = world.when([input]);
    row.then(["ModelResponded 2", "ResponseRefused not_decidable", "ModelRequested 3"]).due(["Model 3"]);
}

#[test]
fn a_retry_by_the_model_of_what_is_in_doubt_asks_a_person() {
    let world = world("ended blocked (in doubt)");
    let decide = vec![(id("1.0"), Choice::Retry)];
    let input = world.declares(Declaration { intent: "decide".into(), decide, ..Declaration::default() });
    world
        .when([input])
        .then(["ModelResponded 2", "DeclarationAccepted decide", "WaitOpened w2 in_doubt [1.0]"])
        .due([]);
}

/// After the first decision nothing is left to decide about. The model reads that; the run goes on.
#[test]
fn decisions_that_contradict_each_other() {
    let mut first = crate::world::step("write", ExecutorKind::Tool, crate::world::writes());
    first.spec.on_failure = provost_contract::action::OnFailure::Retry.into();
    let mut second = crate::world::step("read", ExecutorKind::Tool, crate::world::reads());
    second.depends_on = vec![0];
    second.spec.on_failure = provost_contract::action::OnFailure::Continue.into();
    let world = World::protocol();
    let graph = world.acts(vec![first, second]);
    let world = world.after(graph);
    let failed = world.ends("1.0", crate::world::failed());
    let world = world.after(failed);
    for decide in [
        vec![(id("1.0"), Choice::Skip), (id("1.0"), Choice::Retry)],
        vec![(id("1.0"), Choice::Retry), (id("1.0"), Choice::Retry)],
    ] {
        let input = world.declares(Declaration { intent: "decide".into(), decide, ..Declaration::default() });
        world
            .clone()
            .when([input])
            .then(["ModelResponded 2", "ResponseRefused not_decidable", "ModelRequested 3"])
            .due(["Model 3"]);
    }
}

#[test]
fn a_declaration_that_reads_no_response_or_renumbers_actions() {
    let world = world("running (run), a write");
    refused(&world, next(&world, declared(2, Origin::ToolCall)), "no response");
    refused(&world, next(&world, declared(3, Origin::Task)), "counted one by one");
    let mut wrong = declared(2, Origin::Task);
    wrong.add = vec![std::sync::Arc::new(ActionSpec::new(id("1.0"), "read", ExecutorKind::Tool))];
    refused(&world, next(&world, wrong), "must be 2.0");
    let mut replaces = declared(2, Origin::Task);
    replaces.replace = vec![(id("1.0"), id("2.0"))];
    refused(&world, next(&world, replaces), "has begun");
}

#[test]
fn a_model_call_beside_another_or_with_open_calls_or_in_a_run_that_stops() {
    let asked = world("running, the model is asked");
    refused(&asked, next(&asked, requested(2)), "another model call is open");
    let calling = world("running, a call is made");
    refused(&calling, next(&calling, requested(2)), "a call of the turn has no result");
    let stopping = world("stopping");
    refused(&stopping, next(&stopping, requested(2)), "the run is stopping");
}

#[test]
fn an_end_of_a_run_with_open_work() {
    for (name, why) in [
        ("running, a call is made", "an action is open"),
        ("waiting", "an action is open"),
        ("running, the model is asked", "a model call is open"),
    ] {
        let world = world(name);
        refused(&world, next(&world, run_ended()), why);
    }
}

#[test]
fn anything_but_a_claim_and_a_signal_after_the_end() {
    let world = world("ended completed");
    let world = {
        let says = world.says("Done.");
        world.after(says)
    };
    for kind in sample::kinds() {
        if !matches!(kind.name(), "run_claimed" | "signal_taken") {
            refused(&world, next(&world, kind), "over");
        }
    }
    let body = message(MessageMode::Enqueue, false);
    let taken = SignalTaken { signal: SignalId(1), from: person(), body, ignored: None };
    refused(&world, next(&world, taken), "the run is over");
    let body = Signal::Resume { budgets: [].into(), reason: String::new(), declaration: None };
    let taken = SignalTaken { signal: SignalId(1), from: person(), body, ignored: None };
    refused(&world, next(&world, taken), "it cannot be resumed");
}

#[test]
fn a_gap_an_old_epoch_and_a_second_acceptance() {
    let world = world("running (run), a write");
    let gap = Event { seq: world.state.seq.plus(2), ..next(&world, ended(Some(1))) };
    refused(&world, gap, "does not follow event");
    let old = Event { epoch: Epoch(0), ..next(&world, ended(Some(1))) };
    refused(&world, old, "does not fit epoch");
    let claim = sample::kinds().into_iter().find(|kind| kind.name() == "run_claimed").unwrap();
    refused(&world, next(&world, claim), "does not fit epoch");
    refused(&world, next(&world, sample::kinds().remove(0)), "accepted once");
}

#[test]
fn an_answer_that_counts_is_a_settlement() {
    let world = world("pending with an approval");
    let wait = WaitId { run: RUN.parse().unwrap(), number: 1 };
    let body = Signal::Answer { wait, answer: Answer::Expired };
    let taken = SignalTaken { signal: SignalId(1), from: person(), body, ignored: None };
    refused(&world, next(&world, taken), "the settlement of its wait");
}

/// Whatever event is refused, in whatever stage, the state is as it was.
#[test]
fn a_refused_event_changes_nothing() {
    for (name, world) in stages().into_iter().chain(runs()) {
        for kind in sample::kinds() {
            let kind_name = kind.name();
            let mut state = world.state.clone();
            if state.apply(&next(&world, kind)).is_err() {
                assert!(state == world.state, "{name}: {kind_name}");
            }
        }
    }
}
