//! The only module that reads the process environment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::failure::{Code, Failure};

/// The database, if it is not in `.provost/`.
pub(crate) const DATABASE: &str = "PROVOST_DATABASE_URL";
/// The file with the key that seals secret arguments of waiting calls.
pub(crate) const SEAL_KEY: &str = "PROVOST_SEAL_KEY_FILE";
/// The anchor file: a line for every run that ended.
pub(crate) const ANCHOR: &str = "PROVOST_ANCHOR_FILE";
/// A fixed time in milliseconds, for tests.
const CLOCK: &str = "PROVOST_CLOCK_MS";
/// A seed for ids, for tests.
const SEED: &str = "PROVOST_SEED";

fn text(name: &str) -> Option<String> {
    env::var_os(name)?.into_string().ok().filter(|text| !text.is_empty())
}

/// Returns the database that the environment names. A path may be any bytes.
pub fn database() -> Option<OsString> {
    env::var_os(DATABASE).filter(|text| !text.is_empty())
}

/// Returns the file with the seal key: from the environment, else the user's own.
pub fn seal_key_file() -> Option<PathBuf> {
    let named = env::var_os(SEAL_KEY).filter(|path| !path.is_empty()).map(PathBuf::from);
    named.or_else(|| Some(config_folder()?.join("seal.key")))
}

/// Returns the anchor file that the environment names.
pub fn anchor_file() -> Option<PathBuf> {
    env::var_os(ANCHOR).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Returns the user's configuration folder: `$XDG_CONFIG_HOME/provost`, or `~/.config/provost`.
fn config_folder() -> Option<PathBuf> {
    let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")));
    Some(config?.join("provost"))
}

/// Returns the user's configuration of models and keys.
pub fn config_file() -> Option<PathBuf> {
    Some(config_folder()?.join("config.toml"))
}

/// Returns the user's home folder.
pub fn home() -> Option<PathBuf> {
    absolute("HOME")
}

fn absolute(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Returns the fixed time of tests.
pub fn clock_ms() -> Option<i64> {
    text(CLOCK)?.parse().ok()
}

/// Returns the seed of tests for ids.
pub fn seed() -> Option<u64> {
    text(SEED)?.parse().ok()
}

/// Returns the width of the terminal that the environment sets.
pub fn columns() -> Option<usize> {
    text("COLUMNS")?.parse().ok().filter(|columns| *columns > 0)
}

/// Returns whether a variable is set and not empty.
pub fn has(name: &str) -> bool {
    text(name).is_some()
}

/// Returns the user's preferred editor.
pub fn editor() -> Option<String> {
    text("VISUAL").or_else(|| text("EDITOR"))
}

/// Returns the folder for temporary files.
pub fn temporary() -> PathBuf {
    env::temp_dir()
}

/// Returns whether a variable is set to `0`.
pub fn is_zero(name: &str) -> bool {
    text(name).is_some_and(|text| text == "0")
}

/// Returns whether text may contain non-ASCII characters: the locale is UTF-8, and the terminal is not the
/// Linux console.
pub fn is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(text).unwrap_or_default().to_lowercase();
    let console = text("TERM").is_some_and(|kind| kind == "linux");
    !console && (locale.contains("utf-8") || locale.contains("utf8"))
}

/// Returns whether the terminal can only append lines.
pub fn is_dumb_terminal() -> bool {
    text("TERM").is_none_or(|kind| kind == "dumb")
}

/// Returns the folders of the search path for programs.
pub fn path() -> Vec<PathBuf> {
    env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default()
}

/// Returns all variables that a program may inherit, before the allow-list applies.
pub fn variables() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os()
}

/// Returns the current folder.
pub fn folder() -> Result<PathBuf, Failure> {
    env::current_dir().map_err(|error| {
        let message = format!("the folder this was started in cannot be used: {error}");
        Failure::new(Code::Project, message).hint("go to another folder and try again")
    })
}
