//! A process between the runtime and each program, so that no program outlives the runtime.
//!
//! The *supervising process* is this same executable, started again with a hidden argument. It starts the
//! program in a session of its own, adopts every descendant that loses its parent (double forks and `setsid`
//! included), and holds one end of a socket. When the program ends, or the socket closes because the runtime
//! stopped the call or died in any way, it kills every descendant and only then exits.
//!
//! A program that embeds Provost calls [`if_asked`] first thing in `main`. Without that call programs are
//! started directly, and only their process group is killed.

#[cfg(target_os = "linux")]
mod child;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(target_os = "linux")]
mod lineage;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod wire;

#[cfg(not(target_os = "linux"))]
mod elsewhere;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Keeper, Start, end_earlier};
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{if_asked, run_above, work_on_runs};

#[cfg(target_os = "linux")]
pub(crate) use keeper::{Keeper, Start, end_earlier};
#[cfg(target_os = "linux")]
pub use lineage::{run_above, work_on_runs};

/// Acts as the supervising process if this process was started as one, and never returns then. Otherwise
/// remembers that this program can supervise: from now on every program that a tool starts is supervised.
///
/// Call it first thing in `main`, before threads are started and arguments are read:
///
/// ```
/// provost_tools::supervise::if_asked();
/// // … the rest of `main`
/// ```
#[cfg(target_os = "linux")]
pub fn if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == WORD) {
        child::supervise();
    }
    keeper::install();
}

/// The hidden argument. An ancestor that has it as its first argument supervises a program.
#[cfg(target_os = "linux")]
const WORD: &str = "__supervise";
/// The name of a supervising process in the list of processes. Only the process itself can change it.
#[cfg(target_os = "linux")]
const KEEPER_NAME: &std::ffi::CStr = c"provost-keeper";
/// The name of a process that works on runs.
#[cfg(target_os = "linux")]
const WORKER_NAME: &std::ffi::CStr = c"provost-run";
