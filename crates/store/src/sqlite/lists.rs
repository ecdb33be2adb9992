//! Reading: one query per question, each with an index of its own.

use provost_engine::{
    ActionId, Epoch, Record, RunId, Seq, SessionId, SignalId, StandingApproval, Time, WaitId, WorkerId,
};
use provost_runtime::store::{
    Claimed, Cursor, Entry, ListedRun, Page, Pruned, RecentSession, RowProblem, RunCursor, RunFilter,
    RunProblem, SessionCursor, SessionFilter, SessionRow, Signal, StoreStats, Wait, WaitCursor, WaitFilter,
    WaitState, Worker,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Params, Result, Row, params};

use super::columns::{self, count, int, json, limit, parsed};

fn many<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(params, read)?.collect()
}

fn one<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    connection.prepare_cached(sql)?.query_row(params, read).optional()
}

/// A `WHERE` that grows with the filter, so that the planner sees only what is asked.
#[derive(Default)]
struct Conditions {
    sql: String,
    values: Vec<Value>,
}

impl Conditions {
    fn always(&mut self, condition: &str) {
        self.sql.push_str(if self.sql.is_empty() { " WHERE " } else { " AND " });
        self.sql.push_str(condition);
    }

    fn when(&mut self, condition: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.always(condition);
            self.values.push(value.into());
        }
    }

    fn behind<Id: ToString>(&mut self, condition: &str, cursor: Option<Cursor<Id>>) {
        if let Some(cursor) = cursor {
            self.always(condition);
            self.values.extend([Value::from(cursor.at.0), Value::from(cursor.id.to_string())]);
        }
    }

    /// Returns the query for one item more than a page has, which shows whether there is a next one.
    fn query(mut self, select: &str, order: &str, most: usize) -> Query {
        self.values.push(limit(most.saturating_add(1)).into());
        Query { sql: format!("{select}{} ORDER BY {order} LIMIT ?", self.sql), values: self.values }
    }
}

