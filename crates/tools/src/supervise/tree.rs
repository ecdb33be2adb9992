//! Processes and their descendants, as `/proc` shows them.

use std::collections::HashMap;
use std::fs;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{BorrowedFd, OwnedFd};
use rustix::fs::Timespec;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, pidfd_open, pidfd_send_signal, wait};

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) parent: u32,
    /// Number and begin together name a process for ever.
    began: String,
    pub(super) name: String,
    is_dead: bool,
}

impl Process {
    /// A process by its number; none when there is none.
    pub(super) fn find(pid: u32) -> Option<Self> {
        let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name stands in parentheses and may hold anything.
        let (open, close) = (line.find('(')?, line.rfind(')')?);
        let mut fields = line.get(close + 1..)?.split_whitespace();
        let (state, parent) = (fields.next()?, fields.next()?);
        Some(Self {
            pid,
            parent: parent.parse().ok()?,
            began: fields.nth(17)?.to_owned(),
            name: line.get(open + 1..close)?.to_owned(),
            is_dead: matches!(state, "Z" | "X"),
        })
    }

    /// Every process that can be seen.
    fn all() -> Vec<Self> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter_map(Self::find).collect()
    }

    /// The children of a process, the dead included.
    pub(super) fn children(of: u32) -> Vec<Self> {
        Self::all().into_iter().filter(|process| process.parent == of).collect()
    }

    /// The living descendants of a process.
    pub(super) fn descendants(of: u32) -> Vec<Self> {
        let mut by_parent: HashMap<u32, Vec<Self>> = HashMap::new();
        for process in Self::all() {
            by_parent.entry(process.parent).or_default().push(process);
        }
        let (mut found, mut next) = (Vec::new(), vec![of]);
        while let Some(parent) = next.pop() {
            for process in by_parent.remove(&parent).unwrap_or_default() {
                next.push(process.pid);
                found.push(process);
            }
        }
        found.retain(|process| !process.is_dead);
        found
    }

    /// Sends a signal to this process, and never to another that got its number since.
    pub(super) fn signal(&self, signal: Signal) -> Result<(), Errno> {
        let pidfd = open(self.pid)?;
        if Self::find(self.pid).is_none_or(|now| now.began != self.began) {
            return Err(Errno::SRCH);
        }
        pidfd_send_signal(pidfd, signal)
    }
}

/// A handle to a process.
pub(super) fn open(pid: u32) -> Result<OwnedFd, Errno> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
    pidfd_open(pid, PidfdFlags::empty())
}

/// Waits until something can be read from one of these, or the time is up.
pub(super) fn readable(fds: &[BorrowedFd<'_>], ms: i64) -> Vec<bool> {
    let mut polled: Vec<PollFd<'_>> =
        fds.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
    let limit = Timespec { tv_sec: ms / 1_000, tv_nsec: (ms % 1_000) * 1_000_000 };
    // A signal ends the wait early, which the caller takes for nothing having happened.
    let _ = poll(&mut polled, Some(&limit));
    polled.iter().map(|fd| !fd.revents().is_empty()).collect()
}

/// How long to wait between two looks at what is left.
pub(super) const LOOK_MS: i64 = 5;

/// How often in a row nothing must be found of another process's descendants: one that loses its parent while
/// the list is read has no parent for that moment.
const EMPTY_LOOKS: u32 = 3;

/// Kills every descendant of another process until none is left, or only such as this user may not kill; gives
/// up after so many looks.
pub(super) fn end_descendants(of: u32, looks_max: u32) -> bool {
    let mut empty = 0;
    for _ in 0..looks_max {
        // New ones may be started while the old ones are killed: hence again, until there are none.
        empty = if kill_descendants(of) { empty + 1 } else { 0 };
        if empty == EMPTY_LOOKS {
            return true;
        }
        readable(&[], LOOK_MS);
    }
    false
}

/// Kills every descendant of this process, which adopts those that lose their parent, and buries them. Returns
/// when it has no children any more, or only such as this user may not kill.
pub(super) fn end_own_descendants() {
    let mut unkillable = 0;
    while unkillable < EMPTY_LOOKS {
        let is_empty = kill_descendants(std::process::id());
        // What descends from this process has a parent among its children: without children there is nothing.
        let is_childless = loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break false,
                Err(_) => break true,
            }
        };
        if is_childless {
            return;
        }
        unkillable = if is_empty { unkillable + 1 } else { 0 };
        readable(&[], LOOK_MS);
    }
}

/// Sends a signal to every descendant; true when there was none that could be killed.
fn kill_descendants(of: u32) -> bool {
    let left = Process::descendants(of);
    let killed = left.iter().filter(|process| process.signal(Signal::KILL) != Err(Errno::PERM));
    killed.count() == 0
}

/// Buries the dead among the children of this process, and says how the given one ended if it is among them.
/// Only for a process that waits for no child elsewhere.
pub(super) fn bury_and_find(wanted: u32) -> Option<i32> {
    let mut found = None;
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if u32::try_from(pid.as_raw_nonzero().get()) == Ok(wanted) {
            found = Some(status.as_raw());
        }
    }
    found
}
