//! The versions of the file's format: numbered, forward only.

use rusqlite::Connection;

use super::broken::Broken;

/// One step of the format. Once released it never changes; a new one is added below it.
struct Migration {
    name: &'static str,
    sql: &'static str,
}

const MIGRATIONS: &[Migration] = &[
    Migration { name: "runs", sql: include_str!("../../migrations/0001_runs.sql") },
    Migration { name: "records", sql: include_str!("../../migrations/0002_records.sql") },
    Migration { name: "inbox", sql: include_str!("../../migrations/0003_inbox.sql") },
    Migration { name: "places", sql: include_str!("../../migrations/0004_places.sql") },
    Migration { name: "remembered", sql: include_str!("../../migrations/0005_remembered.sql") },
    Migration { name: "bundles", sql: include_str!("../../migrations/0006_bundles.sql") },
    Migration { name: "spans", sql: include_str!("../../migrations/0007_spans.sql") },
];

/// The format this program writes.
pub(super) fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Brings the file to the newest format. Runs inside a transaction that excludes other writers, so
/// whoever comes second finds nothing to do.
pub(super) fn migrate(connection: &Connection) -> Result<(), Broken> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
    )?;
    let done: i64 =
        connection.query_row("SELECT coalesce(max(version), 0) FROM migrations", [], |row| row.get(0))?;
    for (version, migration) in (1..).zip(MIGRATIONS).filter(|(version, _)| *version > done) {
        connection.execute_batch(migration.sql)?;
        connection.execute("INSERT INTO migrations VALUES (?1, ?2)", (version, migration.name))?;
        connection.pragma_update(None, "user_version", version)?;
    }
    Ok(())
}

/// What stands in for a table that an older file does not have, or has without some column.
const STAND_INS: [(&str, &str, &str); 4] = [
    ("places", "last_seq", "SELECT run_no, last_seq, id AS first_id, NULL AS later FROM journal"),
    ("places", "first_id", "SELECT run_no, last_seq, id AS first_id, NULL AS later FROM main.places"),
    ("placed", "id", "SELECT coalesce(max(id), 0) AS id FROM journal"),
    (
        "remembered",
        "no",
        "SELECT 0 AS no, '' AS workspace, '' AS principal, '' AS agent, '' AS tool, '' AS layer, '' AS rule,
             '' AS said_by, '' AS said_at, '' AS run WHERE 0",
    ),
];

/// Lets a connection that may not bring an older file to the newest format read it nevertheless.
pub(super) fn stand_in(connection: &Connection) -> Result<(), Broken> {
    let mut has = connection.prepare("SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2")?;
    for (table, column, rows) in STAND_INS {
        if !has.exists([table, column])? {
            connection.execute_batch(&format!("CREATE TEMP VIEW {table} AS {rows}"))?;
        }
    }
    Ok(())
}

/// Whether something stands in for what the file has not.
pub(super) fn has_stand_ins(connection: &Connection) -> Result<bool, Broken> {
    Ok(connection.prepare("SELECT 1 FROM temp.sqlite_schema WHERE type = 'view'")?.exists([])?)
}

/// Takes it away once somebody else has brought the file to the newest format: it would hide what is there.
pub(super) fn stand_down(connection: &Connection) -> Result<(), Broken> {
    let version: i64 = connection.query_row("PRAGMA main.user_version", [], |row| row.get(0))?;
    if version < newest() {
        return Ok(());
    }
    for (table, ..) in STAND_INS {
        connection.execute_batch(&format!("DROP VIEW IF EXISTS temp.{table}"))?;
    }
    Ok(())
}
