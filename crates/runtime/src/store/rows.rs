//! What the store holds, row by row, and what its operations answer.

use provost_engine::{
    Actor, Dedupe, Digest, Epoch, Erasure, RunId, Seq, SessionId, SignalId, Time, WaitId, WaitRow, WorkerId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run as the store schedules and lists it. Everything in it can be rebuilt from the journals, except the
/// lease (`epoch`, `owner`, `claims`) and the queue counters.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// The run.
    pub run: RunId,
    /// The topmost run of its tree; itself when it has no parent.
    pub root: RunId,
    /// The run that delegated it.
    pub parent: Option<RunId>,
    /// The workspace that owns it.
    pub workspace: String,
    /// The agent.
    pub agent: String,
    /// The compiled agent it obeys, an artifact.
    pub agent_digest: Digest,
    /// The session it belongs to.
    pub session: Option<SessionId>,
    /// How many entries the session had when the run took it: what the run may read of it.
    pub session_from: Option<u64>,
    /// Whether the run is queued behind another run of its session. Such a run is never ready.
    pub awaits_session: bool,
    /// The queue it waits in; empty is the default one.
    pub queue: String,
    /// Lower numbers are claimed first.
    pub priority: i32,
    /// Not ready by itself before this time. A signal wakes it earlier.
    pub not_before: Option<Time>,
    /// The derived status; `queued` until the first commit changes it.
    pub status: String,
    /// The position of the last record.
    pub head: Seq,
    /// The hash of the last record.
    pub head_hash: Digest,
    /// How often the run was claimed or freed. A commit under another epoch is refused.
    pub epoch: Epoch,
    /// The worker that holds it.
    pub owner: Option<WorkerId>,
    /// Whether a worker should take it now. Only ever true while it has no owner.
    pub ready: bool,
    /// While it rests: when it becomes ready by itself. While it is ready: since when.
    pub due: Option<Time>,
    /// How often it was claimed without progress.
    pub claims: u32,
    /// The last signal posted.
    pub inbox: SignalId,
    /// The last signal that a record names.
    pub taken: SignalId,
    /// When it was accepted.
    pub created: Time,
    /// When its journal grew last.
    pub updated: Time,
    /// When it ended.
    pub ended: Option<Time>,
}

/// A run with what lists show of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedRun {
    /// The row.
    pub row: RunRow,
    /// What lists show.
    pub summary: Value,
}

/// A wait with what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Wait {
    /// What the run asked for.
    pub row: WaitRow,
    /// When it was opened.
    pub opened: Time,
    /// The answer that won at the door.
    pub answered: Option<GivenAnswer>,
    /// How the run settled it.
    pub settled: Option<Settled>,
}

/// The answer that a wait received.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenAnswer {
    /// Who answered.
    pub by: Actor,
    /// When.
    pub at: Time,
    /// The answer; none after it was erased.
    pub answer: Option<Value>,
}

/// How a wait was settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// `answered`, `expired`, `superseded` or `withdrawn`.
    pub how: String,
    /// Who settled it.
    pub by: Actor,
    /// When.
    pub at: Time,
}

/// A signal in the queue of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Its position in the queue.
    pub id: SignalId,
    /// When it was posted.
    pub at: Time,
    /// Who sent it.
    pub from: Actor,
    /// The `type` of its body.
    pub kind: String,
    /// The typed signal; none once a record carries it.
    pub body: Option<Value>,
    /// What makes a repetition a no-op.
    pub key: Option<String>,
}

/// A session to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSession {
    /// The session.
    pub session: SessionId,
    /// The workspace that owns it.
    pub workspace: String,
    /// The person or client whose conversation it is.
    pub owner: String,
    /// The agent it talks to.
    pub agent: String,
    /// Where the conversation takes place, such as `chat`.
    pub context: String,
    /// What lists call it.
    pub title: Option<String>,
    /// What the caller stores with it.
    pub metadata: Value,
}

/// A session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRow {
    /// What it was created with; the title may have changed.
    pub about: NewSession,
    /// The provider's handle of the last response.
    pub provider_response_id: Option<String>,
    /// The run that holds the session.
    pub active_run: Option<RunId>,
    /// Moves with every change; a start names the version it was made for.
    pub version: u64,
    /// The number of the last entry.
    pub head: u64,
    /// When it was created.
    pub created: Time,
    /// When it changed last.
    pub updated: Time,
    /// The session it began as a copy of.
    pub forked_from: Option<Fork>,
}

/// Where a session was forked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// The session.
    pub session: SessionId,
    /// The last entry that both share.
    pub upto: u64,
}

/// An entry of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number; the first is 1.
    pub no: u64,
    /// The kind of the event or of the imported body.
    pub kind: String,
    /// Where its words are.
    pub source: EntrySource,
}

/// Where the words of an entry are.
#[derive(Clone, Debug, PartialEq)]
pub enum EntrySource {
    /// In a record; nothing is copied.
    Event {
        /// The run.
        run: RunId,
        /// The record.
        seq: Seq,
    },
    /// In the entry itself: no run said it.
    Body(Value),
}

/// An entry that no run said: an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The kind of the entry.
    pub kind: String,
    /// What it says.
    pub body: Value,
}

/// Where a worker runs, so that another process of the same machine can see whether it lives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The machine.
    pub machine: String,
    /// The process.
    pub pid: u32,
    /// When the process started, in the machine's own count; a reused pid has another one.
    pub start: u64,
}

