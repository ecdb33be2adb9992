//! Comparing what the tables repeat with the journal that they repeat it from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use provost_engine::event::{EndStatus, Event, EventKind, RunSpec, Signal, WaitOpened};
use provost_engine::{Digest, Epoch, Seq, WaitId, WaitRow, view};

use super::check::{PAGE, Problem, RunReport};
use super::erase::named;
use crate::port::{Advice, Fault};
use crate::store::{Entry, EntrySource, RunRow, Store, WaitFilter, WaitState};

/// What the events say that rows repeat.
#[derive(Default)]
pub(super) struct Facts {
    spec: Option<Arc<RunSpec>>,
    open: BTreeMap<WaitId, WaitOpened>,
    ended: Option<&'static str>,
    /// Whether it ended at least once.
    ever_ended: bool,
    claimed: bool,
    epoch: Epoch,
    /// The records that are lines of the run's session.
    lines: BTreeSet<Seq>,
    /// Records whose words are erased: whether they are lines may not be known any more.
    erased: BTreeSet<Seq>,
    /// What the records name.
    artifacts: BTreeSet<Digest>,
}

impl Facts {
    pub(super) fn take(&mut self, event: &Event, is_erased: bool) {
        self.artifacts.extend(named(event).0);
        self.epoch = self.epoch.max(event.epoch);
        if is_erased {
            self.erased.insert(event.seq);
        }
        if view::is_session_line(event) {
            self.lines.insert(event.seq);
        }
        match &event.kind {
            EventKind::RunAccepted(accepted) => {
                self.artifacts.insert(accepted.spec.compiled);
                self.spec = Some(accepted.spec.clone());
            }
            EventKind::RunClaimed(_) => self.claimed = true,
            EventKind::WaitOpened(opened) => {
                self.open.insert(opened.wait.clone(), (**opened).clone());
            }
            EventKind::WaitSettled(settled) => {
                self.open.remove(&settled.wait);
            }
            EventKind::RunEnded(ended) => {
                self.ended = Some(ended.status.into());
                self.ever_ended = true;
            }
            EventKind::SignalTaken(taken)
                if taken.ignored.is_none() && matches!(taken.body, Signal::Resume { .. }) =>
            {
                self.ended = None;
            }
            _ => {}
        }
    }
}

/// Compares everything that the tables say about a run with its journal.
pub(super) async fn compare(store: &dyn Store, report: &mut RunReport, facts: &Facts) -> Result<(), Fault> {
    let Some(listed) = store.run(report.run.clone()).await? else {
        report.problems.push(Problem::NoRow);
        return Ok(());
    };
    let row = listed.row;
    compare_head(report, &row);
    compare_state(store, report, facts, &row).await?;
    compare_identity(report, facts, &row);
    compare_waits(store, report, facts).await?;
    compare_session(store, report, facts, &row).await?;
    check_artifacts(store, report, facts).await
}

fn compare_head(report: &mut RunReport, row: &RunRow) {
    if row.head != report.head {
        report.problems.push(Problem::Head { journal: report.head, row: row.head });
    } else if row.head_hash != report.hash {
        report.problems.push(Problem::HeadHash);
    }
}

async fn compare_state(
    store: &dyn Store,
    report: &mut RunReport,
    facts: &Facts,
    row: &RunRow,
) -> Result<(), Fault> {
    if let Some(journal) = other_state(facts, row) {
        report.problems.push(Problem::Status { row: row.status.clone(), journal });
    }
    if row.epoch < facts.epoch {
        let (row, journal) = (row.epoch.0.to_string(), facts.epoch.0.to_string());
        report.problems.push(Problem::Identity { what: "epoch", row, journal });
    }
    if let Some(owner) = &row.owner
        && store.worker(owner.clone()).await?.is_none()
    {
        report.problems.push(Problem::Owner(owner.clone()));
    }
    let rests = row.owner.is_none() && !row.ready && row.due.is_none() && row.inbox == row.taken;
    if rests && !row.awaits_session && ["queued", "running", "cancelling"].contains(&row.status.as_str()) {
        report.problems.push(Problem::Asleep(row.status.clone()));
    }
    Ok(())
}

