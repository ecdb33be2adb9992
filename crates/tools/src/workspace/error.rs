//! Why a file was not read or written.

use std::io;

use strum::IntoStaticStr;

use super::WorkspacePath;
use super::path::PathError;
use crate::Refusal;
use crate::blocking::Stopped;

/// What can be wrong with a file. The names of the variants are the codes.
#[derive(Debug, thiserror::Error, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum FileError {
    #[error("{0} does not exist")]
    NotFound(WorkspacePath),
    #[error("{path} is a symbolic link to {target}: links are not followed, use the path of the file itself")]
    Link { path: WorkspacePath, target: String },
    #[error("{0} is not a folder")]
    NotAFolder(WorkspacePath),
    #[error("{0} is not an ordinary file")]
    NotAFile(WorkspacePath),
    #[error("{path} has {bytes} bytes, the limit is {limit}")]
    TooLarge { path: WorkspacePath, bytes: u64, limit: u64 },
    #[error("{0} governs agents, and no tool changes it: a person does")]
    Governs(WorkspacePath),
    #[error("{0} is not UTF-8 text")]
    Binary(WorkspacePath),
    #[error("{path} could not be used")]
    Failed { path: WorkspacePath, source: io::Error },
    #[error("stopped")]
    Stopped(#[from] Stopped),
}

impl From<FileError> for Refusal {
    fn from(error: FileError) -> Self {
        Self::of(&error)
    }
}

impl From<PathError> for Refusal {
    fn from(error: PathError) -> Self {
        Self::of(&error)
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        FileError::from(stopped).into()
    }
}
