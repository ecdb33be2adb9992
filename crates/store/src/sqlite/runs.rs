//! The rows of runs in SQLite.

use provost_runtime::RunId;
use provost_runtime::port::{Boxed, Cursor, Fault, RunFilter, RunPage, RunRow, Runs, Seq};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params_from_iter};

use super::broken::Broken;
use super::counter::{counted, stored};
use super::database::Database;

const COLUMNS: &str = "run, workspace, agent, session, parent, status, created_at_ms, updated_at_ms, head, \
                       wake_at_ms, summary";

impl Runs for Database {
    fn get<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Option<RunRow>, Fault>> {
        let run = run.clone();
        Box::pin(self.read(move |connection| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {COLUMNS} FROM run_rows WHERE run = ?1"))?;
            statement.query_row([run.as_str()], |row| Ok(read_row(row))).optional()?.transpose()
        }))
    }

    fn list<'a>(
        &'a self,
        filter: &'a RunFilter,
        limit: usize,
        after: Option<&'a Cursor>,
    ) -> Boxed<'a, Result<RunPage, Fault>> {
        let query = Query::of(filter, limit.max(1), after);
        Box::pin(self.read(move |connection| query.run(connection)))
    }

    fn rebuild(&self, row: RunRow) -> Boxed<'_, Result<(), Fault>> {
        Box::pin(self.write(move |connection| write(connection, &row)))
    }
}

/// Writes a row, unless the stored one is of a later head.
pub(super) fn write(connection: &Connection, row: &RunRow) -> Result<(), Broken> {
    connection
        .prepare_cached(
            "INSERT INTO run_rows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (run) DO UPDATE SET
                 workspace = excluded.workspace, agent = excluded.agent, session = excluded.session,
                 parent = excluded.parent, status = excluded.status, created_at_ms = excluded.created_at_ms,
                 updated_at_ms = excluded.updated_at_ms, head = excluded.head,
                 wake_at_ms = excluded.wake_at_ms, summary = excluded.summary
             WHERE head <= excluded.head",
        )?
        .execute((
            row.run.as_str(),
            &row.workspace,
            &row.agent,
            &row.session,
            row.parent.as_ref().map(RunId::as_str),
            &row.status,
            row.created_at_ms,
            row.updated_at_ms,
            stored(row.head.0),
            row.wake_at_ms,
            &row.summary,
        ))?;
    Ok(())
}

fn read_row(row: &Row<'_>) -> Result<RunRow, Broken> {
    let name = |text: String| text.parse::<RunId>().map_err(|error| Broken::Damaged(error.to_string()));
    Ok(RunRow {
        run: name(row.get(0)?)?,
        workspace: row.get(1)?,
        agent: row.get(2)?,
        session: row.get(3)?,
        parent: row.get::<_, Option<String>>(4)?.map(name).transpose()?,
        status: row.get(5)?,
        created_at_ms: row.get(6)?,
        updated_at_ms: row.get(7)?,
        head: Seq(counted(row.get(8)?)),
        wake_at_ms: row.get(9)?,
        summary: row.get(10)?,
    })
}

/// A list: only the conditions that filter, so that the indexes can be used.
struct Query {
    sql: String,
    values: Vec<Value>,
    limit: usize,
}

impl Query {
    fn of(filter: &RunFilter, limit: usize, after: Option<&Cursor>) -> Self {
        let mut query =
            Self { sql: format!("SELECT {COLUMNS} FROM run_rows WHERE TRUE"), values: Vec::new(), limit };
        if !filter.statuses.is_empty() {
            let marks = vec!["?"; filter.statuses.len()].join(", ");
            query
                .condition(&format!("status IN ({marks})"), filter.statuses.iter().cloned().map(Value::Text));
        }
        let text = |text: &str| [Value::Text(text.to_owned())];
        if let Some(workspace) = &filter.workspace {
            query.condition("workspace = ?", text(workspace));
        }
        if let Some(agent) = &filter.agent {
            query.condition("agent = ?", text(agent));
        }
        if let Some(session) = &filter.session {
            query.condition("session = ?", text(session));
        }
        if let Some(parent) = &filter.parent {
            query.condition("parent = ?", text(parent.as_str()));
        }
        if let Some(until_ms) = filter.wake_until_ms {
            query.condition("wake_at_ms <= ?", [Value::Integer(until_ms)]);
        }
        if let Some(Cursor { created_at_ms, run }) = after {
            let created = Value::Integer(*created_at_ms);
            let values = [created.clone(), created, Value::Text(run.to_string())];
            query.condition("(created_at_ms < ? OR (created_at_ms = ? AND run > ?))", values);
        }
        query.sql.push_str(" ORDER BY created_at_ms DESC, run LIMIT ?");
        query.values.push(Value::Integer(stored(limit as u64).saturating_add(1)));
        query
    }

    fn condition(&mut self, sql: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(sql);
        self.values.extend(values);
    }

    fn run(&self, connection: &Connection) -> Result<RunPage, Broken> {
        let mut statement = connection.prepare_cached(&self.sql)?;
        let mut found = statement.query(params_from_iter(&self.values))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            rows.push(read_row(row)?);
        }
        let more = rows.len() > self.limit;
        rows.truncate(self.limit);
        let next = rows.last().filter(|_| more).map(Cursor::of);
        Ok(RunPage { rows, next })
    }
}