/// A worker and its lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// The worker.
    pub worker: WorkerId,
    /// When it was registered.
    pub started: Time,
    /// How often it renewed its lease.
    pub beat: u64,
    /// When the lease ends.
    pub until: Time,
    /// Whether it lost its lease for good.
    pub dead: bool,
    /// Where it runs.
    pub about: About,
}

/// What came of a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// The lease is renewed.
    Renewed {
        /// Until when, by the store's clock.
        until: Time,
    },
    /// The worker is dead: it stops every effect, drops its runs and registers under a new id.
    Dead,
}

/// A run that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The run that answers the request.
    pub run: RunId,
    /// Whether it was there before.
    pub existing: bool,
}

/// A commit that is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The position of the commit's last record.
    pub head: Seq,
    /// Whether the very same commit was written before.
    pub already: bool,
}

/// A signal that is in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Its position.
    pub id: SignalId,
    /// Whether a signal with this key was posted before.
    pub existing: bool,
}

/// An answer that won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The signal that carries it to the run.
    pub signal: SignalId,
}

/// A message to a session: a signal whose run the session knows.
#[derive(Clone, Debug, PartialEq)]
pub struct SayPost {
    /// The session.
    pub session: SessionId,
    /// What makes a repetition a no-op, also when the run that has the message is over.
    pub dedupe: Option<Dedupe>,
    /// Who speaks.
    pub from: Actor,
    /// The typed signal, as JSON.
    pub body: Value,
}

/// A standing approval to revoke.
#[derive(Clone, Debug, PartialEq)]
pub struct RevokePost {
    /// The workspace.
    pub workspace: String,
    /// What the approval covers.
    pub scope: String,
    /// Who revokes it.
    pub from: Actor,
    /// The typed signal for runs that are worked on, as JSON.
    pub body: Value,
}

/// What came of a message to a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The active run has it.
    Posted {
        /// The run.
        run: RunId,
        /// The signal.
        posted: Posted,
    },
    /// It was said before, and this run has it.
    Repeated {
        /// The run.
        run: RunId,
    },
    /// No run is active; the caller accepts one for this version.
    Idle {
        /// The version to name in the start.
        version: u64,
        /// The number of the last entry.
        head: u64,
    },
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expired {
    /// Waits that the clock answered.
    pub waits: usize,
    /// Runs that became ready because their time came.
    pub runs: usize,
}

/// A claimed run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The run.
    pub run: RunId,
    /// The epoch to commit under.
    pub epoch: Epoch,
    /// The head of the journal; read it after the claim, never before.
    pub head: Seq,
    /// How often it was claimed without progress, this claim included.
    pub claims: u32,
}

/// What is stored of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactInfo {
    /// The hash of its bytes.
    pub digest: Digest,
    /// Its length in bytes.
    pub size: u64,
    /// Its media type.
    pub media: String,
    /// How many parts it is stored in.
    pub parts: u64,
    /// When it was stored.
    pub created: Time,
}

/// What to erase of one record.
#[derive(Clone, Debug, PartialEq)]
pub struct Erase {
    /// The run.
    pub run: RunId,
    /// The record.
    pub seq: Seq,
    /// Who, when and why.
    pub erasure: Erasure,
    /// Artifacts that only the erased words name in this run. One that another run uses stays.
    pub artifacts: Vec<Digest>,
    /// Waits of the run whose question and answer repeat the erased words.
    pub waits: Vec<WaitId>,
    /// What lists show from now on, when the summary repeats the erased words.
    pub summary: Option<Value>,
}

/// A run that was pruned. The last position and hash prove which journal went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// The run.
    pub run: RunId,
    /// The position of its last record.
    pub head: Seq,
    /// The hash of its last record.
    pub hash: Digest,
    /// When it was pruned.
    pub at: Time,
}

/// What a prune removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prune {
    /// The runs.
    pub runs: Vec<Pruned>,
    /// How many sessions.
    pub sessions: usize,
    /// How many artifacts.
    pub artifacts: usize,
}

/// A run whose row and journal disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowProblem {
    /// The run.
    pub run: RunId,
    /// How they disagree.
    pub problem: RunProblem,
}

/// How a row and a journal disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunProblem {
    /// A journal without a row.
    NoRow,
    /// A row without a journal.
    NoJournal,
    /// The journal ends elsewhere: records are missing, or were added behind the store's back.
    Head {
        /// The head in the row.
        row: Seq,
        /// The last record.
        journal: Seq,
    },
    /// The last record has another hash than the row.
    Hash,
}

/// How much a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// All runs.
    pub runs: u64,
    /// Runs that have not ended.
    pub open: u64,
    /// Runs that a worker should take now.
    pub ready: u64,
    /// Runs that a worker holds.
    pub owned: u64,
    /// Records in all journals.
    pub records: u64,
    /// Waits without an answer.
    pub waits: u64,
    /// Sessions.
    pub sessions: u64,
    /// Artifacts.
    pub artifacts: u64,
    /// Their bytes, before compression.
    pub artifact_bytes: u64,
    /// Bytes on disk; 0 in memory.
    pub disk_bytes: u64,
    /// Why the log could not be copied into the database file the last time, if it could not.
    pub checkpoint_problem: Option<String>,
}
