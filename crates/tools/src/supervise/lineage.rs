//! Whether this process was started by a run.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::os::unix::ffi::OsStrExt;

use rustix::process::{getpid, set_child_subreaper};
use rustix::thread::set_name;

use super::tree::Process;
use super::{KEEPER_NAME, WORD, WORKER_NAME};
use crate::Environment;

/// More ancestors than any process has; a chain of numbers that are used again ends here at the latest.
const ANCESTORS_MAX: usize = 4_096;

/// Says that this process works on runs: its descendants are recognised by it, and what loses its supervising
/// process is adopted by this one. For a program that starts nothing but through tools; call it before the
/// first tool runs.
pub fn work_on_runs() {
    // Where the system refuses one of them, the other signs still count.
    let _ = set_name(WORKER_NAME);
    if set_child_subreaper(Some(getpid())).is_ok() {
        super::keeper::adopt();
    }
}

/// What shows that this process descends from a run; none when nothing does.
///
/// The signs are an ancestor that supervises a program or works on runs, and the variable `PROVOST_RUN` in
/// the environment of this process or of an ancestor.
pub fn run_above() -> Option<String> {
    if std::env::var_os(Environment::RUN).is_some() {
        return Some(format!("{} is set", Environment::RUN));
    }
    let Some(own) = Process::find(std::process::id()) else {
        return Some("/proc does not show this process, so that its ancestors are unknown".to_owned());
    };
    let mut pid = own.parent;
    for _ in 0..ANCESTORS_MAX {
        let process = Process::find(pid)?;
        let is_named = |name: &CStr| name.to_bytes() == process.name.as_bytes();
        if is_named(KEEPER_NAME) || is_supervising(pid) {
            return Some(format!("process {pid}, an ancestor of this one, supervises a program of a run"));
        }
        if is_named(WORKER_NAME) {
            return Some(format!("process {pid}, an ancestor of this one, works on a run"));
        }
        if has_variable(pid) {
            return Some(format!("{} is set for process {pid}, an ancestor of this one", Environment::RUN));
        }
        pid = process.parent;
    }
    None
}

fn is_supervising(pid: u32) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    words.split(|byte| *byte == 0).nth(1).map(OsStr::from_bytes) == Some(OsStr::new(WORD))
}

fn has_variable(pid: u32) -> bool {
    let variables = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let name = Environment::RUN.as_bytes();
    variables
        .split(|byte| *byte == 0)
        .any(|pair| pair.strip_prefix(name).is_some_and(|rest| rest.starts_with(b"=")))
}
