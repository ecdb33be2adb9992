//! The file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::{CassetteError, Origin};

/// The version of the form below.
pub(super) const VERSION: u32 = 1;

/// How large a file may be.
const BYTES_MAX: u64 = 256 << 20;

/// A recording: the turns of a model, in the order they ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cassette {
    version: u32,
    #[serde(default)]
    origin: Origin,
    pub(super) turns: Vec<Entry>,
}

impl Default for Cassette {
    fn default() -> Self {
        Self { version: VERSION, origin: Origin::default(), turns: Vec::new() }
    }
}

impl Cassette {
    /// An empty one whose turns will come from there.
    pub fn new(origin: Origin) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Where its turns come from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When there is none, or it is no cassette of this version.
    pub fn read(path: &Path) -> Result<Self, CassetteError> {
        let file = |source| CassetteError::File { path: path.to_owned(), source };
        let form = |source| CassetteError::Form { path: path.to_owned(), source };
        let cassette: Self = serde_json::from_str(&text(path).map_err(file)?).map_err(form)?;
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
        // A recording holds what was said: it is for its owner, from the moment it is there.
        drop(fs::remove_file(&beside));
        let mut made =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside).map_err(file)?;
        made.write_all(text.as_bytes()).map_err(file)?;
        fs::rename(&beside, path).map_err(file)
    }
}

/// The text of an ordinary file: a pipe would be waited for, a device never ends.
fn text(path: &Path) -> io::Result<String> {
    let kind = fs::metadata(path)?;
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file"));
    }
    if kind.len() > BYTES_MAX {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {BYTES_MAX} bytes"),
        ));
    }
    fs::read_to_string(path)
}
