//! The key that seals secret arguments of waiting calls: the user's own, outside every workspace.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use provost::SealKey;

use crate::data_dir::for_the_owner;
use crate::environment;

/// Returns the key, created if missing. `None` if there is no place for one, or it is in the workspace:
/// then calls with secrets that would have to wait are rejected.
pub(crate) fn key(root: &Path) -> Option<SealKey> {
    let file = environment::seal_key_file()?;
    let folder = std::path::absolute(file.parent()?).ok()?;
    // The folder may not exist yet; then its nearest existing ancestor decides.
    let there = folder.ancestors().find_map(|folder| folder.canonicalize().ok())?;
    if there.starts_with(root.canonicalize().ok()?) {
        return None;
    }
    for_the_owner(&folder).ok()?;
    read(&file).or_else(|_| make(&file)).ok()
}

fn read(file: &Path) -> io::Result<SealKey> {
    let mut bytes = Vec::new();
    fs::File::open(file)?.take(1_024).read_to_end(&mut bytes)?;
    SealKey::from_bytes(&bytes).map_err(io::Error::other)
}

/// Created under another name and linked: if two processes create one at once, both use the same.
fn make(file: &Path) -> io::Result<SealKey> {
    if file.exists() {
        return read(file);
    }
    let key = SealKey::generate().map_err(io::Error::other)?;
    let draft = file.with_extension(format!("{}.new", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?.write_all(key.as_bytes())?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => read(file),
    }
}
