//! Runs of one session over what is stored of it: one works at a time, and what it said is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use provost_contract::WorkspaceScope;
use provost_contract::json::{Object, into_object};
use provost_contract::principal::ConversationOwner;
use provost_contract::session::{Continuation, NewSession, SessionUpdate};
use provost_runtime::driver::{Finished, Host, Resume, Run, Start};
use provost_runtime::engine::RunStatus;
use provost_runtime::memory::{ManualClock, Storage};
use provost_runtime::port::{
    Boxed, Epoch, LockError, Model, ModelError, SessionLock as _, Stores, TurnAnswer, TurnRequest,
};
use provost_runtime::session::{StoredLock, StoredTranscript};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinSet;

const SESSION: &str = "session-1";

/// Answers after a while, and counts how many of its turns were ever under way at once.
#[derive(Default)]
struct Slow {
    working: AtomicUsize,
    at_once: AtomicUsize,
}

impl Model for Slow {
    fn turn<'a>(&'a self, _request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async move {
            let working = self.working.fetch_add(1, Ordering::Relaxed) + 1;
            self.at_once.fetch_max(working, Ordering::Relaxed);
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            self.working.fetch_sub(1, Ordering::Relaxed);
            Ok(TurnAnswer::Host(json!({ "messages": [{ "role": "assistant", "content": "Watered." }] })))
        })
    }
}

struct Scene {
    stores: Stores,
    clock: Arc<ManualClock>,
    model: Arc<Slow>,
}

impl Scene {
    async fn new() -> Self {
        let stores = Storage::stores();
        let new = NewSession {
            workspace: WorkspaceScope::new("site", "1").unwrap(),
            owner: ConversationOwner::new("user", "7").unwrap(),
            agent_slug: "coach".to_owned(),
            context: "chat".to_owned(),
            metadata: into_object(json!({ "kept": true })),
        };
        stores.sessions.create(new.into_session(SESSION.to_owned(), 5)).await.unwrap();
        Self { stores, clock: Arc::new(ManualClock::at(1_000)), model: Arc::default() }
    }

    fn lock(&self) -> StoredLock {
        StoredLock { sessions: self.stores.sessions.clone(), clock: self.clock.clone() }
    }

    fn host(&self) -> Host {
        let mut host = Host::new(self.clock.clone(), self.model.clone());
        host.lock = Some(Arc::new(self.lock()));
        host.persister = Some(Arc::new(StoredTranscript {
            sessions: self.stores.sessions.clone(),
            clock: self.clock.clone(),
        }));
        host
    }

    async fn messages(&self) -> Vec<Value> {
        self.stores.sessions.get(SESSION).await.unwrap().unwrap().messages
    }

    /// Replaces what the session keeps.
    async fn say(&self, messages: &[Value]) {
        let update = SessionUpdate {
            messages: messages.to_vec(),
            metadata: Object::new(),
            provider: String::new(),
            model: String::new(),
            continuation: Continuation::Keep,
        };
        assert!(self.stores.sessions.update(SESSION, update, 7).await.unwrap());
    }

    async fn resume(&self, run: &str) {
        let (host, run) = (self.host(), run.parse().unwrap());
        Run::resume(&host, &*self.stores.journal, run, Epoch::NONE, Resume::default()).await.unwrap();
    }

    /// Drives a run of a session on its own.
    fn drive(&self, run: String, session: &'static str) -> impl Future<Output = Finished> + use<> {
        let (host, journal) = (self.host(), self.stores.journal.clone());
        async move {
            let options = into_object(json!({ "session_id": session }));
            let start = Start::read(&[json!({ "role": "user", "content": "Water." })], &options, &host);
            let run = run.parse().unwrap();
            Run::drive(&host, &*journal, run, Epoch::NONE, start.unwrap()).await.unwrap()
        }
    }
}

#[tokio::test]
async fn of_two_runs_of_a_session_one_works() {
    let scene = Scene::new().await;
    let mut runs = JoinSet::new();
    for number in 0..8 {
        runs.spawn(scene.drive(format!("run-{number}"), SESSION));
    }
    let ended: Vec<RunStatus> = runs.join_all().await.into_iter().map(|finished| finished.status).collect();
    assert_eq!(scene.model.at_once.load(Ordering::Relaxed), 1);
    let counted = |status| ended.iter().filter(|ended| **ended == status).count();
    assert_eq!(
        (counted(RunStatus::Completed), counted(RunStatus::TranscriptLockContention)),
        (1, 7),
        "{ended:?}"
    );
    let later = scene.drive("run-later".to_owned(), SESSION).await;
    assert_eq!(later.status, RunStatus::Completed, "a run that is over holds nothing");
}

