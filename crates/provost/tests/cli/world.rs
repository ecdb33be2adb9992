//! A folder of its own, with a copy of the examples, a stopped clock and names from a seed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command printed, and how it ended.
#[must_use]
pub(crate) struct Printed {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A folder somebody works in.
pub(crate) struct World(tempfile::TempDir);

impl World {
    pub(crate) fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/audit");
        copy(&examples, &world.path("examples/audit"));
        world
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_provost"));
        command
            .args(words)
            .current_dir(self.0.path())
            .env_clear()
            .envs([("PATH", "/usr/bin:/bin"), ("USER", "ada"), ("PROVOST_SEED", "7")])
            .env("PROVOST_CLOCK_MS", "1780000000000")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn provost(&self, words: &[&str]) -> Printed {
        let output = self.command(words).output().unwrap();
        let text = |bytes: Vec<u8>| self.plain(&String::from_utf8(bytes).unwrap());
        Printed {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// The folder has another name each time.
    fn plain(&self, text: &str) -> String {
        let canonical = self.0.path().canonicalize().unwrap();
        text.replace(&*canonical.to_string_lossy(), "[here]")
            .replace(&*self.0.path().to_string_lossy(), "[here]")
    }

    /// Changes a record behind the back of the program.
    #[expect(clippy::disallowed_methods, reason = "somebody else changes the file")]
    pub(crate) fn change_the_journal(&self) {
        let file = rusqlite::Connection::open(self.path(".provost/provost.db")).unwrap();
        let changed = file.execute("UPDATE journal SET epoch = epoch + 1 WHERE last_seq > 1", []).unwrap();
        assert!(changed > 0);
    }

    /// The file the agent mends, in the only copy there is.
    pub(crate) fn mended(&self) -> String {
        let copies: Vec<_> = fs::read_dir(self.path(".provost/work")).unwrap().collect();
        assert_eq!(copies.len(), 1);
        fs::read_to_string(copies[0].as_ref().unwrap().path().join("src/sum.sh")).unwrap()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
