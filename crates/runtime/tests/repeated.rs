//! A call that never ran before the process died, and what was forbidden since.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use provost_policy::{ActionPolicy, HookAnswer};
use provost_runtime::RunId;
use provost_runtime::driver::{Executors, Host, Resume, Run, Start};
use provost_runtime::memory::{ManualClock, Storage};
use provost_runtime::port::{
    Boxed, Epoch, ExecutorError, MediatedCall, Model, ModelError, PolicyProvider, Recalled, Ruling,
    ToolAction, ToolExecutor, TurnAnswer, TurnRequest,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

struct Once;

impl Model for Once {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let call = json!({ "id": "call", "name": "kb/put", "parameters": {} });
        let calls = if request.turn == 1 { vec![call] } else { Vec::new() };
        Box::pin(async move { Ok(TurnAnswer::Host(json!({ "content": "", "tool_calls": calls }))) })
    }
}

/// Is stopped before it does anything the first time, and knows it.
#[derive(Default)]
struct Putter {
    asked: AtomicUsize,
    began: Notify,
}

impl ToolExecutor for Putter {
    fn execute<'a>(&'a self, _: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        Box::pin(async move {
            if self.asked.fetch_add(1, Ordering::Relaxed) == 0 {
                self.began.notify_one();
                std::future::pending::<()>().await;
            }
            Ok(json!("put"))
        })
    }

    fn recall<'a>(&'a self, _: ToolAction<'a>) -> Boxed<'a, Recalled> {
        Box::pin(async { Recalled::NotDone })
    }
}

/// Allows everything until it does not.
#[derive(Default)]
struct Changing(AtomicBool);

impl PolicyProvider for Changing {
    fn rule<'a>(&'a self, _: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        let policy =
            if self.0.load(Ordering::Relaxed) { ActionPolicy::Forbidden } else { ActionPolicy::Direct };
        Box::pin(async move { Ok(Some(Ruling::new(policy, "today", "the rules of today".to_owned()))) })
    }
}

/// How often the executor was asked, when the process died in its first attempt and another goes on.
async fn asked(forbidden_since: bool) -> usize {
    let (journal, putter, policy) =
        (Storage::new(), Arc::new(Putter::default()), Arc::new(Changing::default()));
    let mut host = Host::new(Arc::new(ManualClock::at(1_000)), Arc::new(Once));
    host.executors = Some(Executors::new(putter.clone()));
    host.policy = Some(policy.clone());
    let declarations = json!({ "kb/put": { "name": "kb/put", "description": "Puts." } });
    let options = json!({ "max_turns": 2, "tool_declarations": declarations });
    let start = Start::read(&[], options.as_object().unwrap(), &host).unwrap();
    let run: RunId = "run_repeated".parse().unwrap();
    tokio::select! {
        _ = Run::drive(&host, &*journal, run.clone(), Epoch::NONE, start) => unreachable!("it waits for ever"),
        () = putter.began.notified() => {}
    }
    policy.0.store(forbidden_since, Ordering::Relaxed);
    Run::resume(&host, &*journal, run, Epoch::NONE, Resume::default()).await.unwrap();
    putter.asked.load(Ordering::Relaxed)
}

#[tokio::test]
async fn what_was_forbidden_since_is_not_done_after_all() {
    assert_eq!(asked(true).await, 1);
    assert_eq!(asked(false).await, 2, "it is done when nobody forbids it");
}
