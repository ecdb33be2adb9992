//! Remembered approvals in SQLite.

use provost_runtime::port::{ApprovalMemory, Boxed, Fault, RememberedApproval, SparedQuestion};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::broken::Broken;
use super::database::Database;

const ASKED: &str =
    "workspace = ?1 AND principal = ?2 AND agent = ?3 AND tool = ?4 AND layer = ?5 AND rule = ?6";
const COLUMNS: &str = "workspace, principal, agent, tool, layer, rule, said_by, said_at, run";

impl ApprovalMemory for Database {
    fn remember(&self, approval: RememberedApproval) -> Boxed<'_, Result<(), Fault>> {
        Box::pin(self.write(move |connection| insert(connection, &approval)))
    }

    fn recall<'a>(
        &'a self,
        question: &'a SparedQuestion,
    ) -> Boxed<'a, Result<Option<RememberedApproval>, Fault>> {
        let question = question.clone();
        Box::pin(self.read(move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM remembered WHERE {ASKED}");
            Ok(connection.prepare_cached(&sql)?.query_row(key(&question), approval).optional()?)
        }))
    }

    fn remembered(&self) -> Boxed<'_, Result<Vec<RememberedApproval>, Fault>> {
        Box::pin(self.read(move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM remembered ORDER BY no");
            let mut statement = connection.prepare_cached(&sql)?;
            Ok(statement.query_map([], approval)?.collect::<Result<_, _>>()?)
        }))
    }

    fn forget<'a>(&'a self, question: &'a SparedQuestion) -> Boxed<'a, Result<bool, Fault>> {
        let question = question.clone();
        Box::pin(self.write(move |connection| {
            let sql = format!("DELETE FROM remembered WHERE {ASKED}");
            Ok(connection.prepare_cached(&sql)?.execute(key(&question))? > 0)
        }))
    }
}

fn insert(connection: &Connection, approval: &RememberedApproval) -> Result<(), Broken> {
    let RememberedApproval { question, by, at, run } = approval;
    let [workspace, principal, agent, tool, layer, rule] = key(question);
    let sql = format!(
        "INSERT INTO remembered ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING"
    );
    connection
        .prepare_cached(&sql)?
        .execute([workspace, principal, agent, tool, layer, rule, by, at, run])?;
    Ok(())
}

fn key(question: &SparedQuestion) -> [&str; 6] {
    let SparedQuestion { workspace, principal, agent, tool, layer, rule } = question;
    [workspace, principal, agent, tool, layer, rule]
}

fn approval(row: &Row<'_>) -> rusqlite::Result<RememberedApproval> {
    Ok(RememberedApproval {
        question: SparedQuestion {
            workspace: row.get(0)?,
            principal: row.get(1)?,
            agent: row.get(2)?,
            tool: row.get(3)?,
            layer: row.get(4)?,
            rule: row.get(5)?,
        },
        by: row.get(6)?,
        at: row.get(7)?,
        run: row.get(8)?,
    })
}
