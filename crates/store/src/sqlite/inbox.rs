//! Inboxes in SQLite: a row a signal.

use std::pin::pin;
use std::time::Duration;

use provost_runtime::RunId;
use provost_runtime::port::{Boxed, Fault, Inbox, Posted, Signal};
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::json;

use super::broken::Broken;
use super::counter::{counted, stored};
use super::database::Database;

/// Whoever waits hears its own process at once, and looks this often for letters of others.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

impl Inbox for Database {
    fn post<'a>(
        &'a self,
        run: &'a RunId,
        id: &'a str,
        by: &'a str,
        signal: Signal,
        now_ms: i64,
    ) -> Boxed<'a, Result<u64, Fault>> {
        let run = run.clone();
        let letter =
            Letter { id: id.to_owned(), at_ms: now_ms, by: by.to_owned(), signal: json!(signal).to_string() };
        Box::pin(async move {
            let place = self.write(move |connection| post(connection, &run, &letter)).await?;
            self.bell.notify_waiters();
            Ok(place)
        })
    }

    fn read<'a>(&'a self, run: &'a RunId, after: u64, limit: usize) -> Boxed<'a, Result<Vec<Posted>, Fault>> {
        let run = run.clone();
        Box::pin(self.read(move |connection| read(connection, &run, after, limit)))
    }

    fn arrived<'a>(&'a self, run: &'a RunId, after: u64) -> Boxed<'a, Result<(), Fault>> {
        Box::pin(async move {
            loop {
                let mut rung = pin!(self.bell.notified());
                // Listening begins before looking, so that nothing can come in between.
                rung.as_mut().enable();
                let letters = self.read({
                    let run = run.clone();
                    move |connection| has_letters(connection, &run, after)
                });
                if letters.await? {
                    return Ok(());
                }
                // Either way it is time to look again.
                let _ = tokio::time::timeout(LOOK_AGAIN, rung).await;
            }
        })
    }
}

/// A signal on its way into the file.
struct Letter {
    id: String,
    at_ms: i64,
    by: String,
    signal: String,
}

fn post(connection: &Connection, run: &RunId, letter: &Letter) -> Result<u64, Broken> {
    let mut seen = connection.prepare_cached("SELECT place FROM inbox WHERE run = ?1 AND id = ?2")?;
    if let Some(place) = seen.query_row((run.as_str(), &letter.id), |row| row.get(0)).optional()? {
        return Ok(counted(place));
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO inbox (run, place, id, at_ms, sender, signal)
         VALUES (?1, (SELECT coalesce(max(place), 0) + 1 FROM inbox WHERE run = ?1), ?2, ?3, ?4, ?5)
         RETURNING place",
    )?;
    let given = (run.as_str(), &letter.id, letter.at_ms, &letter.by, &letter.signal);
    Ok(counted(insert.query_row(given, |row| row.get(0))?))
}

fn read(connection: &Connection, run: &RunId, after: u64, limit: usize) -> Result<Vec<Posted>, Broken> {
    let mut statement = connection.prepare_cached(
        "SELECT place, at_ms, sender, signal FROM inbox WHERE run = ?1 AND place > ?2 ORDER BY place LIMIT ?3",
    )?;
    let mut rows = statement.query((run.as_str(), stored(after), stored(limit as u64)))?;
    let mut posted = Vec::new();
    while let Some(row) = rows.next()? {
        let signal: String = row.get(3)?;
        posted.push(Posted {
            place: counted(row.get(0)?),
            at_ms: row.get(1)?,
            by: row.get(2)?,
            signal: serde_json::from_str(&signal).map_err(|error| Broken::Damaged(error.to_string()))?,
        });
    }
    Ok(posted)
}

fn has_letters(connection: &Connection, run: &RunId, after: u64) -> Result<bool, Broken> {
    let sql = "SELECT 1 FROM inbox WHERE run = ?1 AND place > ?2";
    Ok(connection.prepare_cached(sql)?.exists((run.as_str(), stored(after)))?)
}