/// The query of one page.
pub(super) struct Query {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Query {
    fn page<T, Id>(
        self,
        connection: &Connection,
        most: usize,
        read: impl FnMut(&Row<'_>) -> Result<T>,
        cursor: impl Fn(&T) -> Cursor<Id>,
    ) -> Result<Page<T, Id>> {
        let items = many(connection, &self.sql, rusqlite::params_from_iter(self.values), read)?;
        Ok(Page::of(items, most, cursor))
    }
}

pub(super) fn journal(connection: &Connection, run: &RunId, after: Seq, most: usize) -> Result<Vec<Record>> {
    let sql =
        format!("SELECT {} FROM journal WHERE run = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3", columns::RECORD);
    many(connection, &sql, params![run.as_str(), int(after.0), limit(most)], |row| columns::record(row, 0))
}

pub(super) fn tails(
    connection: &Connection,
    after: &[(RunId, Seq)],
    each: usize,
) -> Result<Vec<(RunId, Record)>> {
    let sql = format!(
        "SELECT run, {} FROM json_each(?1) AS wanted CROSS JOIN journal ON run = wanted.value ->> 0
             AND seq > wanted.value ->> 1 AND seq <= (wanted.value ->> 1) + ?2
         ORDER BY wanted.key, seq",
        columns::RECORD
    );
    let wanted = json(&after);
    let each = i64::try_from(each).unwrap_or(i64::MAX).min(i64::from(u32::MAX));
    many(connection, &sql, params![wanted, each], |row| Ok((parsed(row, 0)?, columns::record(row, 1)?)))
}

pub(super) fn run(connection: &Connection, run: &RunId) -> Result<Option<ListedRun>> {
    let sql = format!("SELECT {}, summary FROM runs WHERE run = ?1", columns::RUN);
    one(connection, &sql, [run.as_str()], columns::listed)
}

pub(super) fn runs(
    connection: &Connection,
    filter: RunFilter,
    after: Option<RunCursor>,
    most: usize,
) -> Result<Page<ListedRun, RunId>> {
    runs_query(filter, after, most).page(connection, most, columns::listed, |listed| Cursor {
        at: listed.row.created,
        id: listed.row.run.clone(),
    })
}

pub(super) fn runs_query(filter: RunFilter, after: Option<RunCursor>, most: usize) -> Query {
    let mut conditions = Conditions::default();
    // A session or a tree has few runs, a workspace many: the plus takes its index out of the choice.
    let few = filter.session.is_some() || filter.parent.is_some() || filter.root.is_some();
    conditions.when(if few { "+workspace = ?" } else { "workspace = ?" }, filter.workspace);
    conditions.when("status = ?", filter.status);
    conditions.when("agent = ?", filter.agent);
    conditions.when("session = ?", filter.session.map(String::from));
    conditions.when("parent = ?", filter.parent.map(String::from));
    conditions.when("root = ?", filter.root.map(String::from));
    match filter.ended {
        Some(true) => conditions.always("ended IS NOT NULL"),
        Some(false) => conditions.always("ended IS NULL"),
        None => {}
    }
    conditions.behind("(created, run) < (?, ?)", after);
    let select = format!("SELECT {}, summary FROM runs", columns::RUN);
    conditions.query(&select, "created DESC, run DESC", most)
}

pub(super) fn wait(connection: &Connection, wait: &WaitId) -> Result<Option<Wait>> {
    let sql = format!("SELECT {} FROM waits WHERE wait = ?1", columns::WAIT);
    one(connection, &sql, [wait.to_string()], columns::wait)
}

pub(super) fn waits(
    connection: &Connection,
    filter: WaitFilter,
    after: Option<WaitCursor>,
    most: usize,
) -> Result<Page<Wait, WaitId>> {
    waits_query(filter, after, most)
        .page(connection, most, columns::wait, |wait| Cursor { at: wait.opened, id: wait.row.wait.clone() })
}

pub(super) fn waits_query(filter: WaitFilter, after: Option<WaitCursor>, most: usize) -> Query {
    let mut conditions = Conditions::default();
    match filter.state {
        WaitState::Unanswered => conditions.always("answered IS NULL AND settled IS NULL"),
        WaitState::Unsettled => conditions.always("settled IS NULL"),
        WaitState::Any => {}
    }
    let few = filter.session.is_some() || filter.run.is_some() || filter.root.is_some();
    conditions.when(if few { "+workspace = ?" } else { "workspace = ?" }, filter.workspace);
    conditions.when("run = ?", filter.run.map(String::from));
    conditions.when("root = ?", filter.root.map(String::from));
    conditions.when("kind = ?", filter.kind);
    conditions.when("root IN (SELECT run FROM runs WHERE session = ?)", filter.session.map(String::from));
    conditions.behind("(opened, wait) > (?, ?)", after);
    let select = format!("SELECT {} FROM waits", columns::WAIT);
    conditions.query(&select, "opened, wait", most)
}

pub(super) fn signals(
    connection: &Connection,
    run: &RunId,
    after: SignalId,
    most: usize,
) -> Result<Vec<Signal>> {
    let sql =
        format!("SELECT {} FROM signals WHERE run = ?1 AND no > ?2 ORDER BY no LIMIT ?3", columns::SIGNAL);
    many(connection, &sql, params![run.as_str(), int(after.0), limit(most)], columns::signal)
}

pub(super) fn standing(connection: &Connection, workspace: &str) -> Result<Vec<StandingApproval>> {
    let sql = "SELECT scope, tool, granted_by, at, run, reason, covers, until, action FROM approvals
         WHERE workspace = ?1 AND revoked IS NULL ORDER BY scope";
    many(connection, sql, [workspace], columns::standing)
}

pub(super) fn all_standing(connection: &Connection) -> Result<Vec<StandingApproval>> {
    let sql = "SELECT scope, tool, granted_by, at, run, reason, covers, until, action FROM approvals
         WHERE revoked IS NULL ORDER BY workspace, scope";
    many(connection, sql, [], columns::standing)
}

pub(super) fn sealed(connection: &Connection, run: &RunId, action: ActionId) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT bytes FROM sealed WHERE run = ?1 AND action = ?2";
    one(connection, sql, [run.as_str(), &action.to_string()], |row| row.get(0))
}

pub(super) fn worker(connection: &Connection, worker: &WorkerId) -> Result<Option<Worker>> {
    let sql = format!("SELECT {} FROM workers WHERE worker = ?1", columns::WORKER);
    Ok(many(connection, &sql, [worker.as_str()], columns::worker)?.into_iter().next())
}

pub(super) fn workers(connection: &Connection) -> Result<Vec<Worker>> {
    let sql = format!("SELECT {} FROM workers WHERE NOT dead ORDER BY worker", columns::WORKER);
    many(connection, &sql, [], columns::worker)
}

pub(super) fn mail(connection: &Connection, worker: &WorkerId) -> Result<Vec<RunId>> {
    let sql = "SELECT run FROM runs WHERE owner = ?1 AND owner IS NOT NULL AND inbox > taken ORDER BY run";
    many(connection, sql, [worker.as_str()], |row| parsed(row, 0))
}

pub(super) fn held(connection: &Connection, worker: &WorkerId) -> Result<Vec<Claimed>> {
    let sql = "SELECT run, epoch, head, claims FROM runs WHERE owner = ?1 AND owner IS NOT NULL ORDER BY run";
    many(connection, sql, [worker.as_str()], |row| {
        let number = |index| row.get::<_, i64>(index).map(|number| u64::try_from(number).unwrap_or_default());
        Ok(Claimed {
            run: parsed(row, 0)?,
            epoch: Epoch(number(1)?),
            head: Seq(number(2)?),
            claims: row.get(3)?,
        })
    })
}

pub(super) fn next_due(connection: &Connection) -> Result<Option<Time>> {
    let sql = "SELECT min(due) FROM (
            SELECT min(due) AS due FROM runs WHERE owner IS NULL AND NOT ready AND due IS NOT NULL
            UNION ALL
            SELECT min(due) FROM waits WHERE answered IS NULL AND settled IS NULL AND due IS NOT NULL)";
    let due = one(connection, sql, [], |row| row.get::<_, Option<i64>>(0))?;
    Ok(due.flatten().map(Time))
}

