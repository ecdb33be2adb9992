//! The one place that reads the program's environment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::failure::{Code, Failure};

/// Where everything is kept, when not in `.provost/`.
const DATABASE: &str = "PROVOST_DATABASE_URL";
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

/// Who sits at the terminal, as decisions record it.
pub(super) fn person() -> String {
    format!("user:{}", login())
}

/// Who sits at the terminal, as the principal of a run.
pub(super) fn principal() -> Value {
    json!({ "auth_source": "embedded", "acting_user_id": 1, "owner_type": "user", "owner_key": login() })
}

fn login() -> String {
    text("USER").or_else(|| text("LOGNAME")).unwrap_or_else(|| "somebody".to_owned())
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
