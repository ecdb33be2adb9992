//! What one transaction of a store writes for a run: the events, and everything that must agree with them.
//!
//! All of it follows from the events and the state; the engine derives it. A store writes all of a
//! commit or nothing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    ActionId, Actor, Digest, Epoch, Record, RunId, Seq, SessionId, SignalId, StandingApproval, Time, WaitId,
};

/// One step of a run, fenced by its epoch and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The run.
    pub run: RunId,
    /// The epoch under which the writer claimed it.
    pub epoch: Epoch,
    /// The head of the journal before this commit.
    pub expected: Seq,
    /// What happened; at least one record, or a commit that is sent twice could not be recognised.
    pub records: Vec<Record>,
    /// How the run is listed from now on; none when nothing of it changed.
    pub row: Option<RowChange>,
    /// Waits that begin.
    pub waits_opened: Vec<WaitRow>,
    /// Waits that the run settles.
    pub waits_settled: Vec<WaitSettlement>,
    /// The last signal of the queue that these records name; all before it are named too.
    pub signals_taken: Option<SignalId>,
    /// Signals to other runs.
    pub signals_posted: Vec<SignalPost>,
    /// Answers to waits of other runs: a child's end.
    pub answers: Vec<AnswerPost>,
    /// Runs that begin with this commit: children.
    pub runs_accepted: Vec<NewRun>,
    /// What the session of the run gains.
    pub session: Option<SessionWrite>,
    /// Artifacts that the records name. They are stored before; a missing one refuses the commit.
    pub artifacts: Vec<Digest>,
    /// Standing approvals granted or revoked.
    pub standing: Vec<StandingChange>,
    /// Sealed arguments to store, by action.
    pub sealed_put: Vec<(ActionId, Vec<u8>)>,
    /// Sealed arguments to delete.
    pub sealed_delete: Vec<ActionId>,
}

/// How a run is listed, and when it needs a worker again.
#[derive(Clone, Debug, PartialEq)]
pub struct RowChange {
    /// The derived status, such as `running` or `completed`.
    pub status: String,
    /// When the run needs a worker by itself: a retry, a due wait, a wall-clock limit.
    pub due: Option<Time>,
    /// Whether the worker lets go of the run with this commit.
    pub release: Release,
    /// Whether the run is over.
    pub ended: bool,
    /// What lists show of the run.
    pub summary: Value,
}

/// Whether a worker lets go of a run with its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// It goes on.
    Keep,
    /// The run is at rest: it needs a worker again when a signal comes or its due time passes.
    Rest,
    /// The worker stops and the run has work left: another worker may take it at once.
    Ready,
}

/// A wait as people and the dispatcher see it.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitRow {
    /// The wait.
    pub wait: WaitId,
    /// The topmost run of the tree.
    pub root: RunId,
    /// The way from the root to the run, as actions: `1.0/2.3`; empty at the root.
    pub path: String,
    /// The workspace of the run.
    pub workspace: String,
    /// What is waited for: `approval`, `in_doubt`, `client`, `question`, `input`, `child`, `timer`, `signal`.
    pub kind: String,
    /// The actions that wait.
    pub actions: Vec<ActionId>,
    /// When the clock answers.
    pub due: Option<Time>,
    /// The answer that the clock gives when the wait is due.
    pub on_due: Value,
    /// What is asked.
    pub ask: Value,
    /// What the answer must look like.
    pub schema: Option<Value>,
    /// What the answer is bound to: an answer that quotes another binding is refused.
    pub binding: Digest,
    /// Who may answer: ids of people and clients, `run:` and the id of a run, or kinds such as `person`. An
    /// empty list means every person and client. A model never answers.
    pub may_answer: Vec<String>,
    /// Whether a new message of the user settles it.
    pub supersedable: bool,
}

/// How a run settles a wait of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitSettlement {
    /// The wait.
    pub wait: WaitId,
    /// How: `answered`, `expired`, `superseded`, `withdrawn`.
    pub how: String,
    /// Who settled it.
    pub by: Actor,
}

/// A signal on its way to a run. The key makes a repetition a no-op.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalPost {
    /// The run.
    pub run: RunId,
    /// Unique in the run; a second signal with the same key is not posted.
    pub key: Option<String>,
    /// Who sends it.
    pub from: Actor,
    /// The typed signal, as JSON.
    pub body: Value,
}

/// An answer to a wait.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerPost {
    /// The wait.
    pub wait: WaitId,
    /// Who answers.
    pub by: Actor,
    /// The binding that the answer quotes; none is not checked (the clock, a child).
    pub binding: Option<Digest>,
    /// The typed answer, as JSON.
    pub answer: Value,
    /// Sealed arguments that the answer changes, by action.
    pub sealed: Vec<(ActionId, Vec<u8>)>,
}

/// A run that begins.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
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
    /// The compiled agent it obeys.
    pub agent_digest: Digest,
    /// The queue it waits in; empty is the default one.
    pub queue: String,
    /// Lower numbers are claimed first.
    pub priority: i32,
    /// Not claimed before this time, unless a signal comes first.
    pub not_before: Option<Time>,
    /// `RunAccepted`, and for a run without a model its declaration.
    pub records: Vec<Record>,
    /// What lists show of it.
    pub summary: Value,
    /// The session it takes.
    pub session: Option<SessionTake>,
    /// Makes a repeated request answer with the run it made the first time.
    pub dedupe: Option<Dedupe>,
    /// Artifacts that the records name.
    pub artifacts: Vec<Digest>,
}

/// The key of a request, unique in its workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dedupe {
    /// The key.
    pub key: String,
    /// The hash of the request. Another request under the same key is a conflict.
    pub request: Digest,
}

/// The session that a run takes when it is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionTake {
    /// The session.
    pub session: SessionId,
    /// The version that the request was made for; the run reads the entries of that version.
    pub version: u64,
    /// What happens when another run is active in it.
    pub busy: WhenBusy,
    /// The events of the run that become entries at once: its input.
    pub entries: Vec<SessionEntry>,
}

/// What happens to a start in a session with an active run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenBusy {
    /// It is refused.
    Refuse,
    /// The run is accepted and waits until the session is free.
    Enqueue,
}

/// What a commit writes into the run's session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionWrite {
    /// The session.
    pub session: SessionId,
    /// The events that become entries, in order.
    pub entries: Vec<SessionEntry>,
    /// Whether the run is over and leaves the session.
    pub release: bool,
    /// The provider's handle of the last response; the inner none clears it.
    pub provider_response_id: Option<Option<String>>,
}

/// An entry of a session: a pointer to an event of a run, not a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// The event.
    pub seq: Seq,
    /// The kind of the event.
    pub kind: String,
}

/// A standing approval granted or revoked in a workspace.
#[derive(Clone, Debug, PartialEq)]
pub enum StandingChange {
    /// It holds from now on.
    Grant {
        /// The workspace.
        workspace: String,
        /// The approval.
        approval: StandingApproval,
    },
    /// It holds no more.
    Revoke {
        /// The workspace.
        workspace: String,
        /// Its scope.
        scope: String,
    },
}
