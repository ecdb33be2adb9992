//! Every input that a run can get, as it would be about the action 1.0 of a run.

use provost_engine::Verdict::Allow;
use provost_engine::event::*;
use provost_engine::{
    ActionId, Args, Covers, Digest, Fault, Input, ModelResponse, Payload, Ruling, StandingApproval, Time,
    Usage, Verdict,
};
use serde_json::json;

use crate::world::{RUN, World, cancel, done, failed, id, message, person, proposed, result, verdicts};

/// Every input, with its name in the table.
pub(crate) fn inputs(world: &World) -> Vec<(String, Input)> {
    let mut inputs = vec![("claimed".to_owned(), world.claim()), ("tick".to_owned(), Input::Tick)];
    inputs.extend(model(world));
    inputs.extend(outcomes(world));
    inputs.extend(others(world));
    inputs.extend(signals(world));
    inputs.extend(hooks());
    inputs
}

fn model(world: &World) -> Vec<(String, Input)> {
    let malformed = Parsed::Malformed { fault: Fault::new("malformed", "It cannot be read.") };
    let malformed = ModelResponse { declaration: Some(malformed), ..ModelResponse::default() };
    let step = crate::world::step("read", ExecutorKind::Tool, crate::world::reads());
    let acts = if world.state.is_protocol() { world.acts(vec![step]) } else { world.calls(&["read"]) };
    let named = [
        ("model: answer", world.says("Done.")),
        ("model: one action", acts),
        ("model: malformed", world.responds(malformed)),
        ("model: fault, to be retried", world.fails(Some(500))),
        ("model: fault", world.fails(None)),
    ];
    named.map(|(name, input)| (name.to_owned(), input)).into()
}

fn outcomes(world: &World) -> Vec<(String, Input)> {
    let lost = |gone| Outcome::Lost { gone, probe: Probe::Unknown, result: None };
    let named = [
        ("outcome: completed", done()),
        ("outcome: failed", failed()),
        ("outcome: timed out", Outcome::TimedOut { ms: 5 }),
        ("outcome: stopped", Outcome::Stopped),
        ("outcome: lost, gone", lost(true)),
        ("outcome: lost", lost(false)),
        ("outcome: not started", Outcome::NotStarted { code: "stopped".into() }),
        ("outcome: stale", Outcome::Stale { what: "file".into() }),
        ("outcome: proposed", proposed(&[Allow])),
        (
            "outcome: input required",
            Outcome::InputRequired { request: Payload::inline("Which?"), state: Payload::default() },
        ),
    ];
    let mut inputs: Vec<(String, Input)> =
        named.map(|(name, outcome)| (name.to_owned(), world.ends("1.0", outcome))).into();
    let Input::Outcome { action, attempt, outcome, usage } = world.ends("1.0", done()) else { return inputs };
    let other = Input::Outcome { action, attempt: attempt + 1, outcome, usage };
    inputs.push(("outcome: of another attempt".to_owned(), other));
    let recovered = [
        ("recovered: gone", true, Probe::Unknown),
        ("recovered: may still run", false, Probe::Unknown),
        ("recovered: done by its key", true, Probe::Done),
        ("recovered: not done by its key", true, Probe::NotDone),
    ];
    inputs.extend(recovered.map(|(name, gone, probe)| (name.to_owned(), world.recovers("1.0", gone, probe))));
    inputs
}

fn others(world: &World) -> Vec<(String, Input)> {
    let action = id("1.0");
    let attempt = world.state.action(action).map_or(0, |action| action.attempt);
    let note = Note::Remote { handle: "job-7".into() };
    let call = ActionSpec::new(ActionId { declaration: 0, index: 0 }, "test/read", ExecutorKind::Tool);
    let preview = |preview| Input::Preview { action, preview, expect: Vec::new() };
    let fault = Fault::new("no_such_file", "There is no such file.");
    let named = [
        ("note", Input::Note { action, attempt, note }),
        ("bridge: a call of the program", Input::Bridge { action, attempt, number: 1, call: Box::new(call) }),
        ("preview", preview(Ok(Payload::inline("diff")))),
        ("preview: it would fail", preview(Err(fault))),
    ];
    named.map(|(name, input)| (name.to_owned(), input)).into()
}

