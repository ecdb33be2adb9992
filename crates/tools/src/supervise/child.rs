//! The supervising process itself.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::fd::{AsFd, OwnedFd};
use rustix::process::{DumpableBehavior, getpid, set_child_subreaper, set_dumpable_behavior, setsid};
use rustix::thread::set_name;

use super::wire::{Order, Report, receive};
use super::{KEEPER_NAME, tree};

/// How often adopted processes that are dead are buried while the program runs.
const BURIAL_MS: i64 = 1_000;

/// Supervises one program, and exits. Its standard input is the socket to the runtime.
pub(super) fn supervise() -> ! {
    // The number is for a person who lists processes; the runtime reads reports.
    std::process::exit(i32::from(watch().is_err()))
}

fn watch() -> io::Result<()> {
    set_name(KEEPER_NAME)?;
    // Without a terminal of its own a program cannot type into the one where people are asked.
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    // What this process reads and writes is closed to the program it watches.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let mut control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let Some((order, streams)) = receive(&mut control)? else { return Ok(()) };
    match start(&order, streams) {
        Ok(program) => {
            let number = i32::try_from(program).unwrap_or_default();
            // From here on nothing but the end of the program and of all it started ends this process; a
            // runtime that is gone by now is noticed below.
            let _ = control.write_all(&Report::Started(number).encode());
            let status = until_the_end(&control, program);
            tree::end_own_descendants();
            if let Some(status) = status {
                // A runtime that hung up meanwhile does not want to know.
                let _ = control.write_all(&Report::Ended(status).encode());
            }
            Ok(())
        }
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(rustix::io::Errno::INVAL.raw_os_error());
            control.write_all(&Report::Failed(errno).encode())
        }
    }
}

/// Starts the program. Its pipes belong to it alone when this returns.
fn start(order: &Order, [stdin, stdout, stderr]: [OwnedFd; 3]) -> io::Result<u32> {
    let (program, arguments) = order.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&order.folder)
        .env_clear()
        .envs(order.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        // A program that signals its whole group does not mean this process.
        .process_group(0);
    Ok(command.spawn()?.id())
}

/// Waits for the program; none when the runtime hung up first. The runtime says nothing after its order.
fn until_the_end(control: &UnixStream, program: u32) -> Option<i32> {
    let handle = tree::open(program);
    loop {
        let fds = match &handle {
            Ok(handle) => vec![control.as_fd(), handle.as_fd()],
            Err(_) => vec![control.as_fd()],
        };
        let ready = tree::readable(&fds, BURIAL_MS);
        if let Some(status) = tree::bury_and_find(program) {
            return Some(status);
        }
        if ready.first() == Some(&true) {
            return None;
        }
    }
}
