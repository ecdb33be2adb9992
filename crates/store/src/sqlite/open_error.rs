//! Why a database file cannot be opened, and what to do about it.

use std::path::{Path, PathBuf};

use provost_runtime::port::BoxError;
use rusqlite::{Error, ErrorCode};

use super::error::is_no_room;
use super::{files, holder};

/// Why a file was not opened. Nothing in it was changed; [`OpenError::advice`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file does not exist.
    #[error("{} does not exist", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file exists and must not be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file belongs to another program.
    #[error("{} is not a Provost database ({found}); it was left as it is", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },
    /// The file has a newer schema.
    #[error(
        "{} was written by a newer Provost (format {found}, this one knows up to {known})",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest known version.
        known: i64,
    },
    /// The file, or the log beside it, is not what was written.
    #[error("{} is damaged: {problem}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found.
        problem: String,
    },
    /// The file can be read only.
    #[error("{} cannot be written", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The newest writes are in the log beside the file, which cannot be read without writing there.
    #[error("{} has a log beside it that cannot be read without the right to write there", path.display())]
    Log {
        /// The file.
        path: PathBuf,
    },
    /// Another process writes and does not stop.
    #[error("{} is in use by {holder} for more than {waited_ms} ms", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long this process waited.
        waited_ms: u64,
        /// The process that writes.
        holder: String,
    },
    /// The disk is full.
    #[error("there is no room for {}", path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The file or its folder cannot be used.
    #[error("{} cannot be opened", path.display())]
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

    pub(super) fn failed(path: &Path, source: impl Into<BoxError>) -> Self {
        Self::Failed { path: path.to_owned(), source: source.into() }
    }

    pub(super) fn foreign(path: &Path, found: impl Into<String>) -> Self {
        Self::Foreign { path: path.to_owned(), found: found.into() }
    }

    /// Returns what an error of SQLite says about a file.
    pub(super) fn of(path: &Path, waited_ms: u64, error: Error) -> Self {
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::foreign(&path, "it is not an SQLite file"),
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt { path, problem: error.to_string() },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                let holder = holder::of(&path);
                Self::Busy { path, waited_ms, holder }
            }
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::SystemIoFailure) if is_no_room(&error) => Self::Full { path },
            Some(ErrorCode::CannotOpen) => match files::write_refusal(&path) {
                Some(_) if files::is_readable(&path).is_ok_and(|exists| exists) => Self::ReadOnly { path },
                Some(source) => Self::failed(&path, source),
                None => Self::failed(&path, error),
            },
            Some(_) | None => Self::failed(&path, error),
        }
    }
}
