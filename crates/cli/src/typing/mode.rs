//! The terminal without echo, and with keys one by one. Ctrl-C stays a signal.

use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};

use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetpgrp, tcsetattr,
};

use super::keys::unmark;

/// The original mode, and the number of users that changed it.
static BEFORE: Mutex<(Option<Termios>, usize)> = Mutex::new((None, 0));

/// While it lives, the terminal shows nothing that is typed.
pub(crate) struct Quiet(());

impl Quiet {
    /// Turns the echo off; none where no person types.
    pub(crate) fn begin() -> Option<Self> {
        let stdin = io::stdin();
        if !is_ours() {
            return None;
        }
        let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        if before.1 == 0 {
            let modes = tcgetattr(&stdin).ok()?;
            tcsetattr(&stdin, OptionalActions::Now, &quieted(&modes)).ok()?;
            before.0 = Some(modes);
        }
        before.1 += 1;
        Some(Self(()))
    }
}

/// Whether the terminal is this program's. A process in the background that changes its terminal is stopped.
fn is_ours() -> bool {
    let stdin = io::stdin();
    stdin.is_terminal() && tcgetpgrp(&stdin).ok() == Some(getpgrp())
}

fn quieted(modes: &Termios) -> Termios {
    let mut quiet = modes.clone();
    quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON);
    quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
    quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
    quiet
}

/// Turns the echo off again if another program turned it on: a shell does while this one is stopped by Ctrl-Z.
pub(crate) fn renew() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if before.1 > 0
        && is_ours()
        && let Ok(modes) = tcgetattr(io::stdin())
        && modes.local_modes.intersects(LocalModes::ECHO | LocalModes::ICANON)
    {
        // The next look tries again.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &quieted(&modes));
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
        before.1 = before.1.saturating_sub(1);
        if before.1 == 0 {
            restore(before.0.take());
        }
    }
}

/// Makes the terminal as it was. For a program that leaves at once.
pub(crate) fn give_back() {
    unmark();
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    restore(before.0.take());
}

fn restore(modes: Option<Termios>) {
    if let Some(modes) = modes {
        // A terminal that is gone needs nothing.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
    }
}
