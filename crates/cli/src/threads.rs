//! The threads of commands that wait.

use std::time::Duration;

use provost_tools::supervise;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::identity;
use crate::interrupts;

/// The time limit for background work at exit.
const CLOSING: Duration = Duration::from_millis(200);

/// Runs a command that only a person may use.
pub(crate) fn deciding(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    identity::assert_not_in_a_run()?;
    working(work)
}

/// Runs a command that may start programs.
pub(crate) fn working(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    supervise::work_on_runs();
    waiting(work)
}

/// Runs an async command on its own threads.
pub(crate) fn waiting(work: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let threads = threads.map_err(|error| Failure::machine(&format!("no threads: {error}")))?;
    let done = threads.block_on(async {
        tokio::select! {
            done = work => done.map(interrupts::exit_of),
            exit = interrupts::leaves() => Ok(exit),
        }
    });
    // The database is closed with its last user; a read of the terminal that never ends does not hold up the program.
    threads.shutdown_timeout(CLOSING);
    done
}
