//! Requests that wait for a client, in SQLite.

use provost_contract::json;
use provost_runtime::port::{
    Boxed, ClientToolRecord, ClientToolRequests, ClientToolTransition, CreatedRequest, Fault, PendingRequests,
};
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;

use super::broken::Broken;
use super::database::Database;
use super::record;

impl ClientToolRequests for Database {
    fn create(&self, record: ClientToolRecord) -> Boxed<'_, Result<CreatedRequest, Fault>> {
        Box::pin(self.write(move |connection| match get(connection, record.request_id())? {
            Some(stored) if !stored.is_pending() => Ok(CreatedRequest::AnsweredBefore(stored)),
            Some(_) | None => {
                put(connection, &record)?;
                Ok(CreatedRequest::Waiting)
            }
        }))
    }

    fn get<'a>(&'a self, request_id: &'a str) -> Boxed<'a, Result<Option<ClientToolRecord>, Fault>> {
        let request_id = request_id.to_owned();
        Box::pin(self.read(move |connection| get(connection, &request_id)))
    }

    fn transition<'a>(
        &'a self,
        request_id: &'a str,
        transition: ClientToolTransition,
    ) -> Boxed<'a, Result<bool, Fault>> {
        let request_id = request_id.to_owned();
        Box::pin(self.write(move |connection| {
            let Some(mut record) = get(connection, &request_id)? else { return Ok(false) };
            let advanced = record.advance(&transition);
            if advanced {
                put(connection, &record)?;
            }
            Ok(advanced)
        }))
    }

    fn pending<'a>(&'a self, query: &'a PendingRequests) -> Boxed<'a, Result<Vec<ClientToolRecord>, Fault>> {
        let query = query.clone();
        Box::pin(self.read(move |connection| pending(connection, &query)))
    }
}

fn put(connection: &Connection, record: &ClientToolRecord) -> Result<(), Broken> {
    connection
        .prepare_cached(
            "INSERT INTO client_tool_requests (request_id, pending, run_id, record) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (request_id) DO UPDATE SET
                 pending = excluded.pending, run_id = excluded.run_id, record = excluded.record",
        )?
        .execute((
            record.request_id(),
            record.is_pending(),
            record.run_id(),
            Value::Object(record.0.clone()).to_string(),
        ))?;
    Ok(())
}

fn get(connection: &Connection, request_id: &str) -> Result<Option<ClientToolRecord>, Broken> {
    let mut statement =
        connection.prepare_cached("SELECT record FROM client_tool_requests WHERE request_id = ?1")?;
    let text: Option<String> = statement.query_row([request_id], |row| row.get(0)).optional()?;
    text.map(|text| read(&text)).transpose()
}

fn pending(connection: &Connection, query: &PendingRequests) -> Result<Vec<ClientToolRecord>, Broken> {
    let sql = match query.run_id {
        Some(_) => "SELECT record FROM client_tool_requests WHERE pending AND run_id = ?1 ORDER BY no",
        None => "SELECT record FROM client_tool_requests WHERE pending AND ?1 IS NULL ORDER BY no",
    };
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([&query.run_id])?;
    let limit = query.limit.unwrap_or(usize::MAX);
    let mut shown = Vec::new();
    while shown.len() < limit
        && let Some(row) = rows.next()?
    {
        shown.extend(Some(read(&row.get::<_, String>(0)?)?).filter(|record| query.shows(record)));
    }
    Ok(shown)
}

fn read(text: &str) -> Result<ClientToolRecord, Broken> {
    Ok(ClientToolRecord(json::into_object(record::value(text)?)))
}
