//! Errors of SQLite as the port's faults.

use std::path::Path;
use std::sync::Arc;

use provost_runtime::port::Fault;
use rusqlite::{Error, ErrorCode};

use super::holder;

/// Returns the fault that an error stands for. Nothing was written, since a transaction that fails before its
/// commit is rolled back.
pub(super) fn fault(error: &Arc<Error>, path: &Path, patience_ms: u64) -> Fault {
    let place = path.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Fault::Busy { waited_ms: patience_ms, holder: holder::of(path) }
        }
        Some(ErrorCode::DiskFull) => Fault::Full { place },
        Some(ErrorCode::SystemIoFailure) if is_no_room(error) => Fault::Full { place },
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

/// Whether the shared memory found no room: it is a file too.
pub(super) fn is_no_room(error: &Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Whether another process is in the way.
pub(super) fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Whether a reader cannot have the memory that readers and the writer share.
pub(super) fn is_unshared(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::SystemIoFailure)
    )
}
