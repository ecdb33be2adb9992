//! Why a database file could not be opened, and what to do about it.

use std::path::PathBuf;

use rusqlite::ErrorCode;

use super::broken::Broken;
use super::holder;

/// Why a file was not opened. Nothing in it was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("{} is not a Provost database ({found}); choose another path, it was left as it is", path.display())]
    Foreign { path: PathBuf, found: String },
    #[error(
        "{} was written by a newer Provost (format {found}, this one knows up to {known}); use that version",
        path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{} is damaged: {problem}; restore it from a backup", path.display())]
    Corrupt { path: PathBuf, problem: String },
    #[error("{} cannot be written; check its permissions, or open it for reading only", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{} is kept busy by {holder} for more than {waited_ms} ms; try again when it is done", path.display())]
    Busy { path: PathBuf, waited_ms: u64, holder: String },
    #[error("there is no room for {}; free some space", path.display())]
    Full { path: PathBuf },
    #[error("{} cannot be opened", path.display())]
    Failed {
        path: PathBuf,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl OpenError {
    pub(super) fn of(path: PathBuf, waited_ms: u64, broken: &Broken) -> Self {
        let error = match broken {
            Broken::Sqlite(error) => error,
            Broken::Damaged(problem) => return Self::Corrupt { path, problem: problem.clone() },
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                Self::Foreign { path, found: "it is not an SQLite file".to_owned() }
            }
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt { path, problem: error.to_string() },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                let holder = holder::of(&path);
                Self::Busy { path, waited_ms, holder }
            }
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(_) | None => Self::Failed { path, source: Box::new(error.clone()) },
        }
    }
}
