//! The store as one worker sees it: it answers nothing once the worker is dead, and goes wrong where the play
//! says so.

use std::sync::Arc;
use std::time::Duration;

use provost_engine::{
    ActionId, AnswerPost, Commit, Digest, NewRun, Record, RunId, Seq, SessionId, SignalId, SignalPost,
    StandingApproval, Time, WaitId, WorkerId,
};
use provost_runtime::port::{Boxed, Fault};
use provost_runtime::store::{
    About, AcceptError, Accepted, AnswerError, Answered, ArtifactInfo, Beat, ClaimError, ClaimFilter,
    Claimed, CommitError, Committed, Entry, Erase, EraseError, Expired, Imported, ListedRun, NewSession,
    Page, PostError, Posted, Prune, PruneFilter, Pruned, RecentSession, RegisterError, ResumeError,
    RevokePost, RowProblem, RunCursor, RunFilter, Said, SayError, SayPost, SessionCursor, SessionError,
    SessionFilter, SessionRow, Signal, Store, StoreStats, Upload, Wait, WaitCursor, WaitFilter, Worker,
};
use tokio::sync::watch;
use tokio::time::Instant;

use super::fate::{Life, Place, Trouble};
use super::world::World;

/// How long a store that is gone stays away.
const AWAY: Duration = Duration::from_secs(60);

/// The store of one worker.
pub(super) struct MortalStore {
    pub(super) world: Arc<World>,
    pub(super) life: Arc<Life>,
}

/// How an operation goes on.
enum Verdict {
    Go,
    /// It is refused and nothing was written.
    Refuse(Fault),
    /// It is written, and the caller does not learn of it.
    Lose,
}

fn gone() -> Fault {
    Fault::Unknown("the connection broke".into())
}

impl MortalStore {
    fn inner(&self) -> &dyn Store {
        &*self.world.store
    }

    async fn gate(&self) -> (Verdict, Option<Trouble>) {
        let trouble = self.life.operate().await;
        if trouble == Some(Trouble::Gone) {
            self.world.store_gone_until(Instant::now() + AWAY);
        }
        if self.world.is_store_gone() {
            return (Verdict::Refuse(Fault::Failed("the store is away".into())), trouble);
        }
        let verdict = match trouble {
            None | Some(Trouble::Fenced | Trouble::Gone) => Verdict::Go,
            Some(Trouble::Busy) => {
                Verdict::Refuse(Fault::Busy { waited_ms: 1, holder: "another".to_owned() })
            }
            Some(Trouble::Full) => Verdict::Refuse(Fault::Full { place: "the disk".to_owned() }),
            Some(Trouble::Lost) => Verdict::Refuse(gone()),
            Some(Trouble::Landed) => Verdict::Lose,
        };
        (verdict, trouble)
    }

    async fn committed(&self, commit: Arc<Commit>) -> Result<Committed, CommitError> {
        if self.life.pass(Place::BeforeCommit).await.is_err() {
            return Err(gone().into());
        }
        let committed = self.inner().commit(commit.clone()).await;
        if committed.is_ok() {
            self.world.acknowledged(&commit);
        }
        match self.life.pass(Place::AfterCommit).await {
            Ok(()) => committed,
            Err(_) => Err(gone().into()),
        }
    }
}

