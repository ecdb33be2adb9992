//! What can be read from the tables in RAM.

use provost_engine::{
    ActionId, Digest, Record, RunId, Seq, SessionId, SignalId, StandingApproval, Time, WaitId, WorkerId,
};
use serde_json::Value;

use super::MemoryTables;
use crate::store::{
    ArtifactInfo, Claimed, Cursor, Entry, ListedRun, Page, Pruned, RecentSession, RowProblem, RunCursor,
    RunFilter, RunProblem, RunRow, SessionCursor, SessionFilter, SessionRow, Signal, StoreStats, Wait,
    WaitCursor, WaitFilter, WaitState, Worker,
};

/// Each method returns what the one of [`Store`](crate::store::Store) with its name returns.
impl MemoryTables {
    /// Returns records of a run behind `after`.
    pub fn journal(&self, run: &RunId, after: Seq, limit: usize) -> Vec<Record> {
        let records = self.journals.get(run).into_iter().flatten();
        records.filter(|record| record.seq > after).take(limit).cloned().collect()
    }

    /// Returns the records of several runs behind their positions.
    pub fn tails(&self, after: &[(RunId, Seq)], each: usize) -> Vec<(RunId, Record)> {
        let tail = |(run, after): &(RunId, Seq)| {
            let run = run.clone();
            self.journal(&run, *after, each).into_iter().map(move |record| (run.clone(), record))
        };
        after.iter().flat_map(tail).collect()
    }

    /// Returns a run.
    pub fn listed_run(&self, run: &RunId) -> Option<ListedRun> {
        self.runs.get(run).cloned()
    }

    /// Returns a page of runs.
    pub fn list_runs(
        &self,
        filter: &RunFilter,
        after: Option<&RunCursor>,
        limit: usize,
    ) -> Page<ListedRun, RunId> {
        let key = |run: &ListedRun| Cursor { at: run.row.created, id: run.row.run.clone() };
        let mut runs: Vec<_> = self.runs.values().filter(|run| run_fits(run, filter)).collect();
        runs.retain(|run| after.is_none_or(|after| (run.row.created, &run.row.run) < (after.at, &after.id)));
        runs.sort_by(|a, b| (b.row.created, &b.row.run).cmp(&(a.row.created, &a.row.run)));
        Page::of(runs.into_iter().take(limit.saturating_add(1)).cloned().collect(), limit, key)
    }

    /// Returns a page of waits.
    pub fn list_waits(
        &self,
        filter: &WaitFilter,
        after: Option<&WaitCursor>,
        limit: usize,
    ) -> Page<Wait, WaitId> {
        let key = |wait: &Wait| Cursor { at: wait.opened, id: wait.row.wait.clone() };
        // Ids compare as texts, as they do in a database.
        let order = |at: Time, id: &WaitId| (at, id.to_string());
        let mut waits: Vec<_> = self.waits.values().filter(|wait| self.wait_fits(wait, filter)).collect();
        waits.retain(|wait| {
            after.is_none_or(|after| order(wait.opened, &wait.row.wait) > order(after.at, &after.id))
        });
        waits.sort_by_key(|wait| order(wait.opened, &wait.row.wait));
        Page::of(waits.into_iter().take(limit.saturating_add(1)).cloned().collect(), limit, key)
    }

    fn wait_fits(&self, wait: &Wait, filter: &WaitFilter) -> bool {
        let session = |session: &SessionId| {
            self.runs.get(&wait.row.root).is_some_and(|root| root.row.session.as_ref() == Some(session))
        };
        let state = match filter.state {
            WaitState::Unanswered => wait.answered.is_none() && wait.settled.is_none(),
            WaitState::Unsettled => wait.settled.is_none(),
            WaitState::Any => true,
        };
        state
            && filter.workspace.as_ref().is_none_or(|workspace| *workspace == wait.row.workspace)
            && filter.run.as_ref().is_none_or(|run| *run == wait.row.wait.run)
            && filter.root.as_ref().is_none_or(|root| *root == wait.row.root)
            && filter.kind.as_ref().is_none_or(|kind| *kind == wait.row.kind)
            && filter.session.as_ref().is_none_or(session)
    }

