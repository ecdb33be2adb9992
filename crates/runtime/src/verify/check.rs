//! Comparing journals with their chains, rows and waits.

use provost_engine::event::Event;
use provost_engine::{Digest, RunId, Seq, SessionId, WaitId, WorkerId};

use super::rows::{self, Facts};
use crate::port::Fault;
use crate::store::{RunCursor, RunFilter, RunProblem, Store};

/// How many records or rows are read at a time.
pub(super) const PAGE: usize = 1_000;
/// How often a run that grows meanwhile is looked at again.
const LIVE_TRIES: usize = 5;

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A record does not fit into its chain.
    #[error("{0}")]
    Chain(String),
    /// A record cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The journal is shorter or longer than its row says: its end was cut off, or something was appended.
    #[error("{}: it ends at record {journal}, the list of runs says {row}", cut_or_grown(*journal, *row))]
    Head {
        /// The end of the journal.
        journal: Seq,
        /// What the row says.
        row: Seq,
    },
    /// The last record is another one than the row says.
    #[error("the last record is not the one that the list of runs names")]
    HeadHash,
    /// The list of runs says another state than the journal.
    #[error("the list of runs says {row}, the journal says {journal}")]
    Status {
        /// What the row says.
        row: String,
        /// What the journal says.
        journal: String,
    },
    /// A run is listed and has no journal.
    #[error("the run is listed and has no journal")]
    NoJournal,
    /// A journal has no entry in the list of runs.
    #[error("the journal has no entry in the list of runs")]
    NoRow,
    /// The list of runs says something else about the run than its first record.
    #[error("the list of runs says {what} {row}, the journal says {journal}")]
    Identity {
        /// What they disagree about.
        what: &'static str,
        /// What the row says.
        row: String,
        /// What the journal says.
        journal: String,
    },
    /// The journal opened a wait and did not settle it, and the table of waits does not have it.
    #[error("wait {0} is open in the journal and missing in the table of waits")]
    WaitMissing(WaitId),
    /// The table of waits has an open wait that the journal did not open, or settled.
    #[error("wait {0} is open in the table of waits and not in the journal")]
    WaitUnknown(WaitId),
    /// The table of waits says something else about a wait than the journal.
    #[error("wait {wait}: the table of waits has another {what} than the journal")]
    WaitDiffers {
        /// The wait.
        wait: WaitId,
        /// What they disagree about.
        what: &'static str,
    },
    /// The list of runs says that a worker holds the run, and there is no such worker.
    #[error("the list of runs names a worker that does not exist: {0}")]
    Owner(WorkerId),
    /// The run has work left, and nothing in the list of runs would make a worker take it.
    #[error("the list of runs says {0}, and nothing would wake the run")]
    Asleep(String),
    /// The conversation that the run belongs to is gone.
    #[error("the conversation {0} of the run is missing")]
    SessionMissing(SessionId),
    /// The conversation has other lines of the run than its journal.
    #[error("the conversation {session} has other lines of this run than its journal: {what}")]
    SessionDiffers {
        /// The conversation.
        session: SessionId,
        /// The records in question.
        what: String,
    },
    /// A result that a record names is missing, or is not what its name says.
    #[error("artifact {digest}: {problem}")]
    Artifact {
        /// Its name.
        digest: Digest,
        /// What is wrong with it.
        problem: String,
    },
}

fn cut_or_grown(journal: Seq, row: Seq) -> &'static str {
    if journal < row { "the end of the journal is missing" } else { "the journal has records too many" }
}

/// What was found about a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// The run.
    pub run: RunId,
    /// The end of its journal.
    pub head: Seq,
    /// The hash of its last record.
    pub hash: Digest,
    /// How many of its records have erased words.
    pub erased: usize,
    /// What is not as it was written.
    pub problems: Vec<Problem>,
}

/// Verifies one run: its chain, its head, its row and its waits.
///
/// # Errors
/// If the store fails. Damage is a finding, not an error.
pub async fn verify_run(store: &dyn Store, run: &RunId) -> Result<RunReport, Fault> {
    let head = async || Ok::<_, Fault>(store.run(run.clone()).await?.map(|listed| listed.row.head));
    for _ in 0..LIVE_TRIES {
        let before = head().await?;
        let report = verify_once(store, run).await?;
        // A run that is worked on may have grown between two looks.
        if report.problems.is_empty() || head().await? == before {
            return Ok(report);
        }
    }
    verify_once(store, run).await
}

async fn verify_once(store: &dyn Store, run: &RunId) -> Result<RunReport, Fault> {
    let mut report =
        RunReport { run: run.clone(), head: Seq(0), hash: Digest::ZERO, erased: 0, problems: Vec::new() };
    let mut facts = Facts::default();
    loop {
        let page = store.journal(run.clone(), report.head, PAGE).await?;
        if page.is_empty() {
            break;
        }
        for record in &page {
            if let Err(error) = record.verify(run, (report.head, report.hash)) {
                report.problems.push(Problem::Chain(error.to_string()));
                return Ok(report);
            }
            (report.head, report.hash) = (record.seq, record.hash);
            report.erased += usize::from(record.erased.is_some());
            match Event::from_record(record) {
                Ok(event) => facts.take(&event, record.erased.is_some()),
                Err(error) => report.problems.push(Problem::Unreadable(error.to_string())),
            }
        }
    }
    if report.head == Seq(0) {
        report.problems.push(Problem::NoJournal);
    }
    rows::compare(store, &mut report, &facts).await?;
    Ok(report)
}

/// What verifying a whole store came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreReport {
    /// How many runs were looked at.
    pub runs: usize,
    /// How many of them are not as they were written.
    pub broken: usize,
}

/// Verifies every run, and that the list of runs and the journals are about the same ones. `each` gets the report
/// of every run.
///
/// # Errors
/// If the store fails.
pub async fn verify_store(store: &dyn Store, mut each: impl FnMut(&RunReport)) -> Result<StoreReport, Fault> {
    let mut all = StoreReport::default();
    let mut take = |report: &RunReport| {
        all.runs += 1;
        all.broken += usize::from(!report.problems.is_empty());
        each(report);
    };
    let mut after: Option<RunCursor> = None;
    loop {
        let page = store.runs(RunFilter::default(), after, PAGE).await?;
        for listed in page.items {
            take(&verify_run(store, &listed.row.run).await?);
        }
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    for unlisted in store.verify_rows().await? {
        match unlisted.problem {
            RunProblem::NoRow => {
                let (head, hash, problems) = (Seq(0), Digest::ZERO, vec![Problem::NoRow]);
                take(&RunReport { run: unlisted.run, head, hash, erased: 0, problems });
            }
            // The walk over the list of runs has found these.
            RunProblem::NoJournal | RunProblem::Head { .. } | RunProblem::Hash => {}
        }
    }
    Ok(all)
}
