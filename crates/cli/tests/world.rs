//! A folder of its own, with a copy of the examples, a stopped clock and names from a seed.

use std::cell::RefCell;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command printed, and how it ended.
#[must_use]
pub(crate) struct Printed {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A folder with projects in it, and the project that was worked on last.
pub(crate) struct World(tempfile::TempDir, RefCell<String>);

/// Commands about runs, which take their project as `--project`.
const ABOUT_RUNS: [&str; 12] = [
    "runs",
    "show",
    "explain",
    "replay",
    "approve",
    "reject",
    "approvals",
    "answer",
    "cancel",
    "resume",
    "verify",
    "export",
];

impl World {
    pub(crate) fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap(), RefCell::new("examples/audit".to_owned()));
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/audit");
        copy(&examples, &world.path("examples/audit"));
        world
    }

    /// A path; what begins with `.provost` lies with the project.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        let home = if path.starts_with(".provost") { &**self.1.borrow() } else { "" };
        self.0.path().join(home).join(path)
    }

    /// The words of a command, with the project that was run last for those that need it.
    fn within_project(&self, words: &[&str]) -> Vec<String> {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let command = words.iter().find(|word| !matches!(word.as_str(), "--json" | "--plain"));
        let option = words.iter().position(|word| word == "--project" || word == "-C");
        match (command.map(String::as_str), option.and_then(|at| words.get(at + 1))) {
            (Some("run" | "chat"), None) => ".".clone_into(&mut self.1.borrow_mut()),
            (_, Some(folder)) if self.0.path().join(folder).is_dir() => *self.1.borrow_mut() = folder.clone(),
            (_, Some(_)) => {}
            (Some(command), None) if ABOUT_RUNS.contains(&command) || command == "db" => {
                words.extend(["--project".to_owned(), self.1.borrow().clone()]);
            }
            (_, None) => {}
        }
        words
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_provost"));
        command
            .args(self.within_project(words))
            .current_dir(self.0.path())
            .env_clear()
            .envs([("PATH", "/usr/bin:/bin"), ("USER", "mallory"), ("PROVOST_SEED", "7")])
            .envs([("LANG", "C.UTF-8"), ("TZ", "UTC")])
            .env("PROVOST_CLOCK_MS", "1780000000000")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn provost(&self, words: &[&str]) -> Printed {
        self.printed(&mut self.command(words))
    }

    pub(crate) fn printed(&self, command: &mut Command) -> Printed {
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| self.plain(&String::from_utf8(bytes).unwrap());
        Printed {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// The program as somebody whom the modes of files bind: root becomes another user for it.
    pub(crate) fn bound(&self, words: &[&str]) -> Printed {
        let plain = self.command(words);
        if !fs::metadata("/proc/self").is_ok_and(|process| std::os::unix::fs::MetadataExt::uid(&process) == 0)
        {
            return self.printed(&mut self.command(words));
        }
        // The other user may not be able to reach the folder of the build.
        let program = self.path("provost");
        if !program.exists() {
            self.mode("", 0o755);
            fs::copy(plain.get_program(), &program).unwrap();
        }
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(program)
            .args(plain.get_args());
        command.current_dir(self.0.path()).env_clear().stdin(Stdio::null());
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        self.printed(&mut command)
    }

    /// Runs a script of a shell in which `provost` is the program and mounts are its own; none when this
    /// machine lets nobody mount anything.
    pub(crate) fn with_mounts(&self, script: &str) -> Option<Printed> {
        let unshared = |how: &str, script: &str| {
            let mut command = self.command(&[]);
            let program = command.get_program().to_owned();
            command = Command::new("unshare");
            command.args([how, "sh", "-c", script]).current_dir(self.0.path()).env_clear();
            command.envs([("PATH", "/usr/bin:/bin"), ("USER", "mallory")]).env("PROVOST", program);
            command.stdin(Stdio::null());
            command
        };
        let works = |how: &&str| {
            let tried = unshared(how, "mount -t tmpfs tmpfs .").output();
            tried.is_ok_and(|output| output.status.success())
        };
        let Some(how) = ["-Urm", "-m"].into_iter().find(works) else {
            left_out("this machine lets nobody mount anything");
            return None;
        };
        let script = format!("set -u; provost() {{ \"$PROVOST\" \"$@\"; }}\n{script}");
        Some(self.printed(&mut unshared(how, &script)))
    }

    /// Makes a pipe that a program announces itself on; reading it waits for that.
    pub(crate) fn pipe(&self) -> impl Fn() -> String + use<> {
        let pipe = self.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        move || fs::read_to_string(&pipe).unwrap()
    }

    pub(crate) fn mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Folder, processes, workers (and so hashes) and user have other names each time, or on each machine.
    pub(crate) fn plain(&self, text: &str) -> String {
        let canonical = self.0.path().canonicalize().unwrap();
        let text = without(&without(text, "\"process\":\""), "\"hash\":\"")
            .replace(&format!("user:{}", who("-un")), "user:ada");
        // That a call runs is shown only if it still does when the watcher begins.
        let text: String = text.split_inclusive('\n').filter(|line| !line.ends_with(": running\n")).collect();
        text.replace(&format!("\"uid\":{}", who("-ur")), "\"uid\":1")
            .replace(&*canonical.to_string_lossy(), "[here]")
            .replace(&*self.0.path().to_string_lossy(), "[here]")
    }

    /// Changes a record behind the back of the program.
    #[expect(clippy::disallowed_methods, reason = "somebody else changes the file")]
    pub(crate) fn change_the_journal(&self) {
        let file = rusqlite::Connection::open(self.path(".provost/provost.db")).unwrap();
        let changed = file.execute("UPDATE journal SET epoch = epoch + 1 WHERE seq > 1", []).unwrap();
        assert!(changed > 0);
    }

    /// The file the agent mends, in the only copy there is.
    pub(crate) fn mended(&self) -> String {
        let copies: Vec<_> = fs::read_dir(self.path(".provost/work")).unwrap().collect();
        assert_eq!(copies.len(), 1);
        fs::read_to_string(copies[0].as_ref().unwrap().path().join("src/sum.sh")).unwrap()
    }
}

/// Who runs the tests, as the system says.
pub(crate) fn who(how: &str) -> String {
    let output = Command::new("id").arg(how).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A text in which what follows some words, up to a quotation mark, is left out.
fn without(text: &str, words: &str) -> String {
    let mut parts = text.split(words);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + words + "[…]" + &part[part.find('"').unwrap_or(0)..])
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

/// Says that a test proves nothing here, and why. A test that passes is not heard: this goes past its
/// harness, and into the list `cargo xtask test` counts.
fn left_out(reason: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let told = format!("left out: {test}: {reason}\n");
    std::io::stderr().write_all(told.as_bytes()).unwrap();
    if let Some(list) = std::env::var_os("PROVOST_TESTS_LEFT_OUT") {
        let mut list = fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
        list.write_all(told.as_bytes()).unwrap();
    }
}

/// Waits for a moment that must come.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if is_so() {
            return;
        }
        // A pause of the machine, not of the test: what is waited for is a state.
        drop(Command::new("sleep").arg("0.01").status());
    }
    panic!("never: {what}");
}