/// Operations that are passed on as they are.
macro_rules! pass_on {
    ($($name:ident($($argument:ident: $type:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> Boxed<'_, $out> {
            Box::pin(async move {
                match self.gate().await.0 {
                    Verdict::Refuse(fault) => Err(fault.into()),
                    Verdict::Go => self.inner().$name($($argument),*).await,
                    Verdict::Lose => {
                        let _ = self.inner().$name($($argument),*).await;
                        Err(gone().into())
                    }
                }
            })
        })*
    };
}

impl Store for MortalStore {
    fn commit(&self, commit: Arc<Commit>) -> Boxed<'_, Result<Committed, CommitError>> {
        Box::pin(async move {
            match self.gate().await {
                (_, Some(Trouble::Fenced)) => {
                    // Another process took the worker for dead.
                    let worker = self.inner().run(commit.run.clone()).await?.and_then(|run| run.row.owner);
                    if let Some(worker) = worker {
                        self.inner().bury(worker).await?;
                    }
                    self.committed(commit).await
                }
                (Verdict::Refuse(fault), _) => Err(fault.into()),
                (Verdict::Go, _) => self.committed(commit).await,
                (Verdict::Lose, _) => {
                    let _ = self.committed(commit).await;
                    Err(gone().into())
                }
            }
        })
    }

    fn claim_due(
        &self,
        worker: WorkerId,
        filter: ClaimFilter,
        most: usize,
    ) -> Boxed<'_, Result<Vec<Claimed>, ClaimError>> {
        Box::pin(async move {
            let verdict = match self.gate().await.0 {
                Verdict::Refuse(fault) => return Err(fault.into()),
                verdict => verdict,
            };
            let claimed = self.inner().claim_due(worker, filter, most).await?;
            if !claimed.is_empty() {
                let _ = self.life.pass(Place::AfterClaim).await;
            }
            if matches!(verdict, Verdict::Lose) { Err(gone().into()) } else { Ok(claimed) }
        })
    }

    fn worker(&self, worker: WorkerId) -> Boxed<'_, Result<Option<Worker>, Fault>> {
        Box::pin(async move {
            if let Verdict::Refuse(fault) = self.gate().await.0 {
                return Err(fault);
            }
            let found = self.inner().worker(worker).await?;
            Ok(found.map(|worker| self.world.seen_from_here(worker)))
        })
    }

    fn workers(&self) -> Boxed<'_, Result<Vec<Worker>, Fault>> {
        Box::pin(async move {
            if let Verdict::Refuse(fault) = self.gate().await.0 {
                return Err(fault);
            }
            let workers = self.inner().workers().await?;
            Ok(workers.into_iter().map(|worker| self.world.seen_from_here(worker)).collect())
        })
    }

    fn watch(&self) -> watch::Receiver<u64> {
        self.inner().watch()
    }

    fn upload(&self, media: String) -> Box<dyn Upload> {
        self.inner().upload(media)
    }

    pass_on! {
        accept(new: NewRun) -> Result<Accepted, AcceptError>;
        post(post: SignalPost) -> Result<Posted, PostError>;
        answer(answer: AnswerPost) -> Result<Answered, AnswerError>;
        expire_due(most: usize) -> Result<Expired, Fault>;
        resume(post: SignalPost) -> Result<Posted, ResumeError>;
        say(say: SayPost) -> Result<Said, SayError>;
        revoke_standing(revoke: RevokePost) -> Result<bool, Fault>;
        register(worker: WorkerId, about: About, ttl_ms: u64) -> Result<Time, RegisterError>;
        beat(worker: WorkerId, ttl_ms: u64) -> Result<Beat, Fault>;
        bury_expired() -> Result<Vec<RunId>, Fault>;
        bury(worker: WorkerId) -> Result<Vec<RunId>, Fault>;
        mail(worker: WorkerId) -> Result<Vec<RunId>, Fault>;
        held(worker: WorkerId) -> Result<Vec<Claimed>, Fault>;
        next_due() -> Result<Option<Time>, Fault>;
        journal(run: RunId, after: Seq, limit: usize) -> Result<Vec<Record>, Fault>;
        tails(after: Vec<(RunId, Seq)>, each: usize) -> Result<Vec<(RunId, Record)>, Fault>;
        run(run: RunId) -> Result<Option<ListedRun>, Fault>;
        runs(filter: RunFilter, after: Option<RunCursor>, limit: usize) -> Result<Page<ListedRun, RunId>, Fault>;
        wait(wait: WaitId) -> Result<Option<Wait>, Fault>;
        waits(filter: WaitFilter, after: Option<WaitCursor>, limit: usize) -> Result<Page<Wait, WaitId>, Fault>;
        signals(run: RunId, after: SignalId, limit: usize) -> Result<Vec<Signal>, Fault>;
        standing(workspace: String) -> Result<Vec<StandingApproval>, Fault>;
        all_standing() -> Result<Vec<StandingApproval>, Fault>;
        sealed(run: RunId, action: ActionId) -> Result<Option<Vec<u8>>, Fault>;
        create_session(new: NewSession) -> Result<SessionRow, SessionError>;
        rename_session(session: SessionId, title: Option<String>) -> Result<(), SessionError>;
        fork_session(session: SessionId, upto: u64, new: NewSession) -> Result<SessionRow, SessionError>;
        append_session(session: SessionId, version: u64, entries: Vec<Imported>) -> Result<u64, SessionError>;
        session(session: SessionId) -> Result<Option<SessionRow>, Fault>;
        sessions(filter: SessionFilter, after: Option<SessionCursor>, limit: usize)
            -> Result<Page<SessionRow, SessionId>, Fault>;
        session_entries(session: SessionId, after: u64, limit: usize) -> Result<Vec<Entry>, Fault>;
        recent_pending(recent: RecentSession) -> Result<Option<SessionRow>, Fault>;
        put_artifact(media: String, bytes: Vec<u8>) -> Result<ArtifactInfo, Fault>;
        artifact(digest: Digest) -> Result<Option<Vec<u8>>, Fault>;
        artifact_part(digest: Digest, part: u64) -> Result<Option<Vec<u8>>, Fault>;
        artifact_info(digest: Digest) -> Result<Option<ArtifactInfo>, Fault>;
        erase(erase: Erase) -> Result<(), EraseError>;
        prune(filter: PruneFilter) -> Result<Prune, Fault>;
        pruned() -> Result<Vec<Pruned>, Fault>;
        stats() -> Result<StoreStats, Fault>;
        verify_rows() -> Result<Vec<RowProblem>, Fault>;
    }
}