fn signals(world: &World) -> Vec<(String, Input)> {
    let mut world = world.clone();
    let reason = String::new;
    let decide = |choice| Signal::Decide { action: id("1.0"), choice, reason: reason() };
    let grant = StandingApproval {
        scope: "scope".into(),
        tool: "tool".into(),
        covers: Covers::Tool,
        until: None,
        action: None,
        by: person(),
        at: Time(1),
        run: RUN.parse().unwrap(),
        reason: None,
    };
    let standing = |grant| Signal::Standing { scope: "scope".into(), grant };
    let budgets = [("turns".to_owned(), 20)].into();
    let named = vec![
        ("message: supersede", message(MessageMode::Supersede, false)),
        ("message: supersede, leaves doubt", message(MessageMode::Supersede, true)),
        ("message: enqueue", message(MessageMode::Enqueue, false)),
        ("message: steer", message(MessageMode::Steer, false)),
        ("cancel", cancel()),
        ("cancel 1.0", Signal::Cancel { actions: Some(vec![id("1.0")]), reason: reason() }),
        ("resume", Signal::Resume { budgets, reason: reason(), declaration: None }),
        ("resume with a declaration", {
            let (budgets, declaration) = ([].into(), Some(submission()));
            Signal::Resume { budgets, reason: reason(), declaration }
        }),
        ("submit", Signal::Submit { declaration: submission() }),
        ("decide: retry", decide(Choice::Retry)),
        ("decide: skip", decide(Choice::Skip)),
        ("decide: accept", decide(Choice::Accept)),
        ("external", Signal::External { name: "built".into(), payload: json!({ "ok": true }) }),
        ("standing: grant", standing(Some(Box::new(grant)))),
        ("standing: revoke", standing(None)),
    ];
    let mut inputs: Vec<(String, Input)> =
        named.into_iter().map(|(name, body)| (name.to_owned(), world.signal(body))).collect();
    // The only wait that is open, or the first one, which was settled or never opened.
    let (number, binding) =
        world.state.waits.first_key_value().map_or((1, Digest::ZERO), |(n, w)| (*n, w.binding));
    for (name, answer) in answers(binding) {
        inputs.push((format!("answer: {name}"), world.reply(number, answer)));
    }
    inputs
}

/// A declaration from outside that adds a read.
fn submission() -> Box<Declaration> {
    let add = vec![crate::world::step("read", ExecutorKind::Tool, crate::world::reads())];
    Box::new(Declaration { intent: "act".into(), add, ..Declaration::default() })
}

fn answers(binding: Digest) -> Vec<(&'static str, Answer)> {
    let edit = Some(Args::open(provost_contract::json::into_object(json!({ "edited": true }))));
    let reject = Decision::Reject { reason: "No.".into() };
    let (payload, reason) = (Payload::inline("line 17"), String::new);
    vec![
        ("approve", verdicts("1.0", Decision::Approve { edit: None }, binding)),
        ("approve with other arguments", verdicts("1.0", Decision::Approve { edit }, binding)),
        ("reject", verdicts("1.0", reject, binding)),
        ("again", Answer::Again { reason: reason() }),
        ("leave", Answer::Leave { reason: reason() }),
        ("happened", Answer::Happened { payload, reason: reason() }),
        ("result, completed", result(ActionEnd::Completed)),
        ("result, failed", result(ActionEnd::Failed)),
        ("expired", Answer::Expired),
    ]
}

/// What a hook can say.
pub(crate) fn hook_answers() -> Vec<(&'static str, HookAnswer)> {
    let fault = || Fault::new("refused", "Not now.");
    let ask = Some(Box::new(Ruling::new(Verdict::Ask, "hook", "policy_hook")));
    let message = std::sync::Arc::new(provost_contract::Message::text("user", "And this."));
    let object = serde_json::Map::new;
    vec![
        ("no opinion", HookAnswer::NoOpinion),
        ("proceed", HookAnswer::Proceed { ruling: None }),
        ("proceed, ask", HookAnswer::Proceed { ruling: ask }),
        ("reject", HookAnswer::Reject { fault: fault(), result: None, completes: false }),
        ("reject, completes", HookAnswer::Reject { fault: fault(), result: None, completes: true }),
        (
            "replace",
            HookAnswer::Replace { payload: Payload::inline(json!({ "success": true })), completes: false },
        ),
        ("wait", HookAnswer::Wait { result: object() }),
        ("message", HookAnswer::Message { messages: vec![message], record: object() }),
        ("complete", HookAnswer::Complete { reason: "done".into(), record: object() }),
        ("note", HookAnswer::Note { value: json!({ "seen": true }) }),
        ("resolved", HookAnswer::Resolved { args: Args::open(object()), items: Vec::new() }),
        ("failed", HookAnswer::Failed { fault: fault() }),
    ]
}

/// Answers of hooks that were not asked.
fn hooks() -> Vec<(String, Input)> {
    let subject = Subject::Action { action: id("1.0") };
    let named = hook_answers().into_iter().map(|(name, answer)| {
        (format!("hook: {name}"), Input::Hook { hook: Hook::Mediate, subject, answer })
    });
    named.collect()
}

/// Every variant of `Input` has a name in the table; a new one does not compile until it is listed here.
pub(crate) fn variant(input: &Input) -> &'static str {
    match input {
        Input::Claimed { .. } => "claimed",
        Input::Signals(_) => "signals",
        Input::Model { .. } => "model",
        Input::Hook { .. } => "hook",
        Input::Preview { .. } => "preview",
        Input::Outcome { usage: Usage(_), .. } => "outcome",
        Input::Note { .. } => "note",
        Input::Recovered { .. } => "recovered",
        Input::Bridge { .. } => "bridge",
        Input::Tick => "tick",
    }
}
