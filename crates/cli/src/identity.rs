//! The person who runs the program, as the system knows them.

use provost_engine::{Actor, ActorKind, ActorOrigin};
use provost_runtime::process::this_process;
use provost_tools::supervise;
use serde_json::{Value, json};

use crate::failure::{Code, Failure};

/// Who runs the program, as decisions record it.
pub(crate) fn person() -> String {
    format!("user:{}", login())
}

/// The person who runs the program, as an actor of the journal.
pub(crate) fn actor() -> Actor {
    Actor::new(ActorKind::Person, person()).via(DOOR).from_origin(origin())
}

/// The interface recorded with decisions.
pub(crate) const DOOR: &str = "cli";

/// Where a decision comes from, as the system proves it.
pub(crate) fn origin() -> ActorOrigin {
    let terminal = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok();
    let process = this_process();
    ActorOrigin {
        uid: Some(rustix::process::getuid().as_raw()),
        terminal: terminal.map(|name| name.to_string_lossy().into_owned()),
        process: Some(format!("{}:{}:{}", process.machine, process.pid, process.start)),
        started_by_a_run: supervise::run_above(),
    }
}

/// Refuses what only a person may do when a program of a run asks for it.
pub(crate) fn assert_not_in_a_run() -> Result<(), Failure> {
    let Some(sign) = supervise::run_above() else { return Ok(()) };
    let message = format!("a program that a run started cannot do this: {sign}");
    Err(Failure::new(Code::InsideRun, message).hint("do it in a terminal of your own"))
}

/// Who runs the program, as the principal of a run.
pub(crate) fn principal() -> Value {
    json!({ "auth_source": "embedded", "acting_user_id": 1, "owner_type": "user", "owner_key": login() })
}

/// The name of the user who runs the program. It comes from the system: a variable could be forged.
fn login() -> String {
    let uid = rustix::process::getuid().as_raw();
    let user = nix::unistd::User::from_uid(uid.into()).ok().flatten();
    user.map_or_else(|| format!("uid-{uid}"), |user| user.name)
}
