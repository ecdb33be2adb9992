//! Errors of SQLite as the port's faults, and why a file cannot be opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use provost_runtime::port::{BoxError, Fault};
use rusqlite::{Error, ErrorCode};

/// Why a file was not opened. Nothing in it was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file belongs to another program.
    #[error("{} is not a Provost database ({found}); it was left as it is", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// The file has a newer schema.
    #[error("{} has schema version {found}, and this program knows up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest known version.
        known: i64,
    },
    /// The file or its folder cannot be used.
    #[error("cannot open {}", path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: BoxError,
    },
}

impl OpenError {
    /// Returns what a person can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Foreign { .. } => "choose another path",
            Self::Newer { .. } => "use the version of Provost that wrote it, or a later one",
            Self::Failed { .. } => "check the path, its permissions and the space on the disk",
        }
    }

    pub(super) fn failed(path: &Path, source: impl Into<BoxError>) -> Self {
        Self::Failed { path: path.to_owned(), source: source.into() }
    }
}

/// Returns the fault that an error stands for. Nothing was written, since a transaction that fails before its
/// commit is rolled back.
pub(super) fn fault(error: &Arc<Error>, path: &Path, patience_ms: u64) -> Fault {
    let place = path.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Fault::Busy { waited_ms: patience_ms, holder: "another process".to_owned() }
        }
        Some(ErrorCode::DiskFull) => Fault::Full { place },
        Some(ErrorCode::ReadOnly) => Fault::ReadOnly { place },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Fault::Corrupt { place, problem: error.to_string() }
        }
        Some(_) => Fault::Failed(Box::new(error.clone())),
        None if is_unreadable(error) => Fault::Corrupt { place, problem: error.to_string() },
        None => Fault::Failed(Box::new(error.clone())),
    }
}

/// Whether a stored value is not what this program writes.
fn is_unreadable(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
    )
}
