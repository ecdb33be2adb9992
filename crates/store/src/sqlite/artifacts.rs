//! Artifacts in SQLite: chunks whose ids follow each other, each compressed when that pays.

use std::ops::Range;

use provost_runtime::port::{Address, Artifacts, Boxed, Fault};
use rusqlite::{Connection, OptionalExtension as _};

use super::broken::Broken;
use super::counter::{counted, stored};
use super::database::Database;
use super::packed;

/// How many bytes a chunk holds: small enough to read a part without the rest.
const CHUNK_BYTES: usize = 128 << 10;

impl Artifacts for Database {
    fn put(&self, bytes: Vec<u8>) -> Boxed<'_, Result<Address, Fault>> {
        Box::pin(async move {
            let address = Address::of(&bytes);
            let (length, chunks) = (bytes.len(), chunks(&bytes));
            drop(bytes);
            self.write(move |connection| write(connection, &address, length, &chunks)).await?;
            Ok(address)
        })
    }

    fn get<'a>(&'a self, address: &'a Address) -> Boxed<'a, Result<Option<Vec<u8>>, Fault>> {
        self.get_range(address, 0..u64::MAX)
    }

    fn get_range<'a>(
        &'a self,
        address: &'a Address,
        range: Range<u64>,
    ) -> Boxed<'a, Result<Option<Vec<u8>>, Fault>> {
        let address = *address;
        Box::pin(self.read(move |connection| read(connection, &address, range)))
    }
}

/// The bytes as they will lie on the disk.
pub(super) fn chunks(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.chunks(CHUNK_BYTES).map(packed::pack).collect()
}

/// Writes an artifact, unless it is there.
pub(super) fn write(
    connection: &Connection,
    address: &Address,
    bytes: usize,
    chunks: &[Vec<u8>],
) -> Result<(), Broken> {
    if connection.prepare_cached("SELECT 1 FROM artifacts WHERE address = ?1")?.exists([address.0])? {
        return Ok(());
    }
    let mut newest = connection.prepare_cached("SELECT coalesce(max(id), 0) FROM artifact_chunks")?;
    let first: i64 = newest.query_row([], |row| row.get::<_, i64>(0))?.saturating_add(1);
    let mut insert = connection.prepare_cached("INSERT INTO artifact_chunks VALUES (?1, ?2)")?;
    for (id, chunk) in (first..).zip(chunks) {
        insert.execute((id, chunk))?;
    }
    connection.prepare_cached("INSERT INTO artifacts VALUES (?1, ?2, ?3)")?.execute((
        address.0,
        stored(bytes as u64),
        first,
    ))?;
    Ok(())
}

fn read(connection: &Connection, address: &Address, range: Range<u64>) -> Result<Option<Vec<u8>>, Broken> {
    let mut find =
        connection.prepare_cached("SELECT bytes, first_chunk FROM artifacts WHERE address = ?1")?;
    let found = find.query_row([address.0], |row| Ok((counted(row.get(0)?), row.get::<_, i64>(1)?)));
    let Some((bytes, first_chunk)) = found.optional()? else { return Ok(None) };
    let range = range.start.min(bytes)..range.end.min(bytes);
    if range.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let size = CHUNK_BYTES as u64;
    let ids = (range.start / size)..=((range.end - 1) / size);
    let mut statement = connection.prepare_cached("SELECT content FROM artifact_chunks WHERE id = ?1")?;
    let mut part = Vec::new();
    for chunk in ids {
        let id = first_chunk.saturating_add(stored(chunk));
        let plain = statement
            .query_row([id], |row| Ok(row.get_ref(0)?.as_blob().map(packed::unpack)))
            .map(|content| content.unwrap_or_else(|error| Err(Broken::Damaged(error.to_string()))))??;
        let start = chunk * size;
        let within =
            |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(plain.len());
        part.extend_from_slice(plain.get(within(range.start)..within(range.end)).unwrap_or_default());
    }
    Ok(Some(part))
}