/// What the journal says of a run's state if the list of runs says something else.
fn other_state(facts: &Facts, row: &RunRow) -> Option<String> {
    let is = |agrees: bool, journal: &str| (!agrees).then(|| journal.to_owned());
    match facts.ended {
        // A run that is being resumed has not ended in the list of runs, and waits for a worker.
        Some(ended) if row.ended.is_none() => is(row.ready || row.owner.is_some(), ended),
        Some(ended) => is(row.status == ended, ended),
        None if row.ended.is_some() => Some("not ended".to_owned()),
        None => match row.status.as_str() {
            "queued" => is(!facts.claimed, "that it was begun"),
            "waiting" => is(!facts.open.is_empty(), "that nothing is waited for"),
            "running" | "cancelling" => None,
            // A run that was resumed is listed as ended until its next commit.
            word => is(facts.ever_ended && word.parse::<EndStatus>().is_ok(), "not ended"),
        },
    }
}

fn compare_identity(report: &mut RunReport, facts: &Facts, row: &RunRow) {
    let Some(spec) = &facts.spec else { return };
    let session = |id: Option<&str>| id.unwrap_or("none").to_owned();
    let identity = [
        ("agent", row.agent.clone(), spec.agent.clone()),
        ("workspace", row.workspace.clone(), spec.workspace.clone()),
        ("compiled agent", row.agent_digest.to_string(), spec.compiled.to_string()),
        (
            "conversation",
            session(row.session.as_ref().map(|id| id.as_str())),
            session(spec.session.as_ref().map(|session| session.id.as_str())),
        ),
    ];
    let differing = identity.into_iter().filter(|(_, row, journal)| row != journal);
    report.problems.extend(differing.map(|(what, row, journal)| Problem::Identity { what, row, journal }));
}

async fn compare_waits(store: &dyn Store, report: &mut RunReport, facts: &Facts) -> Result<(), Fault> {
    let filter =
        WaitFilter { run: Some(report.run.clone()), state: WaitState::Unsettled, ..WaitFilter::default() };
    let mut rows: BTreeMap<WaitId, WaitRow> = BTreeMap::new();
    let mut after = None;
    loop {
        let page = store.waits(filter.clone(), after, PAGE).await?;
        rows.extend(page.items.into_iter().map(|wait| (wait.row.wait.clone(), wait.row)));
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    let missing = facts.open.keys().filter(|wait| !rows.contains_key(wait));
    report.problems.extend(missing.cloned().map(Problem::WaitMissing));
    for (wait, row) in rows {
        let Some((opened, spec)) = facts.open.get(&wait).zip(facts.spec.as_ref()) else {
            report.problems.push(Problem::WaitUnknown(wait));
            continue;
        };
        if let Some(what) = differing(&row, &view::wait_row(spec, opened)) {
            report.problems.push(Problem::WaitDiffers { wait, what });
        }
    }
    Ok(())
}

/// What two rows of a wait disagree about. What is asked is read from the journal alone, and may be erased there.
fn differing(row: &WaitRow, journal: &WaitRow) -> Option<&'static str> {
    let agrees = [
        ("kind", row.kind == journal.kind),
        ("list of actions", row.actions == journal.actions),
        ("due time", row.due == journal.due),
        ("binding", row.binding == journal.binding),
        ("list of people who may answer", row.may_answer == journal.may_answer),
        ("place in its tree", row.root == journal.root && row.path == journal.path),
        ("workspace", row.workspace == journal.workspace),
        ("rule about new messages", row.supersedable == journal.supersedable),
    ];
    agrees.into_iter().find(|(_, agrees)| !agrees).map(|(what, _)| what)
}

/// Compares the lines that a session has of a run with the journal. They stand together: a session has one run at a
/// time.
async fn compare_session(
    store: &dyn Store,
    report: &mut RunReport,
    facts: &Facts,
    row: &RunRow,
) -> Result<(), Fault> {
    let Some(session) = row.session.clone() else { return Ok(()) };
    if store.session(session.clone()).await?.is_none() {
        report.problems.push(Problem::SessionMissing(session));
        return Ok(());
    }
    let Some(mut after) = row.session_from else { return Ok(()) };
    let mut found = BTreeSet::new();
    let of_run = |entry: &Entry| match &entry.source {
        EntrySource::Event { run, seq } if *run == report.run => Some(*seq),
        _ => None,
    };
    'pages: loop {
        let page = store.session_entries(session.clone(), after, PAGE).await?;
        let Some(last) = page.last().map(|entry| entry.no) else { break };
        for entry in &page {
            let Some(seq) = of_run(entry) else { break 'pages };
            found.insert(seq);
        }
        after = last;
    }
    let differ: Vec<String> = found
        .symmetric_difference(&facts.lines)
        .filter(|seq| !facts.erased.contains(seq))
        .map(|seq| format!("record {seq}"))
        .collect();
    if !differ.is_empty() {
        report.problems.push(Problem::SessionDiffers { session, what: differ.join(", ") });
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
