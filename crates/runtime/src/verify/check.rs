//! Comparing journals with their chains, rows and waits.

use std::collections::BTreeSet;
use std::sync::Arc;

use provost_engine::event::{EndStatus, Event, EventKind, RunSpec};
use provost_engine::{Digest, RunId, Seq, WaitId};

use super::erase::named;
use crate::port::{Advice, Fault};
use crate::store::{RunCursor, RunFilter, RunProblem, Store, WaitFilter, WaitState};

/// How many records or rows are read at a time.
const PAGE: usize = 1_000;
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
                Ok(event) => facts.take(&event),
                Err(error) => report.problems.push(Problem::Unreadable(error.to_string())),
            }
        }
    }
    if report.head == Seq(0) {
        report.problems.push(Problem::NoJournal);
    }
    compare_row(store, &mut report, &facts).await?;
    compare_waits(store, &mut report, &facts).await?;
    check_artifacts(store, &mut report, &facts).await?;
    Ok(report)
}

/// What the events say that rows repeat.
#[derive(Default)]
struct Facts {
    spec: Option<Arc<RunSpec>>,
    open: BTreeSet<WaitId>,
    ended: Option<&'static str>,
    /// Whether it ended at least once.
    ever_ended: bool,
    /// What the records name.
    artifacts: BTreeSet<Digest>,
}

impl Facts {
    fn take(&mut self, event: &Event) {
        self.artifacts.extend(named(event).0);
        match &event.kind {
            EventKind::RunAccepted(accepted) => self.spec = Some(accepted.spec.clone()),
            EventKind::WaitOpened(opened) => {
                self.open.insert(opened.wait.clone());
            }
            EventKind::WaitSettled(settled) => {
                self.open.remove(&settled.wait);
            }
            EventKind::RunEnded(ended) => {
                self.ended = Some(ended.status.into());
                self.ever_ended = true;
            }
            EventKind::SignalTaken(taken) => {
                use provost_engine::event::Signal;
                if taken.ignored.is_none() && matches!(taken.body, Signal::Resume { .. }) {
                    self.ended = None;
                }
            }
            _ => {}
        }
    }
}

async fn compare_row(store: &dyn Store, report: &mut RunReport, facts: &Facts) -> Result<(), Fault> {
    let Some(listed) = store.run(report.run.clone()).await? else {
        report.problems.push(Problem::NoRow);
        return Ok(());
    };
    let row = listed.row;
    if row.head != report.head {
        report.problems.push(Problem::Head { journal: report.head, row: row.head });
    } else if row.head_hash != report.hash {
        report.problems.push(Problem::HeadHash);
    }
    // A run that was resumed is listed as ended until its next commit.
    let resumed = row.ended.is_none() && facts.ended.is_some();
    let disagrees = match facts.ended {
        Some(ended) => row.status != ended && !resumed,
        None => row.ended.is_some() || (!facts.ever_ended && row.status.parse::<EndStatus>().is_ok()),
    };
    if disagrees {
        let journal = facts.ended.unwrap_or("not ended").to_owned();
        report.problems.push(Problem::Status { row: row.status.clone(), journal });
    }
    if let Some(spec) = &facts.spec {
        let compiled = (row.agent_digest.to_string(), spec.compiled.to_string());
        let identity = [
            ("agent", (row.agent, spec.agent.clone())),
            ("workspace", (row.workspace, spec.workspace.clone())),
            ("compiled agent", compiled),
        ];
        let differing = identity.into_iter().filter(|(_, (row, journal))| row != journal);
        let problem = |(what, (row, journal))| Problem::Identity { what, row, journal };
        report.problems.extend(differing.map(problem));
    }
    Ok(())
}

/// Reads every artifact that the records name: its hash is compared with its name.
async fn check_artifacts(store: &dyn Store, report: &mut RunReport, facts: &Facts) -> Result<(), Fault> {
    for digest in &facts.artifacts {
        let problem = match store.artifact(*digest).await {
            Ok(Some(bytes)) if Digest::of(&bytes) == *digest => continue,
            Ok(Some(_)) => "it is not what its name says".to_owned(),
            Ok(None) => "it is missing".to_owned(),
            Err(fault) if fault.advice() == Advice::Stop => fault.to_string(),
            Err(fault) => return Err(fault),
        };
        report.problems.push(Problem::Artifact { digest: *digest, problem });
    }
    Ok(())
}

async fn compare_waits(store: &dyn Store, report: &mut RunReport, facts: &Facts) -> Result<(), Fault> {
    let filter =
        WaitFilter { run: Some(report.run.clone()), state: WaitState::Unsettled, ..WaitFilter::default() };
    let mut rows = BTreeSet::new();
    let mut after = None;
    loop {
        let page = store.waits(filter.clone(), after, PAGE).await?;
        rows.extend(page.items.into_iter().map(|wait| wait.row.wait));
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    report.problems.extend(facts.open.difference(&rows).cloned().map(Problem::WaitMissing));
    report.problems.extend(rows.difference(&facts.open).cloned().map(Problem::WaitUnknown));
    Ok(())
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
