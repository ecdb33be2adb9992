//! Why a database file could not be opened, and what to do about it.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rustix::fs::{Access, access};

use super::broken::Broken;
use super::holder;

/// Why a file was not opened. Nothing in it was changed; [`OpenError::advice`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("{} does not exist", path.display())]
    Missing { path: PathBuf },
    #[error("{} cannot be read", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{} is not a Provost database ({found}); it was left as it is", path.display())]
    Foreign { path: PathBuf, found: String },
    #[error(
        "{} was written by a newer Provost (format {found}, this one knows up to {known})",
        path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{} is damaged: {problem}", path.display())]
    Corrupt { path: PathBuf, problem: String },
    #[error("{} cannot be written", path.display())]
    ReadOnly { path: PathBuf },
    /// The newest writes stand in the log beside the file, which cannot be read without writing there.
    #[error("{} has a log beside it that only somebody who may write there can read", path.display())]
    Log { path: PathBuf },
    #[error("{} is kept busy by {holder} for more than {waited_ms} ms", path.display())]
    Busy { path: PathBuf, waited_ms: u64, holder: String },
    #[error("there is no room for {}", path.display())]
    Full { path: PathBuf },
    #[error("{} cannot be opened", path.display())]
    Failed {
        path: PathBuf,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl OpenError {
    /// What a person can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "look in another folder, or start a run, which makes it",
            Self::Unreadable { .. } => "ask its owner to let you read it",
            Self::Foreign { .. } => "choose another path",
            Self::Newer { .. } => "use that version",
            Self::Corrupt { .. } => "restore it from a backup",
            Self::ReadOnly { .. } => "check the permissions of the file and its folder",
            Self::Log { .. } => "copy the file and its -wal to a folder of your own, and look there",
            Self::Busy { .. } => "try again when it is done",
            Self::Full { .. } => "free some space",
            Self::Failed { .. } => "check the path and its permissions",
        }
    }

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
            Some(ErrorCode::SystemIoFailure) if is_no_room(error) => Self::Full { path },
            Some(ErrorCode::CannotOpen) => match refusal(&path) {
                Some(_) if access(&path, Access::READ_OK).is_ok() => Self::ReadOnly { path },
                Some(source) => Self::Failed { path, source: Box::new(source) },
                None => Self::Failed { path, source: Box::new(error.clone()) },
            },
            Some(_) | None => Self::Failed { path, source: Box::new(error.clone()) },
        }
    }
}

/// The memory shared with other processes is a file too, and may find no room.
fn is_no_room(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// What the machine says about a file, where SQLite only says that it cannot be opened.
fn refusal(path: &Path) -> Option<std::io::Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = if path.exists() { access(path, Access::READ_OK | Access::WRITE_OK) } else { Ok(()) };
    file.and_then(|()| access(folder, Access::WRITE_OK | Access::EXEC_OK)).err().map(Into::into)
}
