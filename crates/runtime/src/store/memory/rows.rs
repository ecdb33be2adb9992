//! The tables in RAM, row by row.

use std::collections::BTreeSet;

use provost_engine::{
    ActionId, Dedupe, Digest, Erasure, Record, RunId, Seq, SessionEntry, SessionId, SignalId,
    StandingApproval, Time, WaitId, WorkerId,
};
use serde_json::Value;

use super::MemoryTables;
use crate::port::Fault;
use crate::store::rules::{QueuedStart, Tables};
use crate::store::{
    ClaimFilter, Entry, EntrySource, ListedRun, PruneFilter, Pruned, RunRow, SessionRow, Signal, Wait, Worker,
};

impl Tables for MemoryTables {
    fn run(&self, run: &RunId) -> Result<Option<RunRow>, Fault> {
        Ok(self.runs.get(run).map(|listed| listed.row.clone()))
    }

    fn insert_run(&mut self, row: &RunRow, summary: &Value) -> Result<(), Fault> {
        self.runs.insert(row.run.clone(), ListedRun { row: row.clone(), summary: summary.clone() });
        Ok(())
    }

    fn update_run(&mut self, _before: &RunRow, after: &RunRow, summary: Option<&Value>) -> Result<(), Fault> {
        if let Some(listed) = self.runs.get_mut(&after.run) {
            listed.row.clone_from(after);
            listed.summary = summary.cloned().unwrap_or_else(|| listed.summary.take());
        }
        Ok(())
    }

    fn runs_owned(&self, worker: &WorkerId, most: usize) -> Result<Vec<RunId>, Fault> {
        let owned = self.rows().filter(|row| row.owner.as_ref() == Some(worker));
        Ok(owned.take(most).map(|row| row.run.clone()).collect())
    }

    fn runs_held(&self, workspace: &str) -> Result<Vec<RunId>, Fault> {
        let held = self.rows().filter(|row| row.owner.is_some() && row.workspace == workspace);
        Ok(held.map(|row| row.run.clone()).collect())
    }

    fn runs_due(&self, now: Time, most: usize) -> Result<Vec<RunId>, Fault> {
        let mut due: Vec<_> = self.timers().filter(|(due, _)| *due <= now).collect();
        due.sort();
        Ok(due.into_iter().take(most).map(|(_, run)| run.clone()).collect())
    }

    fn has_ready(&self) -> Result<bool, Fault> {
        Ok(self.rows().any(|row| row.ready))
    }

    fn ready_workspaces(
        &self,
        after: Option<&str>,
        filter: &ClaimFilter,
        most: usize,
    ) -> Result<Vec<String>, Fault> {
        let ready = self.rows().filter(|row| row.ready && self.fits(row, filter));
        let workspaces: BTreeSet<&str> = ready.map(|row| row.workspace.as_str()).collect();
        let behind = workspaces.into_iter().filter(|workspace| Some(*workspace) > after);
        Ok(behind.take(most).map(str::to_owned).collect())
    }

    fn ready_runs(&self, workspace: &str, filter: &ClaimFilter, most: usize) -> Result<Vec<RunId>, Fault> {
        let ready = self.rows().filter(|row| row.ready && row.workspace == workspace);
        let mut ready: Vec<_> = ready.filter(|row| self.fits(row, filter)).collect();
        ready.sort_by_key(|row| (row.priority, row.due, &row.run));
        Ok(ready.into_iter().take(most).map(|row| row.run.clone()).collect())
    }

    fn append_records(&mut self, run: &RunId, records: &[Record]) -> Result<(), Fault> {
        self.journals.entry(run.clone()).or_default().extend_from_slice(records);
        Ok(())
    }

    fn record_hash(&self, run: &RunId, seq: Seq) -> Result<Option<Digest>, Fault> {
        let journal = self.journals.get(run).map_or(&[][..], Vec::as_slice);
        Ok(journal.iter().find(|record| record.seq == seq).map(|record| record.hash))
    }

