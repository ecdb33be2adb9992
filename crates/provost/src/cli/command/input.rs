//! A file somebody named, or standard input.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use crate::cli::failure::{Code, Failure};

/// How much is read at most.
const BYTES_MAX: u64 = 64 << 20;

/// Reads a text; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    let unread = |error: std::io::Error| {
        Failure::new(Code::File, format!("{} cannot be read: {error}", path.display()))
    };
    let mut text = String::new();
    let bytes = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(BYTES_MAX + 1).read_to_string(&mut text).map_err(unread)?
    } else {
        fs::File::open(path)
            .and_then(|file| file.take(BYTES_MAX + 1).read_to_string(&mut text))
            .map_err(unread)?
    };
    if bytes as u64 > BYTES_MAX {
        return Err(Failure::new(Code::File, format!("{} is larger than {BYTES_MAX} bytes", path.display())));
    }
    Ok(text)
}
