//! The tables inside one transaction of the writer.

use provost_engine::{
    ActionId, Dedupe, Digest, Erasure, Record, RunId, Seq, SessionEntry, SessionId, SignalId,
    StandingApproval, Time, WaitId, WorkerId,
};
use provost_runtime::port::Fault;
use provost_runtime::store::rules::{QueuedStart, Tables};
use provost_runtime::store::{
    ClaimFilter, Entry, EntrySource, PruneFilter, Pruned, RunRow, SessionRow, Signal, Wait, Worker,
};
use rusqlite::params;
use serde_json::Value;

use super::columns::{self, int, json, limit, parsed};
use super::db::Db;

impl Tables for Db<'_> {
    fn run(&self, run: &RunId) -> Result<Option<RunRow>, Fault> {
        let sql = format!("SELECT {} FROM runs WHERE run = ?1", columns::RUN);
        self.one(&sql, [run.as_str()], columns::run)
    }

    fn insert_run(&mut self, row: &RunRow, summary: &Value) -> Result<(), Fault> {
        self.write_run(row, summary)
    }

    fn update_run(&mut self, before: &RunRow, after: &RunRow, summary: Option<&Value>) -> Result<(), Fault> {
        self.change_run(before, after, summary)
    }

    fn runs_owned(&self, worker: &WorkerId, most: usize) -> Result<Vec<RunId>, Fault> {
        let sql = "SELECT run FROM runs WHERE owner = ?1 ORDER BY run LIMIT ?2";
        self.many(sql, params![worker.as_str(), limit(most)], |row| parsed(row, 0))
    }

    fn runs_held(&self, workspace: &str) -> Result<Vec<RunId>, Fault> {
        let sql = "SELECT run FROM runs WHERE owner IS NOT NULL AND workspace = ?1 ORDER BY run";
        self.many(sql, [workspace], |row| parsed(row, 0))
    }

    fn runs_due(&self, now: Time, most: usize) -> Result<Vec<RunId>, Fault> {
        let sql = "SELECT run FROM runs WHERE owner IS NULL AND NOT ready AND due IS NOT NULL AND due <= ?1
             ORDER BY due LIMIT ?2";
        self.many(sql, params![now.0, limit(most)], |row| parsed(row, 0))
    }

    fn has_ready(&self) -> Result<bool, Fault> {
        self.one("SELECT EXISTS (SELECT 1 FROM runs WHERE ready)", [], |row| row.get(0))
            .map(|found| found.unwrap_or_default())
    }

    fn ready_workspaces(
        &self,
        after: Option<&str>,
        filter: &ClaimFilter,
        most: usize,
    ) -> Result<Vec<String>, Fault> {
        self.find_workspaces(after, filter, most)
    }

    fn ready_runs(&self, workspace: &str, filter: &ClaimFilter, most: usize) -> Result<Vec<RunId>, Fault> {
        self.find_ready(workspace, filter, most)
    }

    fn append_records(&mut self, run: &RunId, records: &[Record]) -> Result<(), Fault> {
        for record in records {
            let words = record.words.as_deref();
            self.count_bytes(record.facts.len() + words.map_or(0, str::len));
            self.done(
                "INSERT INTO journal (run, seq, at, epoch, actor, kind, version, facts, words, facts_hash,
                     words_hash, hash, erased) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    run.as_str(),
                    int(record.seq.0),
                    record.at.0,
                    int(record.epoch.0),
                    record.actor,
                    record.kind,
                    record.version,
                    record.facts,
                    words,
                    record.facts_hash.0,
                    record.words_hash.0,
                    record.hash.0,
                    record.erased.as_ref().map(json),
                ],
            )?;
        }
        Ok(())
    }

    fn record_hash(&self, run: &RunId, seq: Seq) -> Result<Option<Digest>, Fault> {
        let sql = "SELECT hash FROM journal WHERE run = ?1 AND seq = ?2";
        self.one(sql, params![run.as_str(), int(seq.0)], |row| columns::hash(row, 0))
    }

    fn erase_words(&mut self, run: &RunId, seq: Seq, erasure: &Erasure) -> Result<(), Fault> {
        let sql = "UPDATE journal SET words = NULL, erased = ?3
             WHERE run = ?1 AND seq = ?2 AND words IS NOT NULL";
        self.done(sql, params![run.as_str(), int(seq.0), json(erasure)])
    }

    fn wait(&self, wait: &WaitId) -> Result<Option<Wait>, Fault> {
        let sql = format!("SELECT {} FROM waits WHERE wait = ?1", columns::WAIT);
        self.one(&sql, [wait.to_string()], columns::wait)
    }

    fn insert_wait(&mut self, wait: &Wait) -> Result<(), Fault> {
        self.write_wait(wait)
    }

    fn update_wait(&mut self, wait: &Wait) -> Result<(), Fault> {
        self.write_wait_state(wait)
    }

    fn waits_due(&self, now: Time, most: usize) -> Result<Vec<WaitId>, Fault> {
        let sql = "SELECT wait FROM waits WHERE answered IS NULL AND settled IS NULL AND due IS NOT NULL
             AND due <= ?1 ORDER BY due LIMIT ?2";
        self.many(sql, params![now.0, limit(most)], |row| parsed(row, 0))
    }

    fn signal_keyed(&self, run: &RunId, key: &str) -> Result<Option<SignalId>, Fault> {
        let sql = "SELECT no FROM signals WHERE run = ?1 AND key = ?2";
        self.one(sql, [run.as_str(), key], |row| columns::count(row, 0).map(SignalId))
    }

    fn insert_signal(&mut self, run: &RunId, signal: &Signal) -> Result<(), Fault> {
        self.done(
            "INSERT INTO signals (run, no, at, sender, kind, body, key) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                run.as_str(),
                int(signal.id.0),
                signal.at.0,
                json(&signal.from),
                signal.kind,
                signal.body.as_ref().map(json),
                signal.key,
            ],
        )
    }

    fn drop_bodies(&mut self, run: &RunId, after: SignalId, upto: SignalId) -> Result<(), Fault> {
        let sql = "UPDATE signals SET body = NULL WHERE run = ?1 AND no > ?2 AND no <= ?3";
        self.done(sql, params![run.as_str(), int(after.0), int(upto.0)])
    }

    fn request(&self, workspace: &str, key: &str) -> Result<Option<(RunId, Digest)>, Fault> {
        let sql = "SELECT run, digest FROM requests WHERE workspace = ?1 AND key = ?2";
        self.one(sql, [workspace, key], |row| Ok((parsed(row, 0)?, parsed(row, 1)?)))
    }

    fn insert_request(
        &mut self,
        workspace: &str,
        dedupe: &Dedupe,
        run: &RunId,
        now: Time,
    ) -> Result<(), Fault> {
        let sql = "INSERT INTO requests (workspace, key, run, digest, at) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.done(sql, params![workspace, dedupe.key, run.as_str(), dedupe.request.to_string(), now.0])
    }

    fn has_artifact(&self, digest: &Digest) -> Result<bool, Fault> {
        let sql = "SELECT 1 FROM artifacts WHERE digest = ?1";
        Ok(self.one(sql, [digest.to_string()], |_| Ok(()))?.is_some())
    }

    fn use_artifacts(&mut self, run: &RunId, digests: &[Digest]) -> Result<(), Fault> {
        for digest in digests {
            let sql = "INSERT OR IGNORE INTO artifact_uses (digest, run) VALUES (?1, ?2)";
            self.done(sql, [digest.to_string().as_str(), run.as_str()])?;
        }
        Ok(())
    }

    fn drop_artifact(&mut self, run: &RunId, digest: &Digest) -> Result<(), Fault> {
        let digest = digest.to_string();
        self.done("DELETE FROM artifact_uses WHERE digest = ?1 AND run = ?2", [&digest, run.as_str()])?;
        let unused = "digest = ?1 AND NOT EXISTS (SELECT 1 FROM artifact_uses u WHERE u.digest = ?1)";
        let parts = format!(
            "DELETE FROM artifact_parts WHERE upload IN (SELECT upload FROM artifacts WHERE {unused})"
        );
        self.done(&parts, [&digest])?;
        self.done(&format!("DELETE FROM artifacts WHERE {unused}"), [&digest])
    }

    fn session(&self, session: &SessionId) -> Result<Option<SessionRow>, Fault> {
        let sql = format!("SELECT {} FROM sessions WHERE session = ?1", columns::SESSION);
        self.one(&sql, [session.as_str()], columns::session)
    }

    fn insert_session(&mut self, row: &SessionRow) -> Result<(), Fault> {
        self.write_session(row)
    }

    fn update_session(&mut self, row: &SessionRow) -> Result<(), Fault> {
        self.change_session(row)
    }

    fn insert_entry(&mut self, session: &SessionId, entry: &Entry) -> Result<(), Fault> {
        let (run, seq, body) = match &entry.source {
            EntrySource::Event { run, seq } => (Some(run.as_str()), Some(int(seq.0)), None),
            EntrySource::Body(body) => (None, None, Some(json(body))),
        };
        let sql = "INSERT INTO session_entries (session, no, kind, run, seq, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.done(sql, params![session.as_str(), int(entry.no), entry.kind, run, seq, body])
    }

    fn entry(&self, session: &SessionId, no: u64) -> Result<Option<Entry>, Fault> {
        let sql = format!("SELECT {} FROM session_entries WHERE session = ?1 AND no = ?2", columns::ENTRY);
        self.one(&sql, params![session.as_str(), int(no)], columns::entry)
    }

    fn copy_entries(&mut self, from: &SessionId, to: &SessionId, upto: u64) -> Result<(), Fault> {
        let sql = "INSERT INTO session_entries (session, no, kind, run, seq, body)
             SELECT ?2, no, kind, run, seq, body FROM session_entries WHERE session = ?1 AND no <= ?3";
        self.done(sql, params![from.as_str(), to.as_str(), int(upto)])
    }

    fn insert_start(
        &mut self,
        session: &SessionId,
        run: &RunId,
        entries: &[SessionEntry],
    ) -> Result<(), Fault> {
        let sql = "INSERT INTO session_starts (session, no, run, entries)
             SELECT ?1, coalesce(max(no), 0) + 1, ?2, ?3 FROM session_starts WHERE session = ?1";
        self.done(sql, params![session.as_str(), run.as_str(), json(&entries)])
    }

    fn first_start(&self, session: &SessionId) -> Result<Option<QueuedStart>, Fault> {
        let sql = "SELECT no, run, entries FROM session_starts WHERE session = ?1 ORDER BY no LIMIT 1";
        self.one(sql, [session.as_str()], |row| {
            Ok(QueuedStart {
                no: columns::count(row, 0)?,
                run: parsed(row, 1)?,
                entries: columns::from_json(row, 2)?,
            })
        })
    }

    fn remove_start(&mut self, session: &SessionId, no: u64) -> Result<(), Fault> {
        let sql = "DELETE FROM session_starts WHERE session = ?1 AND no = ?2";
        self.done(sql, params![session.as_str(), int(no)])
    }

    fn worker(&self, worker: &WorkerId) -> Result<Option<Worker>, Fault> {
        let sql = format!("SELECT {} FROM workers WHERE worker = ?1", columns::WORKER);
        self.one(&sql, [worker.as_str()], columns::worker)
    }

    fn insert_worker(&mut self, worker: &Worker) -> Result<(), Fault> {
        let sql = "INSERT INTO workers (worker, started, beat, until, dead, about)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let (beat, about) = (int(worker.beat), json(&worker.about));
        let row = params![worker.worker.as_str(), worker.started.0, beat, worker.until.0, worker.dead, about];
        self.done(sql, row)
    }

    fn update_worker(&mut self, worker: &Worker) -> Result<(), Fault> {
        let sql = "UPDATE workers SET beat = ?2, until = ?3, dead = ?4 WHERE worker = ?1";
        self.done(sql, params![worker.worker.as_str(), int(worker.beat), worker.until.0, worker.dead])
    }

    fn workers_expired(&self, now: Time, most: usize) -> Result<Vec<WorkerId>, Fault> {
        let sql = "SELECT worker FROM workers WHERE NOT dead AND until < ?1 ORDER BY worker LIMIT ?2";
        self.many(sql, params![now.0, limit(most)], |row| parsed(row, 0))
    }

    fn workers_unfreed(&self, most: usize) -> Result<Vec<WorkerId>, Fault> {
        let sql =
            "SELECT worker FROM workers w WHERE dead AND EXISTS (SELECT 1 FROM runs WHERE owner = w.worker)
             ORDER BY worker LIMIT ?1";
        self.many(sql, [limit(most)], |row| parsed(row, 0))
    }

    fn seal(&mut self, run: &RunId, action: ActionId, bytes: &[u8]) -> Result<(), Fault> {
        let sql = "INSERT OR REPLACE INTO sealed (run, action, bytes) VALUES (?1, ?2, ?3)";
        self.done(sql, params![run.as_str(), action.to_string(), bytes])
    }

    fn unseal(&mut self, run: &RunId, action: ActionId) -> Result<(), Fault> {
        let sql = "DELETE FROM sealed WHERE run = ?1 AND action = ?2";
        self.done(sql, [run.as_str(), action.to_string().as_str()])
    }

    fn unseal_all(&mut self, run: &RunId) -> Result<(), Fault> {
        self.done("DELETE FROM sealed WHERE run = ?1", [run.as_str()])
    }

    fn grant(&mut self, workspace: &str, approval: &StandingApproval) -> Result<(), Fault> {
        let sql = "INSERT OR REPLACE INTO approvals
             (workspace, scope, tool, granted_by, at, run, reason, covers, until, action)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let StandingApproval { scope, tool, covers, until, by, at, run, action, reason } = approval;
        let (until, action) = (until.map(|until| until.0), action.map(|action| action.to_string()));
        let (by, covers) = (json(by), json(covers));
        self.done(sql, params![workspace, scope, tool, by, at.0, run.as_str(), reason, covers, until, action])
    }

    fn drop_reasons(&mut self, run: &RunId) -> Result<(), Fault> {
        self.done("UPDATE approvals SET reason = NULL WHERE run = ?1", [run.as_str()])
    }

    fn revoke(&mut self, workspace: &str, scope: &str, now: Time) -> Result<bool, Fault> {
        let sql = "UPDATE approvals SET revoked = ?3 WHERE workspace = ?1 AND scope = ?2 AND revoked IS NULL";
        Ok(self.execute(sql, params![workspace, scope, now.0])? > 0)
    }

    fn stale_sessions(&self, filter: &PruneFilter) -> Result<Vec<SessionId>, Fault> {
        let sql = "SELECT session FROM sessions WHERE active_run IS NULL AND updated < ?1
             AND (?2 IS NULL OR workspace = ?2) ORDER BY session LIMIT ?3";
        let params = params![filter.before.0, filter.workspace, limit(filter.most)];
        self.many(sql, params, |row| parsed(row, 0))
    }

    fn delete_session(&mut self, session: &SessionId) -> Result<(), Fault> {
        for table in ["sessions", "session_entries", "session_starts"] {
            self.done(&format!("DELETE FROM {table} WHERE session = ?1"), [session.as_str()])?;
        }
        Ok(())
    }

    fn stale_runs(&self, filter: &PruneFilter, going: &[SessionId]) -> Result<Vec<RunId>, Fault> {
        let sql = "SELECT run FROM runs WHERE root IN (
                SELECT DISTINCT root FROM runs t WHERE (?2 IS NULL OR workspace = ?2) AND NOT EXISTS (
                    SELECT 1 FROM runs r WHERE r.root = t.root AND (r.ended IS NULL OR r.ended >= ?1
                        OR EXISTS (SELECT 1 FROM session_entries e WHERE e.run = r.run
                            AND e.session NOT IN (SELECT value FROM json_each(?4)))))
                ORDER BY root LIMIT ?3)";
        let params = params![filter.before.0, filter.workspace, limit(filter.most), json(&going)];
        self.many(sql, params, |row| parsed(row, 0))
    }

    fn delete_run(&mut self, pruned: &Pruned) -> Result<(), Fault> {
        for table in ["runs", "journal", "signals", "waits", "requests", "sealed", "artifact_uses"] {
            self.done(&format!("DELETE FROM {table} WHERE run = ?1"), [pruned.run.as_str()])?;
        }
        let sql = "INSERT OR REPLACE INTO pruned (run, head, hash, at) VALUES (?1, ?2, ?3, ?4)";
        self.done(sql, params![pruned.run.as_str(), int(pruned.head.0), pruned.hash.0, pruned.at.0])
    }

    fn delete_unused_artifacts(&mut self, before: Time) -> Result<usize, Fault> {
        let sql = "DELETE FROM artifacts WHERE created < ?1
             AND NOT EXISTS (SELECT 1 FROM artifact_uses u WHERE u.digest = artifacts.digest)";
        let count = self.execute(sql, [before.0])?;
        let sql = "DELETE FROM artifact_parts WHERE at < ?1
             AND upload NOT IN (SELECT upload FROM artifacts WHERE upload IS NOT NULL)";
        self.done(sql, [before.0])?;
        Ok(count)
    }

    fn delete_dead_workers(&mut self, before: Time) -> Result<(), Fault> {
        let sql = "DELETE FROM workers WHERE dead AND until < ?1
             AND NOT EXISTS (SELECT 1 FROM runs WHERE owner = workers.worker)";
        self.done(sql, [before.0])
    }
}