    fn erase_words(&mut self, run: &RunId, seq: Seq, erasure: &Erasure) -> Result<(), Fault> {
        let journal = self.journals.get_mut(run).into_iter().flatten();
        for record in journal.filter(|record| record.seq == seq && record.words.is_some()) {
            record.words = None;
            record.erased = Some(erasure.clone());
        }
        Ok(())
    }

    fn wait(&self, wait: &WaitId) -> Result<Option<Wait>, Fault> {
        Ok(self.waits.get(wait).cloned())
    }

    fn insert_wait(&mut self, wait: &Wait) -> Result<(), Fault> {
        self.update_wait(wait)
    }

    fn update_wait(&mut self, wait: &Wait) -> Result<(), Fault> {
        self.waits.insert(wait.row.wait.clone(), wait.clone());
        Ok(())
    }

    fn waits_due(&self, now: Time, most: usize) -> Result<Vec<WaitId>, Fault> {
        let mut due: Vec<_> = self.wait_timers().filter(|(due, _)| *due <= now).collect();
        due.sort();
        Ok(due.into_iter().take(most).map(|(_, wait)| wait.clone()).collect())
    }

    fn signal_keyed(&self, run: &RunId, key: &str) -> Result<Option<SignalId>, Fault> {
        let mut signals = self.signals.get(run).into_iter().flatten();
        Ok(signals.find(|signal| signal.key.as_deref() == Some(key)).map(|signal| signal.id))
    }

    fn insert_signal(&mut self, run: &RunId, signal: &Signal) -> Result<(), Fault> {
        self.signals.entry(run.clone()).or_default().push(signal.clone());
        Ok(())
    }

    fn drop_bodies(&mut self, run: &RunId, after: SignalId, upto: SignalId) -> Result<(), Fault> {
        let signals = self.signals.get_mut(run).into_iter().flatten();
        for signal in signals.filter(|signal| signal.id > after && signal.id <= upto) {
            signal.body = None;
        }
        Ok(())
    }

    fn request(&self, workspace: &str, key: &str) -> Result<Option<(RunId, Digest)>, Fault> {
        Ok(self.requests.get(&(workspace.to_owned(), key.to_owned())).cloned())
    }

    fn insert_request(
        &mut self,
        workspace: &str,
        dedupe: &Dedupe,
        run: &RunId,
        _now: Time,
    ) -> Result<(), Fault> {
        self.requests.insert((workspace.to_owned(), dedupe.key.clone()), (run.clone(), dedupe.request));
        Ok(())
    }

    fn has_artifact(&self, digest: &Digest) -> Result<bool, Fault> {
        Ok(self.artifacts.contains_key(digest))
    }

    fn use_artifacts(&mut self, run: &RunId, digests: &[Digest]) -> Result<(), Fault> {
        self.uses.extend(digests.iter().map(|digest| (*digest, run.clone())));
        Ok(())
    }

    fn drop_artifact(&mut self, run: &RunId, digest: &Digest) -> Result<(), Fault> {
        self.uses.remove(&(*digest, run.clone()));
        if !self.uses.iter().any(|(used, _)| used == digest) {
            self.artifacts.remove(digest);
        }
        Ok(())
    }

    fn session(&self, session: &SessionId) -> Result<Option<SessionRow>, Fault> {
        Ok(self.sessions.get(session).cloned())
    }

    fn insert_session(&mut self, row: &SessionRow) -> Result<(), Fault> {
        self.update_session(row)
    }

    fn update_session(&mut self, row: &SessionRow) -> Result<(), Fault> {
        self.sessions.insert(row.about.session.clone(), row.clone());
        Ok(())
    }

    fn insert_entry(&mut self, session: &SessionId, entry: &Entry) -> Result<(), Fault> {
        self.entries.entry(session.clone()).or_default().push(entry.clone());
        Ok(())
    }

    fn entry(&self, session: &SessionId, no: u64) -> Result<Option<Entry>, Fault> {
        let mut entries = self.entries.get(session).into_iter().flatten();
        Ok(entries.find(|entry| entry.no == no).cloned())
    }

    fn copy_entries(&mut self, from: &SessionId, to: &SessionId, upto: u64) -> Result<(), Fault> {
        let entries = self.entries.get(from).into_iter().flatten();
        let copies = entries.filter(|entry| entry.no <= upto).cloned().collect();
        self.entries.insert(to.clone(), copies);
        Ok(())
    }

