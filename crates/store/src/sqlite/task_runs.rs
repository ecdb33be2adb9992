//! Runs of tasks in SQLite.

use provost_contract::task::TaskResult;
use provost_runtime::port::{Boxed, Fault, TaskCancel, TaskRuns};
use rusqlite::{Connection, OptionalExtension as _};

use super::broken::Broken;
use super::database::Database;
use super::record;

impl TaskRuns for Database {
    fn claim(&self, running: TaskResult) -> Boxed<'_, Result<bool, Fault>> {
        Box::pin(self.write(move |connection| {
            let sql = "INSERT INTO task_runs VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            Ok(connection.prepare_cached(sql)?.execute((running.run_id(), written(&running)))? > 0)
        }))
    }

    fn get<'a>(&'a self, run_id: &'a str) -> Boxed<'a, Result<Option<TaskResult>, Fault>> {
        let run_id = run_id.to_owned();
        Box::pin(self.read(move |connection| get(connection, &run_id)))
    }

    fn put(&self, result: TaskResult) -> Boxed<'_, Result<bool, Fault>> {
        Box::pin(self.write(move |connection| put(connection, &result)))
    }

    fn cancel<'a>(&'a self, run_id: &'a str, updated_at: &'a str) -> Boxed<'a, Result<TaskCancel, Fault>> {
        let [run_id, updated_at] = [run_id, updated_at].map(str::to_owned);
        Box::pin(self.write(move |connection| {
            let cancel = TaskCancel::ask(get(connection, &run_id)?.as_mut(), &updated_at);
            if let TaskCancel::Asked(result) = &cancel {
                put(connection, result)?;
            }
            Ok(cancel)
        }))
    }
}

fn get(connection: &Connection, run_id: &str) -> Result<Option<TaskResult>, Broken> {
    let mut statement = connection.prepare_cached("SELECT record FROM task_runs WHERE run_id = ?1")?;
    let text: Option<String> = statement.query_row([run_id], |row| row.get(0)).optional()?;
    text.map(|text| record::parsed(&text, TaskResult::parse)).transpose()
}

fn put(connection: &Connection, result: &TaskResult) -> Result<bool, Broken> {
    let mut statement = connection.prepare_cached("UPDATE task_runs SET record = ?2 WHERE run_id = ?1")?;
    Ok(statement.execute((result.run_id(), written(result)))? > 0)
}

fn written(result: &TaskResult) -> String {
    result.to_value().to_string()
}
