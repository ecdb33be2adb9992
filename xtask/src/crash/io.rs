//! A disk that fails: one call of a child that writes or syncs the database answers `EIO` or `ENOSPC`. Nothing
//! that was acknowledged is lost, and the database opens whole.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::points::{undisturbed, whole};
use super::real::{self, Ack, Check};
use super::report::Report;
use super::scenario::{Scenario, named};
use super::seen::Seen;
use crate::Failure;

/// What a child plays while its disk fails.
const PLAYED: &str = "keyed-write";
/// The calls with which a database is written.
const CALLS: [&str; 4] = ["pwrite64", "fdatasync", "fsync", "ftruncate"];
const ERRORS: [&str; 2] = ["EIO", "ENOSPC"];
/// How long a child may take, in seconds.
const SECONDS_MAX: &str = "60";

/// Returns whether calls can be made to fail here; says so loudly if not.
pub(super) fn is_possible() -> bool {
    let traces = || {
        let traced = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
        traced.is_ok_and(|status| status.success())
    };
    if traces() {
        return true;
    }
    let install = "apt-get install -y -q strace >/dev/null 2>&1";
    let installed = Command::new("sh").args(["-c", install]).status();
    if installed.is_ok_and(|status| status.success()) && traces() {
        return true;
    }
    eprintln!("crash: SKIPPED: strace cannot be used here; no disk was made to fail");
    false
}

/// Lets every `stride`-th call fail, one child for each.
pub(super) fn every(stride: usize, report: &mut Report) -> Result<(), Failure> {
    let scenario = named(PLAYED)?;
    let whole = whole(&undisturbed(&scenario)?);
    let mut number = 0;
    for call in CALLS {
        for nth in 1..=count(&scenario, call)? {
            for error in ERRORS {
                number += 1;
                if number % stride != 0 {
                    continue;
                }
                let found = match one(&scenario, &whole, call, nth, error) {
                    Ok(found) => found,
                    Err(error) => vec![error.to_string()],
                };
                report.tried(scenario.name, &format!("{error} at {call} {nth}"), &found);
            }
        }
    }
    Ok(())
}

/// Returns a child under `strace` that sees only calls about the database.
fn traced(scenario: &Scenario, folder: &Path, options: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new("timeout");
    command.args([SECONDS_MAX, "strace", "-f", "-qq"]).args(options);
    for file in ["provost.db", "provost.db-wal", "provost.db-journal"] {
        command.arg("-P").arg(folder.join(file));
    }
    command.arg(std::env::current_exe()?).args(["crash-child", scenario.name]).arg(folder).arg("traced");
    command.stderr(Stdio::null());
    Ok(command)
}

/// Returns how often one thread of an undisturbed child makes a call.
fn count(scenario: &Scenario, call: &str) -> Result<usize, Failure> {
    let folder = tempfile::tempdir()?;
    let trace = folder.path().join("trace");
    let named = format!("trace={call}");
    let output = ["-o", &trace.to_string_lossy(), "-e", &named].map(str::to_owned);
    let options: Vec<&str> = output.iter().map(String::as_str).collect();
    traced(scenario, folder.path(), &options)?.stdout(Stdio::null()).status()?;
    let text = std::fs::read_to_string(trace)?;
    let mut threads = std::collections::BTreeMap::<&str, usize>::new();
    for thread in text.lines().filter(|line| line.contains(call)).filter_map(|line| line.split(' ').next()) {
        *threads.entry(thread).or_default() += 1;
    }
    Ok(threads.into_values().max().unwrap_or_default())
}

fn one(
    scenario: &Arc<Scenario>,
    whole: &Seen,
    call: &str,
    nth: usize,
    error: &str,
) -> Result<Vec<String>, Failure> {
    let folder = tempfile::tempdir()?;
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:error={error}:when={nth}"));
    let options = ["-o", "/dev/null", "-e", trace.as_str(), "-e", inject.as_str()];
    let output = traced(scenario, folder.path(), &options)?.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut acks: Vec<Ack> = text.lines().filter_map(real::ack).collect();
    // The child may have given up; the next one, on a disk that works, brings everything to its end.
    acks.extend(real::to_the_end(scenario, folder.path())?);
    let lost = usize::from(!output.status.success());
    real::check(&Check { scenario, whole, folder: folder.path(), lost, acks: &acks })
}
