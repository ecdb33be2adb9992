//! `cargo xtask test`: everything that must hold before a change lands. CI runs this and nothing else.

use std::fs;
use std::process::Command;
use std::time::Instant;

use clap::Args;

use crate::{Failure, attack, conformance, crash, fuzz, generate, library, sim, tidy};

/// A short, reproducible walk of the fuzzer; long ones are `cargo xtask fuzz`.
const FUZZ_RUNS: u64 = 20_000;
/// A few real kills; more are `cargo xtask crash --real`.
const CRASH_KILLS: u64 = 15;
/// A walk of the simulator that is over in seconds; long ones are `cargo xtask sim --seeds N`.
const SIM_WORLDS: u64 = 600;
const SIM_WORLDS_QUICK: u64 = 300;
/// Worlds that are crashed at every point.
const SIM_SWEEP: u64 = 5;
/// Of the points of a crash every n-th; `cargo xtask crash` has the long forms.
const POINTS_STRIDE: usize = 1;
const STORE_STRIDE: usize = 3;
const QUICK_STRIDE: usize = 12;

#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Only what a commit needs: format, tidy, unit tests, a short attack and crash
    #[arg(long)]
    quick: bool,
}

/// Runs the checks, in the order in which a mistake is cheapest to learn of.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("tidy", tidy::run)?;
    if options.quick { quick() } else { everything() }
}

fn quick() -> Result<(), Failure> {
    step("unit tests", || cargo(&["test", "--workspace", "--all-features", "--lib", "--bins"]))?;
    step("generated files", || generate::run(&generate::Options::check()))?;
    step("sim", || sim::run(&sim::Options::walk(SIM_WORLDS_QUICK)))?;
    step("attack", || attack::run(&attack::Options::quick()))?;
    step("crash", || {
        crash::run(&crash::Options::points(QUICK_STRIDE))?;
        crash::run(&crash::Options::store(QUICK_STRIDE))
    })?;
    step("conformance", || conformance::run(&conformance::Options::default()))
}

fn everything() -> Result<(), Failure> {
    step("clippy", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])
    })?;
    step("library", library::run)?;
    step("tests", tests)?;
    step("generated files", || generate::run(&generate::Options::check()))?;
    step("sim", || {
        sim::run(&sim::Options::walk(SIM_WORLDS))?;
        sim::run(&sim::Options::sweep(SIM_SWEEP))?;
        sim::run(&sim::Options::defects())
    })?;
    step("attack", || attack::run(&attack::Options::default()))?;
    step("fuzz", || fuzz::run(&fuzz::Options::short(FUZZ_RUNS)))?;
    step("crash", || {
        crash::run(&crash::Options::points(POINTS_STRIDE))?;
        crash::run(&crash::Options::store(STORE_STRIDE))?;
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

/// Some tests need what not every machine allows. They pass there and prove nothing, and are counted.
fn tests() -> Result<(), Failure> {
    let list = crate::workspace_root().join("target/tests-left-out.txt");
    fs::create_dir_all(list.parent().unwrap_or(&list))?;
    fs::write(&list, "")?;
    let arguments = ["test", "--workspace", "--all-features", "--no-fail-fast"];
    run_cargo(Command::new(env!("CARGO")).args(arguments).env("PROVOST_TESTS_LEFT_OUT", &list))?;
    let left_out = fs::read_to_string(&list)?;
    eprint!("{left_out}");
    eprintln!("==> tests: {} left out", left_out.lines().count());
    Ok(())
}

fn cargo(arguments: &[&str]) -> Result<(), Failure> {
    run_cargo(Command::new(env!("CARGO")).args(arguments))
}

fn run_cargo(command: &mut Command) -> Result<(), Failure> {
    let status = command.current_dir(crate::workspace_root()).status()?;
    let arguments: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    if status.success() { Ok(()) } else { Err(format!("`cargo {}` failed", arguments.join(" ")).into()) }
}