    /// Returns signals of a run behind `after`.
    pub fn signals(&self, run: &RunId, after: SignalId, limit: usize) -> Vec<Signal> {
        let signals = self.signals.get(run).into_iter().flatten();
        signals.filter(|signal| signal.id > after).take(limit).cloned().collect()
    }

    /// Returns the standing approvals of a workspace.
    pub fn standing(&self, workspace: &str) -> Vec<StandingApproval> {
        let here = self.approvals.iter().filter(|((granted_in, _), _)| granted_in == workspace);
        here.map(|(_, approval)| approval.clone()).collect()
    }

    /// Returns the sealed arguments of an action.
    pub fn sealed(&self, run: &RunId, action: ActionId) -> Option<Vec<u8>> {
        self.sealed.get(&(run.clone(), action)).cloned()
    }

    /// Returns the workers that are not buried.
    pub fn workers(&self) -> Vec<Worker> {
        self.workers.values().filter(|worker| !worker.dead).cloned().collect()
    }

    /// Returns the runs of a worker that have signals to take.
    pub fn mail(&self, worker: &WorkerId) -> Vec<RunId> {
        let owned = self.rows().filter(|row| row.owner.as_ref() == Some(worker));
        owned.filter(|row| row.inbox > row.taken).map(|row| row.run.clone()).collect()
    }

    /// Returns the runs that a worker holds.
    pub fn held(&self, worker: &WorkerId) -> Vec<Claimed> {
        let owned = self.rows().filter(|row| row.owner.as_ref() == Some(worker));
        let claimed = |row: &RunRow| Claimed {
            run: row.run.clone(),
            epoch: row.epoch,
            head: row.head,
            claims: row.claims,
        };
        owned.map(claimed).collect()
    }

    /// Returns when the next sweep has something to do.
    pub fn next_due(&self) -> Option<Time> {
        let runs = self.timers().map(|(due, _)| due);
        runs.chain(self.wait_timers().map(|(due, _)| due)).min()
    }

    /// Returns a page of sessions.
    pub fn list_sessions(
        &self,
        filter: &SessionFilter,
        after: Option<&SessionCursor>,
        limit: usize,
    ) -> Page<SessionRow, SessionId> {
        let key = |session: &SessionRow| Cursor { at: session.created, id: session.about.session.clone() };
        let mut sessions: Vec<_> =
            self.sessions.values().filter(|session| session_fits(session, filter)).collect();
        sessions.retain(|row| {
            after.is_none_or(|after| (row.created, &row.about.session) < (after.at, &after.id))
        });
        sessions.sort_by(|a, b| (b.created, &b.about.session).cmp(&(a.created, &a.about.session)));
        Page::of(sessions.into_iter().take(limit.saturating_add(1)).cloned().collect(), limit, key)
    }

    /// Returns entries of a session behind `after`.
    pub fn session_entries(&self, session: &SessionId, after: u64, limit: usize) -> Vec<Entry> {
        let entries = self.entries.get(session).into_iter().flatten();
        entries.filter(|entry| entry.no > after).take(limit).cloned().collect()
    }

    /// Returns the newest session that fits, if it is empty or a run holds it.
    pub fn recent_pending(&self, recent: &RecentSession) -> Option<SessionRow> {
        let fits = |row: &&SessionRow| {
            let token = row.about.metadata.get("token_id").and_then(Value::as_str);
            row.about.workspace == recent.workspace
                && row.about.owner == recent.owner
                && row.about.context == recent.context
                && row.created >= recent.since
                && recent.token.as_ref().is_none_or(|wanted| token == Some(wanted))
        };
        let newest = self.sessions.values().filter(fits);
        let newest = newest.max_by_key(|row| (row.created, &row.about.session))?;
        (newest.head == 0 || newest.active_run.is_some()).then(|| newest.clone())
    }