#[tokio::test]
async fn a_run_that_died_takes_its_own_lock_again_and_no_other_does() {
    let scene = Scene::new().await;
    let token = scene.lock().acquire(SESSION, "run-1", 300).await.unwrap();
    assert_eq!(scene.lock().acquire(SESSION, "run-1", 300).await.unwrap(), token);
    assert_eq!(scene.lock().acquire(SESSION, "run-2", 300).await, Err(LockError::Contended));
    scene.clock.advance(300_000);
    let taken = scene.lock().acquire(SESSION, "run-2", 300).await.unwrap();
    assert_eq!(scene.lock().acquire(SESSION, "run-1", 300).await, Err(LockError::Contended), "it lapsed");
    scene.lock().release(SESSION, &token).await.unwrap();
    assert_eq!(scene.lock().acquire(SESSION, "run-2", 300).await.unwrap(), taken, "it is not run-1's");
}

#[tokio::test]
async fn the_transcript_is_kept_and_what_the_owner_noted_stays() {
    let scene = Scene::new().await;
    let finished = scene.drive("run-1".to_owned(), SESSION).await;
    let session = scene.stores.sessions.get(SESSION).await.unwrap().unwrap();
    assert_eq!(json!(session.messages), finished.result().unwrap()["messages"]);
    assert!(!session.messages.is_empty());
    assert_eq!(session.metadata, into_object(json!({ "kept": true })));
}

#[tokio::test]
async fn a_run_that_is_over_does_not_go_over_what_came_after_it() {
    let scene = Scene::new().await;
    scene.drive("run-1".to_owned(), SESSION).await;
    scene.drive("run-2".to_owned(), SESSION).await;
    scene.say(&[json!("of run-2")]).await;
    scene.resume("run-1").await;
    assert_eq!(scene.messages().await, [json!("of run-2")]);
}

#[tokio::test]
async fn a_run_that_died_with_its_session_keeps_its_transcript_and_lets_go() {
    let scene = Scene::new().await;
    let finished = scene.drive("run-1".to_owned(), SESSION).await;
    scene.say(&[]).await;
    scene.lock().acquire(SESSION, "run-1", 300).await.unwrap();
    scene.resume("run-1").await;
    assert_eq!(json!(scene.messages().await), finished.result().unwrap()["messages"]);
    assert_eq!(scene.stores.sessions.lock_token(SESSION).await.unwrap(), None);
}

#[tokio::test]
async fn a_session_nobody_made_cannot_be_held() {
    let scene = Scene::new().await;
    let finished = scene.drive("run-1".to_owned(), "nobody-made-it").await;
    assert_eq!(finished.status, RunStatus::TranscriptLockContention);
}

/// Says that it was asked, and answers when it may.
#[derive(Default)]
struct Thinker {
    began: Notify,
    end: Notify,
}

impl Model for Thinker {
    fn turn<'a>(&'a self, _request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async move {
            self.began.notify_one();
            self.end.notified().await;
            Ok(TurnAnswer::Host(json!({ "messages": [{ "role": "assistant", "content": "Thought." }] })))
        })
    }
}

/// Drives a run whose only turn takes as long as `meanwhile`.
async fn thinking(scene: &Scene, meanwhile: impl AsyncFnOnce()) -> RunStatus {
    let thinker = Arc::new(Thinker::default());
    let mut host = scene.host();
    host.model = thinker.clone();
    let start = Start::read(&[], &into_object(json!({ "session_id": SESSION })), &host).unwrap();
    let run = Run::drive(&host, &*scene.stores.journal, "run-1".parse().unwrap(), Epoch::NONE, start);
    let (finished, ()) = tokio::join!(run, async {
        thinker.began.notified().await;
        meanwhile().await;
        thinker.end.notify_one();
    });
    finished.unwrap().status
}

#[tokio::test]
async fn a_long_turn_keeps_hold_of_its_session() {
    let scene = Scene::new().await;
    let status = thinking(&scene, async || {
        for _ in 0..5 {
            scene.clock.advance(101_000);
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            let other = scene.lock().acquire(SESSION, "run-2", 300).await;
            assert_eq!(other, Err(LockError::Contended));
        }
    });
    assert_eq!(status.await, RunStatus::Completed);
    assert_eq!(scene.messages().await.len(), 1, "what it said is kept");
}

#[tokio::test]
async fn a_run_that_lost_its_session_writes_nothing_there() {
    let scene = Scene::new().await;
    scene.say(&[json!("of run-2")]).await;
    let status = thinking(&scene, async || {
        // The process was suspended: it could prolong nothing.
        scene.clock.advance(301_000);
        scene.lock().acquire(SESSION, "run-2", 300).await.unwrap();
    });
    assert_eq!(status.await, RunStatus::Completed);
    assert_eq!(scene.messages().await, [json!("of run-2")]);
    assert_eq!(scene.lock().acquire(SESSION, "run-3", 300).await, Err(LockError::Contended), "run-2 has it");
}