    fn insert_start(
        &mut self,
        session: &SessionId,
        run: &RunId,
        entries: &[SessionEntry],
    ) -> Result<(), Fault> {
        let starts = self.starts.entry(session.clone()).or_default();
        let no = starts.last().map_or(1, |start| start.no + 1);
        starts.push(QueuedStart { no, run: run.clone(), entries: entries.to_vec() });
        Ok(())
    }

    fn first_start(&self, session: &SessionId) -> Result<Option<QueuedStart>, Fault> {
        Ok(self.starts.get(session).and_then(|starts| starts.first().cloned()))
    }

    fn remove_start(&mut self, session: &SessionId, no: u64) -> Result<(), Fault> {
        if let Some(starts) = self.starts.get_mut(session) {
            starts.retain(|start| start.no != no);
        }
        Ok(())
    }

    fn worker(&self, worker: &WorkerId) -> Result<Option<Worker>, Fault> {
        Ok(self.workers.get(worker).cloned())
    }

    fn insert_worker(&mut self, worker: &Worker) -> Result<(), Fault> {
        self.update_worker(worker)
    }

    fn update_worker(&mut self, worker: &Worker) -> Result<(), Fault> {
        self.workers.insert(worker.worker.clone(), worker.clone());
        Ok(())
    }

    fn workers_expired(&self, now: Time, most: usize) -> Result<Vec<WorkerId>, Fault> {
        let expired = self.workers.values().filter(|worker| !worker.dead && worker.until < now);
        Ok(expired.take(most).map(|worker| worker.worker.clone()).collect())
    }

    fn workers_unfreed(&self, most: usize) -> Result<Vec<WorkerId>, Fault> {
        let holds = |worker: &Worker| self.rows().any(|row| row.owner.as_ref() == Some(&worker.worker));
        let unfreed = self.workers.values().filter(|worker| worker.dead && holds(worker));
        Ok(unfreed.take(most).map(|worker| worker.worker.clone()).collect())
    }

    fn seal(&mut self, run: &RunId, action: ActionId, bytes: &[u8]) -> Result<(), Fault> {
        self.sealed.insert((run.clone(), action), bytes.to_vec());
        Ok(())
    }

    fn unseal(&mut self, run: &RunId, action: ActionId) -> Result<(), Fault> {
        self.sealed.remove(&(run.clone(), action));
        Ok(())
    }

    fn unseal_all(&mut self, run: &RunId) -> Result<(), Fault> {
        self.sealed.retain(|(sealed, _), _| sealed != run);
        Ok(())
    }

    fn grant(&mut self, workspace: &str, approval: &StandingApproval) -> Result<(), Fault> {
        self.approvals.insert((workspace.to_owned(), approval.scope.clone()), approval.clone());
        Ok(())
    }

    fn drop_reasons(&mut self, run: &RunId) -> Result<(), Fault> {
        for approval in self.approvals.values_mut().filter(|approval| approval.run == *run) {
            approval.reason = None;
        }
        Ok(())
    }

    fn revoke(&mut self, workspace: &str, scope: &str, _now: Time) -> Result<bool, Fault> {
        Ok(self.approvals.remove(&(workspace.to_owned(), scope.to_owned())).is_some())
    }

    fn stale_sessions(&self, filter: &PruneFilter) -> Result<Vec<SessionId>, Fault> {
        let stale = self.sessions.values().filter(|session| {
            let scope =
                filter.workspace.as_ref().is_none_or(|workspace| *workspace == session.about.workspace);
            scope && session.active_run.is_none() && session.updated < filter.before
        });
        Ok(stale.take(filter.most).map(|session| session.about.session.clone()).collect())
    }

    fn delete_session(&mut self, session: &SessionId) -> Result<(), Fault> {
        self.sessions.remove(session);
        self.entries.remove(session);
        self.starts.remove(session);
        Ok(())
    }

