//! The runtime's side: starting supervising processes, and ending what they watch.

use std::collections::HashSet;
use std::io;
use std::os::unix::net::UnixStream as StdStream;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use provost_runtime::process::{self, living};
use rustix::fd::{AsFd, OwnedFd};
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, pidfd_send_signal, waitpid};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::WORD;
use super::tree::{self, Process};
use super::wire::{Order, REPORT, Report, send_streams};
use crate::pipes::Pipes;

/// Whether this program can be started as a supervising process.
static INSTALLED: AtomicBool = AtomicBool::new(false);
/// The supervising processes of this process. Every other child was adopted.
static KEEPERS: LazyLock<Mutex<HashSet<u32>>> = LazyLock::new(Mutex::default);

/// Whether this process adopts what loses its supervising process, and has no children of other kinds.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// How long a supervising process may take to end what it watches before this process does it.
const HANG_UP_MS: i64 = 3_000;
/// How often descendants are killed and looked for again, 5 ms apart, before it is given up.
const LOOKS_MAX: u32 = 400;
/// How long a killed process may take to go.
const KILL_MS: i64 = 2_000;
/// How often a process of an earlier runtime is looked at while it ends.
const LOOK: Duration = Duration::from_millis(10);

pub(super) fn install() {
    INSTALLED.store(true, Ordering::Relaxed);
}

pub(super) fn adopt() {
    ADOPTS.store(true, Ordering::Relaxed);
}

/// A supervising process, and after [`Keeper::start`] the program it watches. Dropped, both are gone.
pub(crate) struct Keeper {
    /// None once hung up.
    control: Option<UnixStream>,
    child: std::process::Child,
    /// Refers to the child also after its number was given to another process.
    handle: OwnedFd,
    /// The supervising process, for a later runtime.
    identity: String,
    /// The program's number, which is also that of its group.
    program: Option<Pid>,
}

/// A program to start.
pub(crate) struct Start<'a> {
    pub(crate) argv: &'a [String],
    pub(crate) folder: &'a std::path::Path,
    pub(crate) environment: &'a crate::Environment,
}

impl Keeper {
    /// Starts a supervising process, which waits for its program; none when this program cannot be one.
    ///
    /// # Errors
    /// When the machine gives no more processes or handles.
    pub(crate) fn spawn() -> io::Result<Option<Self>> {
        if !INSTALLED.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (ours, theirs) = StdStream::pair()?;
        ours.set_nonblocking(true)?;
        // The file this process runs from, also when another one took its place on disk.
        let mut command = Command::new("/proc/self/exe");
        command.arg(WORD).env_clear().current_dir("/");
        command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::null()).stderr(Stdio::null());
        // Held until the child is listed: meanwhile it must not pass for one that was adopted.
        let mut keepers = keepers();
        let child = command.spawn()?;
        let pid = child.id();
        keepers.insert(pid);
        drop(keepers);
        let identity = process::handle(&process::process(pid));
        let handle = tree::open(pid)?;
        let control = Some(UnixStream::from_std(ours)?);
        Ok(Some(Self { control, child, handle, identity, program: None }))
    }

    /// Names the supervising process for ever: where it is, its number, and when it began.
    pub(crate) fn identity(&self) -> String {
        self.identity.clone()
    }

    /// Starts the program.
    ///
    /// # Errors
    /// When it cannot be started, or the supervising process is gone.
    pub(crate) async fn start(&mut self, start: Start<'_>) -> io::Result<Pipes> {
        let order = Order {
            argv: start.argv.iter().map(Into::into).collect(),
            folder: start.folder.to_owned(),
            environment: start.environment.variables().map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
        };
        let order = order.encode()?;
        let (stdin, to_stdin) = io::pipe()?;
        let (from_stdout, stdout) = io::pipe()?;
        let (from_stderr, stderr) = io::pipe()?;
        let control = self.control.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        send_streams(&*control, order.len(), &[stdin.as_fd(), stdout.as_fd(), stderr.as_fd()])?;
        drop((stdin, stdout, stderr));
        control.write_all(&order).await?;
        match self.report().await.map_err(|_| killed())? {
            Report::Started(pid) => self.program = Pid::from_raw(pid),
            Report::Failed(errno) => return Err(io::Error::from_raw_os_error(errno)),
            Report::Ended(_) => return Err(io::ErrorKind::InvalidData.into()),
        }
        Pipes::of(to_stdin.into(), from_stdout.into(), from_stderr.into())
    }

    /// Waits for the program, for so long. When this returns, nothing of it is left; none means the time was
    /// up.
    ///
    /// # Errors
    /// When the supervising process was killed, or what it watches cannot be ended.
    pub(crate) async fn ended(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        use std::os::unix::process::ExitStatusExt;
        match tokio::time::timeout(limit, self.report()).await {
            Ok(Ok(Report::Ended(status))) => Ok(Some(ExitStatus::from_raw(status))),
            Ok(Ok(_)) => Err(io::ErrorKind::InvalidData.into()),
            Ok(Err(_)) => {
                self.end()?;
                Err(killed())
            }
            Err(_) => self.end().map(|()| None),
        }
    }

    async fn report(&mut self) -> io::Result<Report> {
        let control = self.control.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        let mut report = [0; REPORT];
        control.read_exact(&mut report).await?;
        Report::decode(report).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Ends the program and all it started. Blocks for the few milliseconds that this takes: when it
    /// returns, the program is gone.
    fn end(&mut self) -> io::Result<()> {
        self.control = None;
        // A program may have stopped the process that watches it.
        let _ = pidfd_send_signal(&self.handle, Signal::CONT);
        let mut is_gone = self.goes_within(HANG_UP_MS);
        if !is_gone {
            is_gone = tree::end_descendants(self.child.id(), LOOKS_MAX);
            let _ = pidfd_send_signal(&self.handle, Signal::KILL);
            is_gone &= self.goes_within(KILL_MS);
        }
        if !matches!(self.child.try_wait(), Ok(Some(status)) if status.success()) {
            // It did not end its descendants itself.
            if let Some(program) = self.program.take() {
                let _ = kill_process_group(program, Signal::KILL);
            }
            is_gone &= end_adopted();
        }
        if is_gone { Ok(()) } else { Err(io::Error::other("it could not be ended and may still run")) }
    }

    fn goes_within(&self, ms: i64) -> bool {
        tree::readable(&[self.handle.as_fd()], ms) == [true]
    }
}

