//! The one place that reads the program's environment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use provost_engine::{Actor, ActorKind, ActorOrigin};
use provost_runtime::process::this_process;
use provost_tools::supervise;
use serde_json::{Value, json};

use super::failure::{Code, Failure};

/// Where everything is kept, when not in `.provost/`.
const DATABASE: &str = "PROVOST_DATABASE_URL";
/// The file with the key that seals secret arguments of calls that wait.
const SEAL_KEY: &str = "PROVOST_SEAL_KEY_FILE";
/// The file outside the database that has a line for every run that ended.
const ANCHOR: &str = "PROVOST_ANCHOR_FILE";
/// A fixed time in milliseconds, for tests.
const CLOCK: &str = "PROVOST_CLOCK_MS";
/// A seed for names, for tests.
const SEED: &str = "PROVOST_SEED";

fn text(name: &str) -> Option<String> {
    env::var_os(name)?.into_string().ok().filter(|text| !text.is_empty())
}

/// The database the environment names. A path may be any bytes.
pub(super) fn database() -> Option<OsString> {
    env::var_os(DATABASE).filter(|text| !text.is_empty())
}

/// The file with the seal key: the one that the environment names, or the person's own.
pub(super) fn seal_key_file() -> Option<PathBuf> {
    let named = env::var_os(SEAL_KEY).filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(config_folder()?.join("seal.key")))
}

/// The anchor file that the environment names.
pub(super) fn anchor_file() -> Option<PathBuf> {
    env::var_os(ANCHOR).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Where a person's own settings are: `$XDG_CONFIG_HOME/provost`, or `~/.config/provost`.
fn config_folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    Some(config?.join("provost"))
}

/// The time tests stop the clock at.
pub(super) fn clock_ms() -> Option<i64> {
    text(CLOCK)?.parse().ok()
}

/// The seed tests make names from.
pub(super) fn seed() -> Option<u64> {
    text(SEED)?.parse().ok()
}

/// How wide somebody says that the terminal is.
pub(super) fn columns() -> Option<usize> {
    text("COLUMNS")?.parse().ok().filter(|columns| *columns > 0)
}

/// Whether a variable is set to something.
pub(super) fn has(name: &str) -> bool {
    text(name).is_some()
}

/// Whether the terminal can do nothing but add lines.
pub(super) fn is_dumb_terminal() -> bool {
    text("TERM").is_none_or(|kind| kind == "dumb")
}

/// Who runs the program, as decisions record it.
pub(super) fn person() -> String {
    format!("user:{}", login())
}

/// The person who runs the program, as an actor of the journal.
pub(super) fn actor() -> Actor {
    Actor::new(ActorKind::Person, person()).via(DOOR).from_origin(origin())
}

/// The door that every command comes through.
pub(super) const DOOR: &str = "cli";

/// Where a decision comes from, as the system proves it.
pub(super) fn origin() -> ActorOrigin {
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
pub(super) fn assert_not_in_a_run() -> Result<(), Failure> {
    let Some(sign) = supervise::run_above() else { return Ok(()) };
    let message = format!("a program that a run started cannot do this: {sign}");
    Err(Failure::new(Code::InsideRun, message).hint("do it in a terminal of your own"))
}

/// Who runs the program, as the principal of a run.
pub(super) fn principal() -> Value {
    json!({ "auth_source": "embedded", "acting_user_id": 1, "owner_type": "user", "owner_key": login() })
}

/// The name of the user who runs the program. It comes from the system: a variable would let anyone be anyone.
fn login() -> String {
    let uid = rustix::process::getuid().as_raw();
    let user = nix::unistd::User::from_uid(uid.into()).ok().flatten();
    user.map_or_else(|| format!("uid-{uid}"), |user| user.name)
}

/// Everything a program the agent starts may inherit, before the list of what is allowed.
pub(super) fn variables() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os()
}

/// The folder the program was started in.
pub(super) fn folder() -> Result<PathBuf, Failure> {
    env::current_dir().map_err(|error| {
        let message = format!("the folder this was started in cannot be used: {error}");
        Failure::new(Code::Project, message).hint("go to another folder and try again")
    })
}