    fn stale_runs(&self, filter: &PruneFilter, going: &[SessionId]) -> Result<Vec<RunId>, Fault> {
        let stay = self.entries.iter().filter(|(session, _)| !going.contains(session));
        let named: BTreeSet<&RunId> = stay.flat_map(|(_, entries)| entries).filter_map(named_run).collect();
        let stays =
            |row: &&RunRow| row.ended.is_none_or(|ended| ended >= filter.before) || named.contains(&row.run);
        let stay: BTreeSet<&RunId> = self.rows().filter(stays).map(|row| &row.root).collect();
        let scope = |row: &&RunRow| filter.workspace.as_ref().is_none_or(|name| *name == row.workspace);
        let roots = self.rows().filter(scope).map(|row| &row.root).filter(|root| !stay.contains(root));
        let roots: BTreeSet<&RunId> = roots.collect::<BTreeSet<_>>().into_iter().take(filter.most).collect();
        Ok(self.rows().filter(|row| roots.contains(&row.root)).map(|row| row.run.clone()).collect())
    }

    fn delete_run(&mut self, pruned: &Pruned) -> Result<(), Fault> {
        let run = &pruned.run;
        self.runs.remove(run);
        self.journals.remove(run);
        self.signals.remove(run);
        self.waits.retain(|wait, _| wait.run != *run);
        self.requests.retain(|_, (used_by, _)| used_by != run);
        self.uses.retain(|(_, used_by)| used_by != run);
        self.unseal_all(run)?;
        self.pruned.push(pruned.clone());
        Ok(())
    }

    fn delete_unused_artifacts(&mut self, before: Time) -> Result<usize, Fault> {
        let count = self.artifacts.len();
        let used: BTreeSet<Digest> = self.uses.iter().map(|(digest, _)| *digest).collect();
        self.artifacts.retain(|digest, stored| used.contains(digest) || stored.info.created >= before);
        Ok(count - self.artifacts.len())
    }

    fn delete_dead_workers(&mut self, before: Time) -> Result<(), Fault> {
        let owners: BTreeSet<WorkerId> = self.rows().filter_map(|row| row.owner.clone()).collect();
        self.workers.retain(|id, worker| !worker.dead || worker.until >= before || owners.contains(id));
        Ok(())
    }
}

fn named_run(entry: &Entry) -> Option<&RunId> {
    match &entry.source {
        EntrySource::Event { run, .. } => Some(run),
        EntrySource::Body(_) => None,
    }
}

impl MemoryTables {
    pub(super) fn rows(&self) -> impl Iterator<Item = &RunRow> {
        self.runs.values().map(|listed| &listed.row)
    }

    /// Returns when resting runs become ready by themselves.
    pub(super) fn timers(&self) -> impl Iterator<Item = (Time, &RunId)> {
        let resting = self.rows().filter(|row| row.owner.is_none() && !row.ready && row.ended.is_none());
        resting.filter_map(|row| row.due.map(|due| (due, &row.run)))
    }

    /// Returns when the clock answers waits.
    pub(super) fn wait_timers(&self) -> impl Iterator<Item = (Time, &WaitId)> {
        let open = self.waits.values().filter(|wait| wait.answered.is_none() && wait.settled.is_none());
        open.filter_map(|wait| wait.row.due.map(|due| (due, &wait.row.wait)))
    }

    /// Whether a worker with this filter takes the run.
    fn fits(&self, row: &RunRow, filter: &ClaimFilter) -> bool {
        let listed = |names: &Option<Vec<String>>, name: &String| {
            names.as_ref().is_none_or(|names| names.contains(name))
        };
        listed(&filter.workspaces, &row.workspace)
            && listed(&filter.agents, &row.agent)
            && listed(&filter.queues, &row.queue)
            && filter.runs.as_ref().is_none_or(|runs| self.descends(row, runs))
    }

    /// Whether a run or one above it is listed.
    fn descends(&self, row: &RunRow, runs: &BTreeSet<RunId>) -> bool {
        let parent = |row: &&RunRow| {
            row.parent.as_ref().and_then(|parent| self.runs.get(parent)).map(|listed| &listed.row)
        };
        std::iter::successors(Some(row), parent).any(|row| runs.contains(&row.run))
    }
}
