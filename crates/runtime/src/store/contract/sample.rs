//! Sample values for the promises.

use std::fmt::Debug;
use std::str::FromStr;
use std::sync::Arc;

use provost_engine::{
    Actor, ActorKind, AnswerPost, Commit, Digest, Epoch, NewRun, Record, Release, RowChange, RunId, Seq,
    SessionEntry, SessionId, SessionTake, SessionWrite, SignalPost, Time, Unchained, WaitId, WaitRow,
    WaitSettlement, WhenBusy, WorkerId,
};
use serde_json::json;

use super::Subject;
use crate::store::{About, ClaimFilter, CommitError, Committed, NewSession, RunRow};

/// A lease that no promise outlives by accident.
pub(super) const TTL_MS: u64 = 60_000;

/// Returns what must have worked.
#[expect(clippy::expect_used, reason = "only tests call it")]
pub(super) fn must<T, E: Debug>(result: Result<T, E>) -> T {
    result.expect("the store refused what it must do")
}

/// Returns why something was refused that must be.
#[expect(clippy::expect_used, reason = "only tests call it")]
pub(super) fn refused<T: Debug, E>(result: Result<T, E>) -> E {
    result.expect_err("the store did what it must refuse")
}

/// Returns what must be there.
#[expect(clippy::expect_used, reason = "only tests call it")]
pub(super) fn some<T>(value: Option<T>) -> T {
    value.expect("the store does not have what it must have")
}

pub(super) fn id<T: FromStr<Err: Debug>>(text: &str) -> T {
    must(text.parse())
}

pub(super) fn run(name: &str) -> RunId {
    id(name)
}

pub(super) fn ada() -> Actor {
    Actor::new(ActorKind::Person, "user:ada").via("test")
}

/// Returns records behind a position, one of each kind, chained.
pub(super) fn records(run: &RunId, epoch: Epoch, after: (Seq, Digest), kinds: &[&str]) -> Vec<Record> {
    let mut previous = after.1;
    let chain = kinds.iter().zip(1..).map(|(kind, offset)| {
        let unchained = Unchained {
            seq: after.0.plus(offset),
            at: Time(7),
            epoch,
            actor: r#"{"kind":"runtime"}"#.into(),
            kind: (*kind).into(),
            version: 1,
            facts: format!("{{\"n\":{offset}}}").into(),
            words: "{\"text\":\"č 🌱 \\u0000\"}".into(),
        };
        let record = unchained.chain(run, previous);
        previous = record.hash;
        record
    });
    chain.collect()
}

/// Returns a run that begins, in workspace `site:1`.
pub(super) fn new_run(name: &str) -> NewRun {
    let run = run(name);
    NewRun {
        root: run.clone(),
        parent: None,
        workspace: "site:1".to_owned(),
        agent: "coach".to_owned(),
        agent_digest: Digest::of(b"agent"),
        queue: String::new(),
        priority: 0,
        not_before: None,
        records: records(&run, Epoch(0), (Seq(0), Digest::ZERO), &["run_accepted"]),
        summary: json!({"title": name}),
        session: None,
        dedupe: None,
        artifacts: Vec::new(),
        run,
    }
}

/// Returns a run that takes a session with its input as the first entry.
pub(super) fn start(name: &str, session: &str, version: u64, busy: WhenBusy) -> NewRun {
    let entries = vec![SessionEntry { seq: Seq(1), kind: "run_accepted".to_owned() }];
    NewRun { session: Some(SessionTake { session: id(session), version, busy, entries }), ..new_run(name) }
}

/// Returns a child of a run.
pub(super) fn child(name: &str, parent: &RunId) -> NewRun {
    NewRun { root: parent.clone(), parent: Some(parent.clone()), ..new_run(name) }
}

pub(super) fn new_session(name: &str) -> NewSession {
    NewSession {
        session: id(name),
        workspace: "site:1".to_owned(),
        owner: "user:ada".to_owned(),
        agent: "coach".to_owned(),
        context: "chat".to_owned(),
        title: None,
        metadata: json!({"token_id": "t1"}),
    }
}

pub(super) fn wait(run: &RunId, number: u32) -> WaitRow {
    WaitRow {
        wait: WaitId { run: run.clone(), number },
        root: run.clone(),
        path: String::new(),
        workspace: "site:1".to_owned(),
        kind: "approval".to_owned(),
        actions: vec![id("1.0")],
        due: None,
        on_due: json!({"verdict": "expired"}),
        ask: json!({"tool": "delete"}),
        schema: Some(json!({"type": "object"})),
        binding: Digest::of(b"asked"),
        may_answer: Vec::new(),
        supersedable: true,
    }
}

pub(super) fn settle(wait: &WaitRow, how: &str) -> WaitSettlement {
    WaitSettlement { wait: wait.wait.clone(), how: how.to_owned(), by: ada() }
}

pub(super) fn signal(run: &RunId, key: Option<&str>) -> SignalPost {
    let body = json!({"type": "message", "text": "hello"});
    SignalPost { run: run.clone(), key: key.map(str::to_owned), from: ada(), body }
}

pub(super) fn answer(wait: &WaitRow) -> AnswerPost {
    AnswerPost {
        wait: wait.wait.clone(),
        by: ada(),
        binding: Some(wait.binding),
        answer: json!({"verdict": "approve"}),
        sealed: Vec::new(),
    }
}

