//! Keys as they are typed, read by a thread that can be stopped.

use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Key;
use super::key::Bytes;
use super::mode::{Quiet, renew};

/// How long after an escape the rest of its sequence may come.
const SEQUENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// How often the terminal mode is checked.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

const PASTES_ARE_MARKED: &[u8] = b"\x1b[?2004h";
const PASTES_ARE_NOT_MARKED: &[u8] = b"\x1b[?2004l";

static MARKED: AtomicBool = AtomicBool::new(false);

/// Lets the terminal send pastes as if they were typed, as other programs expect.
pub(super) fn unmark() {
    if MARKED.swap(false, Ordering::SeqCst) {
        drop(io::stderr().write_all(PASTES_ARE_NOT_MARKED));
    }
}

/// The keys of the terminal. Dropped, it leaves those that were not read yet to the next reader.
pub(crate) struct Keys {
    typed: UnboundedReceiver<Key>,
    stop: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
    _quiet: Quiet,
}

impl Keys {
    /// Takes the keys; none where no person types. Where something may be drawn, pastes are marked.
    pub(crate) fn take(marks_pastes: bool) -> Option<Self> {
        let quiet = Quiet::begin()?;
        let (stopped, stop) = io::pipe().ok()?;
        let (sender, typed) = unbounded_channel();
        let thread = std::thread::spawn(move || read(&sender, &stopped));
        if marks_pastes && !MARKED.swap(true, Ordering::SeqCst) {
            drop(io::stderr().write_all(PASTES_ARE_MARKED));
        }
        Some(Self { typed, stop: Some(stop), thread: Some(thread), _quiet: quiet })
    }

    /// The next key; none at the end of input.
    ///
    /// # Cancel safety
    /// Dropping it loses nothing.
    pub(crate) async fn next(&mut self) -> Option<Key> {
        self.typed.recv().await
    }

    /// Drops everything that is typed until nothing was for a while.
    pub(crate) async fn pause(&mut self, pause: Duration) {
        // Errors of the flush are ignored.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        while let Ok(Some(_)) = tokio::time::timeout(pause, self.typed.recv()).await {}
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        unmark();
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Reads until it is stopped. Nothing is read that is not there, so that it can be stopped at any time.
fn read(keys: &UnboundedSender<Key>, stopped: &PipeReader) {
    let stdin = io::stdin();
    let mut bytes = Bytes::default();
    let mut chunk = [0; 4_096];
    loop {
        let mut ready = [PollFd::new(stopped, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
        let changed = poll(&mut ready, Some(if bytes.is_open() { &SEQUENCE } else { &LOOK }));
        let is_ready = |index: usize| ready.get(index).is_some_and(|fd| !fd.revents().is_empty());
        let typed = match changed {
            Err(rustix::io::Errno::INTR) => continue,
            Ok(0) => {
                renew();
                bytes.pause().into_iter().collect()
            }
            Ok(_) if is_ready(0) => return,
            Ok(_) => match rustix::io::read(&stdin, &mut chunk) {
                Ok(0) | Err(_) => return,
                Ok(read) => bytes.take(chunk.get(..read).unwrap_or_default()),
            },
            Err(_) => return,
        };
        for key in typed {
            if keys.send(key).is_err() {
                return;
            }
        }
    }
}
