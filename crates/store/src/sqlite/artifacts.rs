//! Artifacts: content-addressed, compressed when that helps, whole or in parts.

use std::sync::Arc;

use provost_engine::{Digest, Time};
use provost_runtime::port::{Boxed, Fault};
use provost_runtime::store::{ArtifactInfo, PartHasher, Upload};
use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension as _, Result, Row, params};

use super::columns::{self, int};
use super::db::Db;
use super::store::Shared;
use super::writer::Log;

/// Shorter bytes are not compressed.
const COMPRESSED_FROM: usize = 512;
const LEVEL: i32 = 3;

/// Bytes as they are stored.
pub(super) struct Encoded {
    encoding: &'static str,
    bytes: Vec<u8>,
}

/// Compresses bytes if that saves something.
pub(super) fn encode(bytes: Vec<u8>) -> Encoded {
    if bytes.len() >= COMPRESSED_FROM
        && let Ok(shorter) = zstd::bulk::compress(&bytes, LEVEL)
        && shorter.len() < bytes.len() / 10 * 9
    {
        return Encoded { encoding: "zstd", bytes: shorter };
    }
    Encoded { encoding: "plain", bytes }
}

/// Reads `encoding, bytes`.
fn decode(row: &Row<'_>, from: usize) -> Result<Vec<u8>> {
    let (encoding, bytes) = (row.get_ref(from)?.as_str()?, row.get_ref(from + 1)?.as_blob()?);
    if encoding != "zstd" {
        return Ok(bytes.to_vec());
    }
    let damaged = |error| Error::FromSqlConversionFailure(from + 1, Type::Blob, Box::new(error));
    zstd::stream::decode_all(bytes).map_err(damaged)
}

pub(super) fn info(connection: &Connection, digest: Digest) -> Result<Option<ArtifactInfo>> {
    let sql = format!("SELECT {} FROM artifacts WHERE digest = ?1", columns::ARTIFACT);
    connection.prepare_cached(&sql)?.query_row([digest.to_string()], columns::artifact).optional()
}

pub(super) fn part(connection: &Connection, digest: Digest, part: u64) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT encoding, bytes FROM artifacts WHERE digest = ?1 AND upload IS NULL AND ?2 = 0
         UNION ALL
         SELECT p.encoding, p.bytes FROM artifacts a JOIN artifact_parts p ON p.upload = a.upload
             WHERE a.digest = ?1 AND p.no = ?2";
    let params = params![digest.to_string(), int(part)];
    connection.prepare_cached(sql)?.query_row(params, |row| decode(row, 0)).optional()
}

pub(super) fn bytes(connection: &Connection, digest: Digest) -> Result<Option<Vec<u8>>> {
    let Some(info) = info(connection, digest)? else { return Ok(None) };
    let mut bytes = Vec::new();
    for number in 0..info.parts {
        // An artifact that is pruned meanwhile is gone as a whole.
        let Some(part) = part(connection, digest, number)? else { return Ok(None) };
        bytes.extend(part);
    }
    if Digest::of(&bytes) != digest {
        let problem = format!("artifact {digest} has other bytes than its name says");
        return Err(Error::FromSqlConversionFailure(0, Type::Blob, problem.into()));
    }
    Ok(Some(bytes))
}

/// Stores an artifact, unless an equal one is there.
pub(super) fn put(
    db: &Db<'_>,
    now: Time,
    (digest, size, media): (Digest, u64, &str),
    encoded: &Encoded,
) -> Result<ArtifactInfo, Fault> {
    db.count_bytes(encoded.bytes.len());
    let sql = "INSERT OR IGNORE INTO artifacts (digest, size, media, encoding, bytes, parts, created)
         VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6)";
    let key = digest.to_string();
    db.execute(sql, params![key, int(size), media, encoded.encoding, encoded.bytes, now.0])?;
    stored(db, digest)
}

fn stored(db: &Db<'_>, digest: Digest) -> Result<ArtifactInfo, Fault> {
    let sql = format!("SELECT {} FROM artifacts WHERE digest = ?1", columns::ARTIFACT);
    db.one(&sql, [digest.to_string()], columns::artifact)?.ok_or(Fault::Closed)
}

/// An artifact that arrives in parts. Its number is given out with its first part.
pub(super) struct SqliteUpload {
    shared: Arc<Shared>,
    media: String,
    hasher: PartHasher,
    upload: Option<i64>,
    parts: u64,
}

impl SqliteUpload {
    pub(super) fn new(shared: Arc<Shared>, media: String) -> Self {
        Self { shared, media, hasher: PartHasher::default(), upload: None, parts: 0 }
    }
}

impl Upload for SqliteUpload {
    fn append(&mut self, part: Vec<u8>) -> Boxed<'_, Result<(), Fault>> {
        Box::pin(async move {
            let mut hasher = self.hasher.clone();
            hasher.update(&part);
            let (upload, number, encoded) = (self.upload, self.parts, encode(part));
            let write = move |db: &mut Db<'_>, now: Time| add_part(db, now, upload, number, &encoded);
            self.upload = Some(self.shared.writer.write(Log::Grows, write).await?);
            self.hasher = hasher;
            self.parts += 1;
            Ok(())
        })
    }

    fn size(&self) -> u64 {
        self.hasher.size()
    }

    fn finish(self: Box<Self>) -> Boxed<'static, Result<ArtifactInfo, Fault>> {
        Box::pin(async move {
            let Self { shared, media, hasher, upload, parts } = *self;
            let (size, digest) = (hasher.size(), hasher.finish());
            let empty = encode(Vec::new());
            let write = move |db: &mut Db<'_>, now: Time| match upload {
                Some(upload) => complete(db, now, (digest, size, &media), (upload, parts)),
                None => put(db, now, (digest, size, &media), &empty),
            };
            shared.writer.write(Log::Grows, write).await
        })
    }
}

fn add_part(
    db: &Db<'_>,
    now: Time,
    upload: Option<i64>,
    number: u64,
    encoded: &Encoded,
) -> Result<i64, Fault> {
    db.count_bytes(encoded.bytes.len());
    let sql = "INSERT INTO artifact_parts (upload, no, at, encoding, bytes)
         VALUES (coalesce(?1, (SELECT coalesce(max(upload), 0) + 1 FROM artifact_parts)), ?2, ?3, ?4, ?5)
         RETURNING upload";
    let params = params![upload, int(number), now.0, encoded.encoding, encoded.bytes];
    db.one(sql, params, |row| row.get(0))?.ok_or(Fault::Closed)
}

/// Makes the parts an artifact, or removes them when an equal artifact is there.
fn complete(
    db: &Db<'_>,
    now: Time,
    (digest, size, media): (Digest, u64, &str),
    (upload, parts): (i64, u64),
) -> Result<ArtifactInfo, Fault> {
    let count = "SELECT count(*) FROM artifact_parts WHERE upload = ?1";
    let found = db.one(count, [upload], |row| columns::count(row, 0))?;
    if found != Some(parts) {
        return Err(Fault::Failed("parts of the artifact were pruned while it arrived".into()));
    }
    let sql = "INSERT OR IGNORE INTO artifacts (digest, size, media, encoding, upload, parts, created)
         VALUES (?1, ?2, ?3, 'parts', ?4, ?5, ?6)";
    let key = digest.to_string();
    if db.execute(sql, params![key, int(size), media, upload, int(parts), now.0])? == 0 {
        db.execute("DELETE FROM artifact_parts WHERE upload = ?1", [upload])?;
    }
    stored(db, digest)
}
