//! Why a cassette cannot be used.

use std::path::PathBuf;

/// Why a cassette was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file cannot be reached.
    #[error("the cassette {path} cannot be used")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file is not a cassette.
    #[error("{path} is not a cassette")]
    Form {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The file is of a later version.
    #[error("{path} is a cassette of version {version}; this program reads version {}", super::file::VERSION)]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
}
