//! The rows with many columns: runs, waits, sessions.

use provost_engine::{RunId, SessionId, WorkerId};
use provost_runtime::port::Fault;
use provost_runtime::store::{RunRow, SessionRow, Wait};
use rusqlite::params;
use serde_json::Value;

use super::columns::{self, int, json};
use super::db::Db;

/// Whether a change is the one of a plain step.
fn is_step(before: &RunRow, after: &RunRow) -> bool {
    let expected = RunRow {
        head: after.head,
        head_hash: after.head_hash,
        updated: after.updated,
        claims: after.claims,
        taken: after.taken,
        ..before.clone()
    };
    expected == *after
}

fn opt_int(value: Option<u64>) -> Option<i64> {
    value.map(int)
}

impl Db<'_> {
    /// Adds a run.
    pub(super) fn write_run(&self, row: &RunRow, summary: &Value) -> Result<(), Fault> {
        let sql = format!(
            "INSERT INTO runs ({}, summary) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, \
             ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)",
            columns::RUN
        );
        self.done(
            &sql,
            params![
                row.run.as_str(),
                row.root.as_str(),
                row.parent.as_ref().map(RunId::as_str),
                row.workspace,
                row.agent,
                row.agent_digest.to_string(),
                row.session.as_ref().map(SessionId::as_str),
                opt_int(row.session_from),
                row.awaits_session,
                row.queue,
                row.priority,
                row.not_before.map(|time| time.0),
                row.status,
                int(row.head.0),
                row.head_hash.0,
                int(row.epoch.0),
                row.owner.as_ref().map(WorkerId::as_str),
                row.ready,
                row.due.map(|time| time.0),
                row.claims,
                int(row.inbox.0),
                int(row.taken.0),
                row.created.0,
                row.updated.0,
                row.ended.map(|time| time.0),
                json(summary),
            ],
        )
    }

    /// Changes a run. A plain step has a statement of its own, and `ended` is set only when it changes, since
    /// setting an indexed column rewrites its index even when the value stays.
    pub(super) fn change_run(
        &self,
        before: &RunRow,
        after: &RunRow,
        summary: Option<&Value>,
    ) -> Result<(), Fault> {
        if summary.is_none() && is_step(before, after) {
            return self.update_step(before, after);
        }
        let ended = if before.ended == after.ended { "" } else { "ended = ?15, " };
        let sql = format!(
            "UPDATE runs SET session_from = ?2, awaits_session = ?3, status = ?4, head = ?5, head_hash = ?6,
                 epoch = ?7, owner = ?8, ready = ?9, due = ?10, claims = ?11, inbox = ?12, taken = ?13,
                 updated = ?14, {ended}summary = coalesce(?16, summary) WHERE run = ?1"
        );
        self.done(
            &sql,
            params![
                after.run.as_str(),
                opt_int(after.session_from),
                after.awaits_session,
                after.status,
                int(after.head.0),
                after.head_hash.0,
                int(after.epoch.0),
                after.owner.as_ref().map(WorkerId::as_str),
                after.ready,
                after.due.map(|time| time.0),
                after.claims,
                int(after.inbox.0),
                int(after.taken.0),
                after.updated.0,
                after.ended.map(|time| time.0),
                summary.map(json),
            ],
        )
    }

    /// Changes what a plain step changes. Touches no index unless signals were taken.
    fn update_step(&self, before: &RunRow, after: &RunRow) -> Result<(), Fault> {
        let (head, updated) = (int(after.head.0), after.updated.0);
        if before.taken == after.taken {
            let sql = "UPDATE runs SET head = ?2, head_hash = ?3, updated = ?4, claims = ?5 WHERE run = ?1";
            return self
                .done(sql, params![after.run.as_str(), head, after.head_hash.0, updated, after.claims]);
        }
        let sql =
            "UPDATE runs SET head = ?2, head_hash = ?3, updated = ?4, claims = ?5, taken = ?6 WHERE run = ?1";
        let taken = int(after.taken.0);
        self.done(sql, params![after.run.as_str(), head, after.head_hash.0, updated, after.claims, taken])
    }

    /// Adds a wait.
    pub(super) fn write_wait(&self, wait: &Wait) -> Result<(), Fault> {
        let row = &wait.row;
        self.done(
            "INSERT INTO waits (wait, run, root, path, workspace, kind, actions, opened, due, on_due, ask,
                 schema, binding, may_answer, supersedable)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            params![
                row.wait.to_string(),
                row.wait.run.as_str(),
                row.root.as_str(),
                row.path,
                row.workspace,
                row.kind,
                json(&row.actions),
                wait.opened.0,
                row.due.map(|time| time.0),
                json(&row.on_due),
                json(&row.ask),
                row.schema.as_ref().map(json),
                row.binding.to_string(),
                json(&row.may_answer),
                row.supersedable,
            ],
        )?;
        if wait.settled.is_some() { self.write_wait_state(wait) } else { Ok(()) }
    }

    /// Changes question, answer and settlement of a wait.
    pub(super) fn write_wait_state(&self, wait: &Wait) -> Result<(), Fault> {
        let (given, settled) = (wait.answered.as_ref(), wait.settled.as_ref());
        self.done(
            "UPDATE waits SET ask = ?2, answered = ?3, answered_by = ?4, answer = ?5, settled = ?6,
                 settled_by = ?7, how = ?8 WHERE wait = ?1",
            params![
                wait.row.wait.to_string(),
                json(&wait.row.ask),
                given.map(|given| given.at.0),
                given.map(|given| json(&given.by)),
                given.and_then(|given| given.answer.as_ref().map(json)),
                settled.map(|settled| settled.at.0),
                settled.map(|settled| json(&settled.by)),
                settled.map(|settled| settled.how.as_str()),
            ],
        )
    }

    /// Adds a session.
    pub(super) fn write_session(&self, row: &SessionRow) -> Result<(), Fault> {
        let about = &row.about;
        self.done(
            "INSERT INTO sessions (session, workspace, owner, agent, context, title, metadata, version, head,
                 created, updated) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                about.session.as_str(),
                about.workspace,
                about.owner,
                about.agent,
                about.context,
                about.title,
                json(&about.metadata),
                int(row.version),
                int(row.head),
                row.created.0,
                row.updated.0,
            ],
        )
    }

    /// Changes a session.
    pub(super) fn change_session(&self, row: &SessionRow) -> Result<(), Fault> {
        let fork = row.forked_from.as_ref();
        self.done(
            "UPDATE sessions SET title = ?2, provider_response_id = ?3, active_run = ?4, version = ?5, head = ?6,
                 updated = ?7, forked_from = ?8, forked_upto = ?9 WHERE session = ?1",
            params![
                row.about.session.as_str(),
                row.about.title,
                row.provider_response_id,
                row.active_run.as_ref().map(RunId::as_str),
                int(row.version),
                int(row.head),
                row.updated.0,
                fork.map(|fork| fork.session.as_str()),
                fork.map(|fork| int(fork.upto)),
            ],
        )
    }
}
