//! Reading an untrusted text file: it may be missing, endless, or not text.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a file of a project. Only regular files are read: a pipe would block, a device never ends.
pub fn read(path: &Path, bytes_max: u64) -> io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file"));
    }
    read_from(File::open(path)?, bytes_max)
}

/// Reads up to a maximum size.
pub fn read_from(source: impl Read, bytes_max: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    source.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {bytes_max} bytes"),
        ));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-8 text (byte {place})"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_or_no_text_is_refused() {
        assert_eq!(read_from(&b"text"[..], 4).expect("it fits"), "text");
        let too_large = read_from(&b"text"[..], 3).expect_err("it does not fit");
        assert_eq!(too_large.to_string(), "it is larger than 3 bytes");
        let no_text = read_from(&b"te\xff"[..], 4).expect_err("no text");
        assert_eq!(no_text.to_string(), "it is not UTF-8 text (byte 2)");
        assert!(read(Path::new("/dev/zero"), 4).is_err(), "a device is not read");
    }
}