pub(super) fn row(status: &str, release: Release) -> RowChange {
    let summary = json!({"status": status});
    RowChange { status: status.to_owned(), due: None, release, ended: false, summary }
}

pub(super) fn ended(status: &str) -> RowChange {
    RowChange { ended: true, ..row(status, Release::Rest) }
}

/// A claimed run as its writer knows it.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) run: RunId,
    pub(super) epoch: Epoch,
    pub(super) head: Seq,
    hash: Digest,
}

impl Held {
    /// Returns a commit of records and nothing else.
    pub(super) fn commit(&self, kinds: &[&str]) -> Commit {
        Commit {
            run: self.run.clone(),
            epoch: self.epoch,
            expected: self.head,
            records: records(&self.run, self.epoch, (self.head, self.hash), kinds),
            row: None,
            waits_opened: Vec::new(),
            waits_settled: Vec::new(),
            signals_taken: None,
            signals_posted: Vec::new(),
            answers: Vec::new(),
            runs_accepted: Vec::new(),
            session: None,
            artifacts: Vec::new(),
            standing: Vec::new(),
            sealed_put: Vec::new(),
            sealed_delete: Vec::new(),
        }
    }

    /// Returns a commit that appends an entry to a session.
    pub(super) fn commit_to(&self, session: &str, release: bool) -> Commit {
        let entries = vec![SessionEntry { seq: self.head.plus(1), kind: "run_ended".to_owned() }];
        let session = SessionWrite {
            session: id::<SessionId>(session),
            entries,
            release,
            provider_response_id: Some(Some("resp_1".to_owned())),
        };
        let row = release.then(|| ended("failed"));
        Commit { session: Some(session), row, ..self.commit(&["run_ended"]) }
    }

    /// Commits and moves on.
    pub(super) async fn write(&mut self, subject: &Subject, commit: Commit) {
        let last = commit.records.last().map_or(self.hash, |record| record.hash);
        let done = must(self.send(subject, commit).await);
        assert!(!done.already);
        (self.head, self.hash) = (done.head, last);
    }

    pub(super) async fn send(&self, subject: &Subject, commit: Commit) -> Result<Committed, CommitError> {
        subject.store.commit(Arc::new(commit)).await
    }

    /// Commits and checks that the refusal left every table as it was.
    pub(super) async fn refuse(&self, subject: &Subject, commit: Commit) -> CommitError {
        let before = subject.everything().await;
        let error = refused(self.send(subject, commit).await);
        assert_eq!(subject.everything().await, before, "a refused commit wrote something: {error}");
        error
    }
}

impl Subject {
    /// Registers a worker; a second time is ignored.
    pub(super) async fn worker(&self, name: &str) -> WorkerId {
        let worker: WorkerId = id(name);
        let about = About { machine: "m".to_owned(), pid: 7, start: 9 };
        let _ = self.store.register(worker.clone(), about, TTL_MS).await;
        worker
    }

    /// Accepts a run and claims it.
    pub(super) async fn begin(&self, new: NewRun) -> Held {
        let run = new.run.clone();
        must(self.store.accept(new).await);
        self.claim(&run, "w1").await
    }

    /// Claims one run.
    pub(super) async fn claim(&self, run: &RunId, worker: &str) -> Held {
        some(self.try_claim(run, worker).await)
    }

    pub(super) async fn try_claim(&self, run: &RunId, worker: &str) -> Option<Held> {
        let worker = self.worker(worker).await;
        let filter = ClaimFilter { runs: Some(Arc::new([run.clone()].into())), ..ClaimFilter::default() };
        let mut claimed = must(self.store.claim_due(worker, filter, 1).await);
        let claimed = claimed.pop().filter(|claimed| claimed.run == *run)?;
        let hash = self.row(run).await.head_hash;
        Some(Held { run: claimed.run, epoch: claimed.epoch, head: claimed.head, hash })
    }

    pub(super) async fn row(&self, run: &RunId) -> RunRow {
        some(must(self.store.run(run.clone()).await)).row
    }

    /// Renders what the store holds, to compare before and after.
    pub(super) async fn everything(&self) -> String {
        use crate::store::{RunFilter, SessionFilter, WaitFilter, WaitState};
        let runs = must(self.store.runs(RunFilter::default(), None, 1_000).await);
        let waits = WaitFilter { state: WaitState::Any, ..WaitFilter::default() };
        let waits = must(self.store.waits(waits, None, 1_000).await);
        let sessions = must(self.store.sessions(SessionFilter::default(), None, 1_000).await);
        let mut text = format!(
            "{runs:?} {waits:?} {sessions:?} {:?}",
            self.store.stats().await.map(|mut stats| {
                stats.disk_bytes = 0;
                stats
            })
        );
        for run in &runs.items {
            let run = run.row.run.clone();
            let journal = must(self.store.journal(run.clone(), Seq(0), 1_000).await);
            let signals = must(self.store.signals(run, provost_engine::SignalId(0), 1_000).await);
            text.push_str(&format!("{journal:?} {signals:?}"));
        }
        for session in &sessions.items {
            let entries = self.store.session_entries(session.about.session.clone(), 0, 1_000).await;
            text.push_str(&format!("{:?}", must(entries)));
        }
        text.push_str(&format!("{:?}", must(self.store.standing("site:1".to_owned()).await)));
        text
    }
}
