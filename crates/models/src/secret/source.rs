//! Where keys come from: the environment, or a file that only its owner may read.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{KeyError, Secret};

/// No key is longer than this.
const BYTES_MAX: u64 = 16 * 1024;

impl Secret {
    /// Reads a key from a variable of the environment.
    ///
    /// # Errors
    /// When the variable is not set or blank.
    pub fn from_env(variable: &str) -> Result<Self, KeyError> {
        #[expect(clippy::disallowed_methods, reason = "this is the rim at which keys enter")]
        let value = std::env::var(variable).ok();
        value.and_then(Self::new).ok_or_else(|| KeyError::NoVariable(variable.to_owned()))
    }

    /// Reads a key from a file of mode 0600 or 0400.
    ///
    /// # Errors
    /// When the file cannot be read, others may read it, or no key is in it.
    pub fn from_file(path: &Path) -> Result<Self, KeyError> {
        let unreadable = |source| KeyError::Unreadable { path: path.to_owned(), source };
        let no_key = |why| KeyError::NoKey { path: path.to_owned(), why };
        let file = File::open(path).map_err(unreadable)?;
        // The opened file is asked, not the path: it cannot be exchanged in between.
        let about = file.metadata().map_err(unreadable)?;
        if !about.is_file() {
            return Err(no_key("it is not a regular file"));
        }
        check_mode(path, &about)?;
        if about.len() > BYTES_MAX {
            return Err(no_key("it is too large for a key"));
        }
        let mut text = String::new();
        file.take(BYTES_MAX).read_to_string(&mut text).map_err(unreadable)?;
        Self::new(text).ok_or_else(|| no_key("it is empty"))
    }
}

#[cfg(unix)]
fn check_mode(path: &Path, about: &std::fs::Metadata) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt;
    /// Everything but reading and writing by the owner.
    const FORBIDDEN: u32 = 0o177;
    let mode = about.permissions().mode() & 0o7777;
    if mode & FORBIDDEN == 0 {
        return Ok(());
    }
    Err(KeyError::Open { path: path.to_owned(), mode })
}

/// Where files have no modes, the folder's own protection has to do.
#[cfg(not(unix))]
fn check_mode(_path: &Path, _about: &std::fs::Metadata) -> Result<(), KeyError> {
    Ok(())
}
