//! What went wrong inside: an error of SQLite, or bytes that cannot be what we wrote.

use std::path::Path;
use std::sync::Arc;

use provost_runtime::port::Fault;
use rusqlite::ErrorCode;

use super::holder;

/// Why a piece of work failed. Shared, since a failed commit fails everybody in it.
#[derive(Clone, Debug)]
pub(super) enum Broken {
    Sqlite(Arc<rusqlite::Error>),
    Damaged(String),
}

impl From<rusqlite::Error> for Broken {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(Arc::new(error))
    }
}

impl Broken {
    pub(super) fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            Self::Damaged(_) => None,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether a reader could not have its part of the memory that readers and the writer share.
    pub(super) fn is_unshared(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::SystemIoFailure))
    }

    /// What the caller of a port hears.
    pub(super) fn fault(&self, path: &Path, waited_ms: u64) -> Fault {
        let place = path.display().to_string();
        let error = match self {
            Self::Sqlite(error) => error,
            Self::Damaged(problem) => return Fault::Corrupt { place, problem: problem.clone() },
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Fault::Busy { waited_ms, holder: holder::of(path) }
            }
            Some(ErrorCode::DiskFull) => Fault::Full { place },
            Some(ErrorCode::ReadOnly) => Fault::ReadOnly { place },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Fault::Corrupt { place, problem: error.to_string() }
            }
            Some(_) | None => Fault::Failed(Box::new(error.clone())),
        }
    }
}
