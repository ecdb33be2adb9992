//! Systems without what supervision needs: programs are started directly.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use crate::Environment;
use crate::pipes::Pipes;

/// See the Linux version: here it does nothing.
pub fn if_asked() {}

/// See the Linux version: here it does nothing.
pub fn work_on_runs() {}

/// Only the variable tells here.
pub fn run_above() -> Option<String> {
    std::env::var_os(Environment::RUN).map(|_| format!("{} is set", Environment::RUN))
}

/// There is none.
pub(crate) struct Keeper(Infallible);

/// A program to start.
pub(crate) struct Start<'a> {
    pub(crate) argv: &'a [String],
    pub(crate) folder: &'a Path,
    pub(crate) environment: &'a Environment,
}

impl Keeper {
    pub(crate) fn spawn() -> io::Result<Option<Self>> {
        Ok(None)
    }

    pub(crate) fn identity(&self) -> String {
        match self.0 {}
    }

    pub(crate) async fn start(&mut self, _start: Start<'_>) -> io::Result<Pipes> {
        match self.0 {}
    }

    pub(crate) async fn ended(&mut self, _limit: Duration) -> io::Result<Option<ExitStatus>> {
        match self.0 {}
    }
}

/// Nothing was started that could be ended.
pub(crate) async fn end_earlier(_process: &str) -> Result<(), String> {
    Ok(())
}
