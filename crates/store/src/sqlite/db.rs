//! The writer's connection: statements whose errors become faults.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use provost_runtime::port::Fault;
use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use super::error::fault;

/// The writer's connection, with what a failed statement needs to become a fault.
pub(super) struct Db<'c> {
    pub(super) connection: &'c Connection,
    path: &'c Path,
    patience_ms: u64,
    failed: Cell<bool>,
    bytes: Cell<u64>,
}

impl<'c> Db<'c> {
    pub(super) fn new(connection: &'c Connection, path: &'c Path, patience_ms: u64) -> Self {
        Self { connection, path, patience_ms, failed: Cell::new(false), bytes: Cell::new(0) }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.get()
    }

    /// Returns whether a statement failed since the last call. Then the transaction is rolled back.
    pub(super) fn take_failure(&self) -> bool {
        self.failed.take()
    }

    /// Returns about how many bytes were written since the last call.
    pub(super) fn take_bytes(&self) -> u64 {
        self.bytes.take()
    }

    pub(super) fn count_bytes(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes as u64);
    }

    fn check<T>(&self, result: rusqlite::Result<T>) -> Result<T, Fault> {
        result.map_err(|error| {
            self.failed.set(true);
            fault(&Arc::new(error), self.path, self.patience_ms)
        })
    }

    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize, Fault> {
        self.check(self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute(params)))
    }

    pub(super) fn done(&self, sql: &str, params: impl Params) -> Result<(), Fault> {
        self.execute(sql, params).map(drop)
    }

    pub(super) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Fault> {
        let found = self.connection.prepare_cached(sql);
        self.check(found.and_then(|mut statement| statement.query_row(params, read).optional()))
    }

    pub(super) fn many<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Fault> {
        let found = self.connection.prepare_cached(sql);
        self.check(found.and_then(|mut statement| statement.query_map(params, read)?.collect()))
    }
}