pub(super) fn session(connection: &Connection, session: &SessionId) -> Result<Option<SessionRow>> {
    let sql = format!("SELECT {} FROM sessions WHERE session = ?1", columns::SESSION);
    one(connection, &sql, [session.as_str()], columns::session)
}

pub(super) fn sessions(
    connection: &Connection,
    filter: SessionFilter,
    after: Option<SessionCursor>,
    most: usize,
) -> Result<Page<SessionRow, SessionId>> {
    sessions_query(filter, after, most).page(connection, most, columns::session, |row| Cursor {
        at: row.created,
        id: row.about.session.clone(),
    })
}

pub(super) fn sessions_query(filter: SessionFilter, after: Option<SessionCursor>, most: usize) -> Query {
    let mut conditions = Conditions::default();
    conditions.when("workspace = ?", filter.workspace);
    conditions.when("owner = ?", filter.owner);
    conditions.when("agent = ?", filter.agent);
    conditions.when("context = ?", filter.context);
    conditions.behind("(created, session) < (?, ?)", after);
    let select = format!("SELECT {} FROM sessions", columns::SESSION);
    conditions.query(&select, "created DESC, session DESC", most)
}

pub(super) fn session_entries(
    connection: &Connection,
    session: &SessionId,
    after: u64,
    most: usize,
) -> Result<Vec<Entry>> {
    let sql = format!(
        "SELECT {} FROM session_entries WHERE session = ?1 AND no > ?2 ORDER BY no LIMIT ?3",
        columns::ENTRY
    );
    many(connection, &sql, params![session.as_str(), int(after), limit(most)], columns::entry)
}

