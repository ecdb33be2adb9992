//! Signals that stop the program: Ctrl-C, SIGTERM and SIGHUP, heard also while nothing waits for them.

use std::fs;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, watch};

use crate::exit::Exit;

/// The signal that asked the program to leave, if one did. Ctrl-C only stops a run.
static LEAVING: LazyLock<watch::Sender<Option<Stop>>> = LazyLock::new(|| watch::Sender::new(None));
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

/// Every signal since it began to listen. One that comes while something else is done is heard afterwards.
pub(crate) struct Interrupts {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hang_up: Option<Signal>,
    /// The signal to leave, which may have come just before this began to listen; none once it was reported.
    leaving: Option<watch::Receiver<Option<Stop>>>,
}

impl Interrupts {
    /// Begins to listen. On a machine that gives no signals, they end the program as they always do.
    pub(crate) fn listen() -> Self {
        WATCHED.fetch_add(1, Ordering::SeqCst);
        Self {
            interrupt: signal(SignalKind::interrupt()).ok(),
            terminate: signal(SignalKind::terminate()).ok(),
            hang_up: hang_up(),
            leaving: Some(LEAVING.subscribe()),
        }
    }

    /// Resolves at the next signal.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(crate) async fn next(&mut self) -> Stop {
        let stop = tokio::select! {
            () = heard(&mut self.interrupt) => return Stop::Interrupt,
            () = heard(&mut self.terminate) => Stop::Terminate,
            () = heard(&mut self.hang_up) => Stop::HangUp,
            stop = left(&mut self.leaving) => stop,
        };
        self.leaving = None;
        stop
    }
}

async fn left(leaving: &mut Option<watch::Receiver<Option<Stop>>>) -> Stop {
    let stop = match leaving {
        Some(leaving) => leaving.wait_for(Option::is_some).await.ok().and_then(|stop| *stop),
        None => None,
    };
    match stop {
        Some(stop) => stop,
        None => std::future::pending().await,
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
    let stop = tokio::select! {
        () = heard(&mut terminate) => Stop::Terminate,
        () = heard(&mut hang_up) => Stop::HangUp,
    };
    LEAVING.send_replace(Some(stop));
    if WATCHED.load(Ordering::SeqCst) > 0 {
        loop {
            let unwatched = UNWATCHED.notified();
            if WATCHED.load(Ordering::SeqCst) == 0 {
                break;
            }
            unwatched.await;
        }
        tokio::time::sleep(LAST_WORDS).await;
    }
    stop.exit()
}

/// The exit code of a cancelled run: by which signal it was, if it was one that ends the program.
pub(crate) fn exit_of_cancelled() -> Exit {
    LEAVING.borrow().map_or(Exit::Cancelled, Stop::exit)
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

    /// A signal that came before the run was watched still stops it, and is reported once.
    #[tokio::test]
    async fn a_signal_just_before_it_listens_is_heard_once() {
        LEAVING.send_replace(Some(Stop::Terminate));
        let mut interrupts = Interrupts::listen();
        assert_eq!(interrupts.next().await, Stop::Terminate);
        let again = tokio::time::timeout(Duration::from_millis(50), interrupts.next()).await;
        assert!(again.is_err(), "{again:?}");
        LEAVING.send_replace(None);
        let mut later = Interrupts::listen();
        assert!(tokio::time::timeout(Duration::from_millis(50), later.next()).await.is_err());
    }
}
