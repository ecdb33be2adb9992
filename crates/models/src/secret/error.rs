//! Why there is no key.

use std::path::PathBuf;

/// Why a key was not taken. No message holds anything of the key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The variable is not set, or blank.
    #[error("the environment variable {0} holds no key; set it, or name a key file")]
    NoVariable(String),
    /// The file cannot be read.
    #[error("the key file {path} cannot be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Others than its owner may read or change the file.
    #[error("the key file {path} has mode {mode:04o}, so others may read it; run: chmod 600 {path}")]
    Open {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// It is not a regular file, is empty, or is far too large for a key.
    #[error("the key file {path} cannot be used: {why}")]
    NoKey {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A header cannot carry it.
    #[error("the key has characters that no HTTP header may have; is the right text in it?")]
    NoHeader,
}