pub(super) fn recent_pending(connection: &Connection, recent: &RecentSession) -> Result<Option<SessionRow>> {
    let sql = format!(
        "SELECT {} FROM sessions WHERE workspace = ?1 AND owner = ?2 AND context = ?3 AND created >= ?4
             AND (?5 IS NULL OR metadata ->> '$.token_id' = ?5)
         ORDER BY created DESC, session DESC LIMIT 1",
        columns::SESSION
    );
    let RecentSession { workspace, owner, context, token, since } = recent;
    let newest = one(connection, &sql, params![workspace, owner, context, since.0, token], columns::session)?;
    Ok(newest.filter(|row| row.head == 0 || row.active_run.is_some()))
}

pub(super) fn pruned(connection: &Connection) -> Result<Vec<Pruned>> {
    let sql = "SELECT run, head, hash, at FROM pruned ORDER BY at, run";
    many(connection, sql, [], |row| {
        let (head, hash) = (Seq(count(row, 1)?), columns::hash(row, 2)?);
        Ok(Pruned { run: parsed(row, 0)?, head, hash, at: Time(row.get(3)?) })
    })
}

/// Counts what the tables hold. `sum(head)` is the number of records, without reading them.
pub(super) fn stats(connection: &Connection) -> Result<StoreStats> {
    let sql = "SELECT
            (SELECT count(*) FROM runs), (SELECT count(*) FROM runs WHERE ended IS NULL),
            (SELECT count(*) FROM runs WHERE ready), (SELECT count(*) FROM runs WHERE owner IS NOT NULL),
            (SELECT coalesce(sum(head), 0) FROM runs),
            (SELECT count(*) FROM waits WHERE answered IS NULL AND settled IS NULL),
            (SELECT count(*) FROM sessions), (SELECT count(*) FROM artifacts),
            (SELECT coalesce(sum(size), 0) FROM artifacts),
            (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)";
    connection.query_row(sql, [], |row| {
        Ok(StoreStats {
            runs: count(row, 0)?,
            open: count(row, 1)?,
            ready: count(row, 2)?,
            owned: count(row, 3)?,
            records: count(row, 4)?,
            waits: count(row, 5)?,
            sessions: count(row, 6)?,
            artifacts: count(row, 7)?,
            artifact_bytes: count(row, 8)?,
            disk_bytes: count(row, 9)?,
            checkpoint_problem: None,
        })
    })
}

pub(super) fn verify_rows(connection: &Connection) -> Result<Vec<RowProblem>> {
    let sql = "SELECT DISTINCT run FROM journal WHERE run NOT IN (SELECT run FROM runs)";
    let mut problems =
        many(connection, sql, [], |row| Ok(RowProblem { run: parsed(row, 0)?, problem: RunProblem::NoRow }))?;
    let sql =
        "SELECT run, head, last, (SELECT hash FROM journal j WHERE j.run = r.run AND seq = last) = head_hash
         FROM (SELECT run, head, head_hash, (SELECT max(seq) FROM journal j WHERE j.run = runs.run) AS last
               FROM runs) AS r";
    let rows = many(connection, sql, [], |row| {
        let (run, head, last) = (parsed(row, 0)?, Seq(count(row, 1)?), row.get::<_, Option<i64>>(2)?);
        let problem = match last.map(|last| Seq(last.unsigned_abs())) {
            None => Some(RunProblem::NoJournal),
            Some(journal) if journal != head => Some(RunProblem::Head { row: head, journal }),
            Some(_) if !row.get::<_, bool>(3)? => Some(RunProblem::Hash),
            Some(_) => None,
        };
        Ok(problem.map(|problem| RowProblem { run, problem }))
    })?;
    problems.extend(rows.into_iter().flatten());
    Ok(problems)
}