    /// Returns all bytes of an artifact.
    pub fn artifact(&self, digest: &Digest) -> Option<Vec<u8>> {
        self.artifacts.get(digest).map(|stored| stored.parts.concat())
    }

    /// Returns one part of an artifact.
    pub fn artifact_part(&self, digest: &Digest, part: u64) -> Option<Vec<u8>> {
        let part = usize::try_from(part).ok()?;
        self.artifacts.get(digest).and_then(|stored| stored.parts.get(part).cloned())
    }

    /// Returns what is stored of an artifact.
    pub fn artifact_info(&self, digest: &Digest) -> Option<ArtifactInfo> {
        self.artifacts.get(digest).map(|stored| stored.info.clone())
    }

    /// Returns which runs were pruned.
    pub fn pruned(&self) -> Vec<Pruned> {
        self.pruned.clone()
    }

    /// Returns how much the tables hold.
    pub fn stats(&self) -> StoreStats {
        let count =
            |wanted: fn(&ListedRun) -> bool| self.runs.values().filter(|run| wanted(run)).count() as u64;
        let waiting = self.waits.values().filter(|wait| wait.answered.is_none() && wait.settled.is_none());
        StoreStats {
            runs: self.runs.len() as u64,
            open: count(|run| run.row.ended.is_none()),
            ready: count(|run| run.row.ready),
            owned: count(|run| run.row.owner.is_some()),
            records: self.journals.values().map(|journal| journal.len() as u64).sum(),
            waits: waiting.count() as u64,
            sessions: self.sessions.len() as u64,
            artifacts: self.artifacts.len() as u64,
            artifact_bytes: self.artifacts.values().map(|stored| stored.info.size).sum(),
            disk_bytes: 0,
            checkpoint_problem: None,
        }
    }

    /// Compares every row with the end of its journal.
    pub fn verify_rows(&self) -> Vec<RowProblem> {
        let orphans = self.journals.keys().filter(|run| !self.runs.contains_key(run));
        let orphans = orphans.map(|run| (run, RunProblem::NoRow));
        let rows = self.rows().filter_map(|row| {
            let last = self.journals.get(&row.run).and_then(|journal| journal.last());
            let problem = match last {
                None => RunProblem::NoJournal,
                Some(last) if last.seq != row.head => RunProblem::Head { row: row.head, journal: last.seq },
                Some(last) if last.hash != row.head_hash => RunProblem::Hash,
                Some(_) => return None,
            };
            Some((&row.run, problem))
        });
        orphans.chain(rows).map(|(run, problem)| RowProblem { run: run.clone(), problem }).collect()
    }
}

fn run_fits(run: &ListedRun, filter: &RunFilter) -> bool {
    let row = &run.row;
    filter.workspace.as_ref().is_none_or(|workspace| *workspace == row.workspace)
        && filter.status.as_ref().is_none_or(|status| *status == row.status)
        && filter.agent.as_ref().is_none_or(|agent| *agent == row.agent)
        && filter.session.as_ref().is_none_or(|session| row.session.as_ref() == Some(session))
        && filter.parent.as_ref().is_none_or(|parent| row.parent.as_ref() == Some(parent))
        && filter.root.as_ref().is_none_or(|root| *root == row.root)
        && filter.ended.is_none_or(|ended| ended == row.ended.is_some())
}

fn session_fits(row: &SessionRow, filter: &SessionFilter) -> bool {
    filter.workspace.as_ref().is_none_or(|workspace| *workspace == row.about.workspace)
        && filter.owner.as_ref().is_none_or(|owner| *owner == row.about.owner)
        && filter.agent.as_ref().is_none_or(|agent| *agent == row.about.agent)
        && filter.context.as_ref().is_none_or(|context| *context == row.about.context)
}
