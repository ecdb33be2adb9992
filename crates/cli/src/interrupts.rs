//! Signals that stop the program: Ctrl-C, SIGTERM and SIGHUP, received even while nothing awaits them.

use std::fs;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, watch};

use crate::exit::Exit;

/// The number of SIGTERM and SIGHUP received, and the last one. Ctrl-C only cancels a run.
static LEAVING: LazyLock<watch::Sender<(usize, Option<Stop>)>> = LazyLock::new(watch::Sender::default);
/// How many runs are being watched: what watches a run stops it before the program leaves.
static WATCHED: AtomicUsize = AtomicUsize::new(0);
static UNWATCHED: Notify = Notify::const_new();

/// How long a command gets to say how its run ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A signal that stops a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Interrupt,
    Terminate,
    HangUp,
}

impl Stop {
    /// The signal as the record names it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Interrupt => "Ctrl-C",
            Self::Terminate => "SIGTERM",
            Self::HangUp => "SIGHUP",
        }
    }

    /// How a program ends that leaves at once because of it.
    pub(crate) fn exit(self) -> Exit {
        match self {
            Self::Interrupt => Exit::Cancelled,
            Self::Terminate => Exit::Terminated,
            Self::HangUp => Exit::HungUp,
        }
    }
}

/// The signals for a run that is watched. One that comes while something else is done, or just before, is heard afterwards.
pub(crate) struct Interrupts {
    interrupt: Option<Signal>,
    leaving: watch::Receiver<(usize, Option<Stop>)>,
    /// How many of those that ask the program to leave were reported.
    reported: usize,
}

impl Interrupts {
    /// Begins to listen. If signals cannot be handled, they end the program as usual.
    pub(crate) fn listen() -> Self {
        WATCHED.fetch_add(1, Ordering::SeqCst);
        Self { interrupt: signal(SignalKind::interrupt()).ok(), leaving: LEAVING.subscribe(), reported: 0 }
    }

    /// Resolves at the next signal.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(crate) async fn next(&mut self) -> Stop {
        let reported = self.reported;
        let stop = tokio::select! {
            () = heard(&mut self.interrupt) => return Stop::Interrupt,
            stop = left(&mut self.leaving, reported) => stop,
        };
        self.reported += 1;
        stop
    }
}

/// Resolves when more signals to leave came than were reported.
async fn left(leaving: &mut watch::Receiver<(usize, Option<Stop>)>, reported: usize) -> Stop {
    match leaving.wait_for(|(count, _)| *count > reported).await.map(|came| came.1) {
        Ok(Some(stop)) => stop,
        Ok(None) | Err(_) => std::future::pending().await,
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        WATCHED.fetch_sub(1, Ordering::SeqCst);
        UNWATCHED.notify_waiters();
    }
}

/// Resolves when SIGTERM or SIGHUP asked the program to leave, and no run is left that must be stopped first.
pub(crate) async fn leaves() -> Exit {
    let (mut terminate, mut hang_up) = (signal(SignalKind::terminate()).ok(), hang_up());
    let mut first: Option<(Stop, bool)> = None;
    loop {
        let stop = tokio::select! {
            () = heard(&mut terminate) => Stop::Terminate,
            () = heard(&mut hang_up) => Stop::HangUp,
            () = unwatched(), if first.is_some() => break,
        };
        LEAVING.send_modify(|(count, last)| (*count, *last) = (*count + 1, Some(stop)));
        first.get_or_insert((stop, WATCHED.load(Ordering::SeqCst) > 0));
    }
    let Some((stop, was_watched)) = first else { return Exit::Terminated };
    if was_watched {
        tokio::time::sleep(LAST_WORDS).await;
    }
    stop.exit()
}

async fn unwatched() {
    loop {
        let unwatched = UNWATCHED.notified();
        if WATCHED.load(Ordering::SeqCst) == 0 {
            return;
        }
        unwatched.await;
    }
}

/// The exit code of a cancelled run: by which signal it was, if it was one that ends the program.
pub(crate) fn exit_of_cancelled() -> Exit {
    LEAVING.borrow().1.map_or(Exit::Cancelled, Stop::exit)
}

/// Whether SIGTERM or SIGHUP asked the program to leave.
pub(crate) fn is_leaving() -> bool {
    LEAVING.borrow().1.is_some()
}

/// The exit code of a command: by the signal that ended it, if that left a run with a question.
pub(crate) fn exit_of(exit: Exit) -> Exit {
    match (exit, LEAVING.borrow().1) {
        (Exit::Waiting, Some(stop)) => stop.exit(),
        (exit, _) => exit,
    }
}

async fn heard(signal: &mut Option<Signal>) {
    let heard = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if heard.is_none() {
        std::future::pending::<()>().await;
    }
}

/// SIGHUP, unless the program was started to outlive its terminal (`nohup`).
fn hang_up() -> Option<Signal> {
    // Listening would replace what `nohup` set, so the first look decides.
    static IS_IGNORED: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    if *IS_IGNORED.get_or_init(|| ignores_hang_up().unwrap_or(false)) {
        return None;
    }
    signal(SignalKind::hangup()).ok()
}

fn ignores_hang_up() -> Option<bool> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    // SIGHUP has the number 1, and so the lowest bit.
    Some(u64::from_str_radix(mask.trim(), 16).ok()? & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A signal that came before the run was watched still stops it, and each is reported once.
    #[tokio::test]
    async fn a_signal_just_before_it_listens_is_heard_once() {
        LEAVING.send_replace((1, Some(Stop::Terminate)));
        let mut interrupts = Interrupts::listen();
        assert_eq!(interrupts.next().await, Stop::Terminate);
        let again = tokio::time::timeout(Duration::from_millis(50), interrupts.next()).await;
        assert!(again.is_err(), "{again:?}");
        LEAVING.send_replace((2, Some(Stop::HangUp)));
        assert_eq!(interrupts.next().await, Stop::HangUp);
        LEAVING.send_replace((0, None));
        let mut later = Interrupts::listen();
        assert!(tokio::time::timeout(Duration::from_millis(50), later.next()).await.is_err());
    }
}
