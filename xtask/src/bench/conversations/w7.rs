//! W7: a process is killed in the middle of a durable conversation, and another one goes on.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use super::{Job, process};
use crate::Failure;
use crate::bench::measure::{Measurement, timed};

const TURNS: u64 = 200;
/// About half of the steps.
const STEPS_AT_KILL: usize = TURNS as usize;
const RUNS: usize = 7;

/// One crash and its recovery.
struct Recovery {
    /// Until the first new step.
    go_on_seconds: f64,
    models_again: usize,
    tools_again: usize,
}

/// Crashes and recovers a few times.
pub(in crate::bench) fn run() -> Result<Vec<Measurement>, Failure> {
    let recoveries: Vec<Recovery> = (0..RUNS).map(|_| crash_and_recover()).collect::<Result<_, _>>()?;
    let of = |metric, unit, value: fn(&Recovery) -> f64| Measurement {
        workload: "W7",
        params: json!({ "n": TURNS, "steps": 2 * TURNS + 1 }),
        metric,
        unit,
        runs: recoveries.iter().map(value).collect(),
    };
    Ok(vec![
        of("time_to_continue", "s", |recovery| recovery.go_on_seconds),
        of("model_asked_again", "calls", |recovery| recovery.models_again as f64),
        of("tool_run_again", "calls", |recovery| recovery.tools_again as f64),
    ])
}

fn crash_and_recover() -> Result<Recovery, Failure> {
    let folder = tempfile::tempdir()?;
    let effects = folder.path().join("effects");
    let job = Job {
        turns: TURNS,
        conversations: 1,
        database: Some(folder.path().join("run.db")),
        effects: Some(effects.clone()),
        ..Job::default()
    };
    let mut victim = job.command()?.stdout(Stdio::null()).spawn()?;
    wait_for_steps(&effects, STEPS_AT_KILL);
    victim.kill()?;
    victim.wait()?;
    let before = steps(&effects).len();
    let mut command = Job { resume: true, ..job }.command()?;
    let (started, go_on_seconds) = timed(|| {
        let process = command.stdout(Stdio::piped()).spawn();
        wait_for_steps(&effects, before + 1);
        process
    });
    // It checks by itself that every turn has the result it should have.
    process::told(&started?.wait_with_output()?)?;
    let again = |what: &str| {
        let done: Vec<String> = steps(&effects).into_iter().filter(|step| step.starts_with(what)).collect();
        done.len() - done.iter().collect::<HashSet<_>>().len()
    };
    let (models_again, tools_again) = (again("model "), again("tool "));
    if tools_again > 0 {
        return Err(format!("{tools_again} calls took effect twice").into());
    }
    Ok(Recovery { go_on_seconds, models_again, tools_again })
}

fn steps(effects: &Path) -> Vec<String> {
    fs::read_to_string(effects).unwrap_or_default().lines().map(str::to_owned).collect()
}

#[expect(clippy::disallowed_methods, reason = "another process tells by a file how far it is")]
fn wait_for_steps(effects: &Path, wanted: usize) {
    while steps(effects).len() < wanted {
        std::thread::sleep(Duration::from_micros(500));
    }
}
