//! Which process holds SQLite's write lock.

use std::path::Path;

/// Names the process that writes to a file now, for a sentence.
pub(super) fn of(path: &Path) -> String {
    match writing_process(path) {
        Some(pid) if pid == std::process::id() => format!("another handle of this process ({pid})"),
        Some(pid) => match program(pid) {
            Some(program) => format!("process {pid} ({program})"),
            None => format!("process {pid}"),
        },
        None => "another process".to_owned(),
    }
}

/// Finds the lock in the kernel's list. The file itself must not be opened for that: closing it again would
/// drop the locks that this process holds on it.
#[cfg(target_os = "linux")]
fn writing_process(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;

    let inode = std::fs::metadata(super::files::beside(path, "-shm")).ok()?.ino();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| holder_in(line, inode))
}

#[cfg(target_os = "linux")]
fn program(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim().to_owned())
}

#[cfg(not(target_os = "linux"))]
fn writing_process(_path: &Path) -> Option<u32> {
    None
}

#[cfg(not(target_os = "linux"))]
fn program(_pid: u32) -> Option<String> {
    None
}

/// Reads `1: POSIX  ADVISORY  WRITE 77 fe:00:1234 120 120`: kind, mode, process, file and bytes.
#[cfg(target_os = "linux")]
fn holder_in(line: &str, inode: u64) -> Option<u32> {
    /// The byte of the shared-memory file that stands for the right to write.
    const WRITE_LOCK_AT: u64 = 120;
    let mut words = line.split_whitespace().skip(3);
    let (mode, pid, file) = (words.next()?, words.next()?, words.next()?);
    let (first, last) = (words.next()?.parse().ok()?, words.next()?.parse().unwrap_or(u64::MAX));
    let same_file = file.rsplit(':').next()?.parse() == Ok(inode);
    (mode == "WRITE" && same_file && (first..=last).contains(&WRITE_LOCK_AT)).then(|| pid.parse().ok())?
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_writer_is_found_among_other_locks() {
        let writer = "3: POSIX  ADVISORY  WRITE 77 fe:00:1234 120 120";
        assert_eq!(holder_in(writer, 1234), Some(77));
        assert_eq!(holder_in(writer, 1235), None, "another file");
        assert_eq!(holder_in("3: POSIX  ADVISORY  READ 77 fe:00:1234 120 120", 1234), None, "a reader");
        assert_eq!(holder_in("3: POSIX  ADVISORY  WRITE 77 fe:00:1234 123 123", 1234), None, "other bytes");
        assert_eq!(holder_in("4: FLOCK  ADVISORY  WRITE 9 fe:00:1234 0 EOF", 1234), Some(9), "all bytes");
        assert_eq!(holder_in("nonsense", 1234), None);
    }
}
