//! A program and everything it starts, as one thing that can be ended.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::task::JoinHandle;

use crate::pipes::Pipes;

/// A running process group. Dropped, it is killed.
pub(super) struct Group {
    leader: Leader,
    reaper: JoinHandle<io::Result<ExitStatus>>,
}

impl Group {
    /// Starts a program as the leader of a new group. Not a future: between the start and the guard that
    /// ends it there is no point at which it could be forgotten.
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Pipes)> {
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let leader = Leader::of(&child);
        let reaped = leader.clone();
        let group = Self { leader, reaper: tokio::task::spawn_blocking(move || reaped.reap(child)) };
        let missing = || io::Error::other("the program has no pipes");
        let (stdin, stdout, stderr) =
            (stdin.ok_or_else(missing)?, stdout.ok_or_else(missing)?, stderr.ok_or_else(missing)?);
        Ok((group, Pipes::of(stdin.into(), stdout.into(), stderr.into())?))
    }

    /// Waits for the leader, for so long. When this returns the group is dead; none means the time was up.
    pub(super) async fn ended(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        match tokio::time::timeout(limit, &mut self.reaper).await {
            Ok(status) => status?.map(Some),
            Err(_) => {
                self.leader.kill();
                (&mut self.reaper).await??;
                Ok(None)
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.leader.kill();
    }
}

/// The leader's id for as long as it is surely ours: a number is free for others once its process is reaped.
#[derive(Clone)]
struct Leader(Arc<Mutex<Option<Pid>>>);

impl Leader {
    fn of(child: &Child) -> Self {
        Self(Arc::new(Mutex::new(Some(Pid::from_child(child)))))
    }

    fn kill(&self) {
        if let Some(pid) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            // A group that is gone already is what was wanted.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// Waits for the end of the leader, kills whatever it leaves behind, and only then lets its number go.
    fn reap(&self, mut child: Child) -> io::Result<ExitStatus> {
        let pid = Pid::from_child(&child);
        while waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            .is_err_and(|error| error == rustix::io::Errno::INTR)
        {}
        self.kill();
        let mut leader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let status = child.wait();
        *leader = None;
        status
    }
}