/// The supervising process is gone, and the program may have run.
fn killed() -> io::Error {
    let message = "the process that supervised it was killed, and what was left of it too";
    io::Error::new(io::ErrorKind::BrokenPipe, message)
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if self.end().is_ok() {
            let _ = self.child.wait();
        }
        keepers().remove(&self.child.id());
    }
}

fn keepers() -> std::sync::MutexGuard<'static, HashSet<u32>> {
    KEEPERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends what lost its supervising process and was adopted by this one: nothing else is a child here.
fn end_adopted() -> bool {
    if !ADOPTS.load(Ordering::Relaxed) {
        return true;
    }
    // Held, so that a supervising process that is being started is not taken for an adopted one.
    let keepers = keepers();
    for _ in 0..LOOKS_MAX {
        let mut adopted = Process::children(std::process::id());
        adopted.retain(|process| !keepers.contains(&process.pid));
        if adopted.is_empty() {
            return true;
        }
        for process in &adopted {
            // What it started is adopted when it dies, and found at the next look.
            let _ = process.signal(Signal::KILL);
            let pid = i32::try_from(process.pid).ok().and_then(Pid::from_raw);
            let _ = waitpid(pid, WaitOptions::NOHANG);
        }
        tree::readable(&[], tree::LOOK_MS);
    }
    false
}

/// Ends the supervising process that an earlier runtime left, with everything it watches. It is about to go by
/// itself when its runtime is dead; it is killed when its runtime only sleeps.
///
/// # Errors
/// What still runs, in words.
pub(crate) async fn end_earlier(identity: &str) -> Result<(), String> {
    let Some(pid) = living(identity) else { return Ok(()) };
    let pidfd = tree::open(pid).ok();
    if let Some(pidfd) = &pidfd {
        let _ = pidfd_send_signal(pidfd, Signal::CONT);
    }
    if gone(identity, HANG_UP_MS).await {
        return Ok(());
    }
    let ended = tree::end_descendants(pid, LOOKS_MAX);
    if let Some(pidfd) = pidfd.filter(|_| living(identity).is_some()) {
        let _ = pidfd_send_signal(pidfd, Signal::KILL);
    }
    if ended && gone(identity, KILL_MS).await {
        return Ok(());
    }
    Err(format!("the program it had started still runs under process {pid} and cannot be ended"))
}

async fn gone(identity: &str, ms: i64) -> bool {
    let limit = Duration::from_millis(u64::try_from(ms).unwrap_or_default());
    let looking = async {
        while living(identity).is_some() {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::time::timeout(limit, looking).await.is_ok()
}
