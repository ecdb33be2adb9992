//! `cargo xtask test`: everything that must hold before a change lands. CI runs this and nothing else.

use std::process::Command;
use std::time::Instant;

use crate::{Failure, conformance, crash, fuzz, tidy};

/// A short, reproducible walk of the fuzzer; long ones are `cargo xtask fuzz`.
const FUZZ_RUNS: u64 = 20_000;
/// A few real kills; more are `cargo xtask crash --real`.
const CRASH_KILLS: u64 = 15;

/// Runs every check, in the order in which a mistake is cheapest to learn of.
pub(crate) fn run() -> Result<(), Failure> {
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("tidy", tidy::run)?;
    step("clippy", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])
    })?;
    step("tests", || cargo(&["test", "--workspace", "--all-features", "--no-fail-fast"]))?;
    step("fuzz", || fuzz::run(&fuzz::Options::short(FUZZ_RUNS)))?;
    step("crash", || {
        crash::run(&crash::Options::points())?;
        crash::run(&crash::Options::kills(CRASH_KILLS))
    })?;
    step("conformance", || conformance::run(&conformance::Options::default()))
}

fn step(name: &str, check: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    eprintln!("==> {name}");
    #[expect(clippy::disallowed_methods, reason = "a developer wants to know how long a step took")]
    let started = Instant::now();
    check().map_err(|error| format!("{name}: {error}"))?;
    eprintln!("==> {name}: ok, {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

fn cargo(arguments: &[&str]) -> Result<(), Failure> {
    let status = Command::new(env!("CARGO")).args(arguments).current_dir(crate::workspace_root()).status()?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` failed", arguments.join(" ")).into()) }
}
