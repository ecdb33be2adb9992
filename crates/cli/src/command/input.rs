//! Reads a named file, or standard input.

use std::fs::File;
use std::path::Path;

use provost_project::text_file;

use crate::failure::{Code, Failure};

/// The maximum size.
const BYTES_MAX: u64 = 64 << 20;

/// Reads a text; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    let text = if path.as_os_str() == "-" {
        text_file::read_from(std::io::stdin().lock(), BYTES_MAX)
    } else {
        // A pipe from a shell is accepted here.
        File::open(path).and_then(|file| text_file::read_from(file, BYTES_MAX))
    };
    text.map_err(|error| {
        Failure::new(Code::File, format!("{} cannot be read: {error}", path.display()))
            .hint("name a file that can be read, or `-` for standard input")
    })
}
