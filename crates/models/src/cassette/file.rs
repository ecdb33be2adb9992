//! The file.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::CassetteError;
use super::entry::Entry;

/// The version of the form below.
pub(super) const VERSION: u32 = 1;

/// A recording: the turns of a model, in the order they ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cassette {
    version: u32,
    pub(super) turns: Vec<Entry>,
}

impl Default for Cassette {
    fn default() -> Self {
        Self { version: VERSION, turns: Vec::new() }
    }
}

impl Cassette {
    /// Reads a file.
    ///
    /// # Errors
    /// When there is none, or it is no cassette of this version.
    pub fn read(path: &Path) -> Result<Self, CassetteError> {
        let file = |source| CassetteError::File { path: path.to_owned(), source };
        let form = |source| CassetteError::Form { path: path.to_owned(), source };
        let cassette: Self = serde_json::from_str(&fs::read_to_string(path).map_err(file)?).map_err(form)?;
        if cassette.version != VERSION {
            return Err(CassetteError::Version { path: path.to_owned(), version: cassette.version });
        }
        Ok(cassette)
    }

    /// Writes the file whole or not at all: a reader never sees half a recording.
    pub(super) fn write(&self, path: &Path) -> Result<(), CassetteError> {
        let file = |source| CassetteError::File { path: path.to_owned(), source };
        let form = |source| CassetteError::Form { path: path.to_owned(), source };
        let text = serde_json::to_string_pretty(self).map_err(form)? + "\n";
        let beside = path.with_extension("json.part");
        fs::write(&beside, text).map_err(file)?;
        fs::rename(&beside, path).map_err(file)
    }
}
