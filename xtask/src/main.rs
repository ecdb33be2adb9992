//! Developer commands. CI runs the very same ones.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "these commands talk to a developer")]

mod attack;
mod bench;
mod conformance;
mod crash;
mod fuzz;
mod generate;
mod library;
mod real_model;
mod sim;
mod test;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

/// The allocator of the program, so that what is measured is what runs.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Developer commands of Provost")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every check that must hold before a change lands
    Test(test::Options),
    /// Play attacks on what the documentation promises, with the real program
    Attack(attack::Options),
    /// Check the rules of the tree that no compiler checks
    Tidy,
    /// Throw mutated vectors at every public operation
    Fuzz(fuzz::Options),
    /// Run JSON vectors against the public functions of the crates
    Conformance(conformance::Options),
    /// Stop runs at every point, recover them, and compare
    Crash(crash::Options),
    #[command(hide = true)]
    CrashChild(crash::ChildOptions),
    /// Play random worlds around the engine, with accidents
    Sim(sim::Options),
    /// Write the files that are made from code
    Generate(generate::Options),
    /// Let the program work with a small real model, installed under target/
    RealModel,
    /// Measure the workloads, in release
    Bench(bench::Options),
    /// One measured process of a workload
    #[command(hide = true)]
    BenchChild(bench::Job),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Test(options) => test::run(&options),
        Command::Attack(options) => attack::run(&options),
        Command::Tidy => tidy::run(),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Conformance(options) => conformance::run(&options),
        Command::Crash(options) => crash::run(&options),
        Command::CrashChild(options) => crash::child(&options),
        Command::Sim(options) => sim::run(&options),
        Command::Generate(options) => generate::run(&options),
        Command::RealModel => real_model::run(),
        Command::Bench(options) => bench::run(&options),
        Command::BenchChild(job) => bench::run_child(&job),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace, wherever the command was called from.
fn workspace_root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

/// What a command failed with: a sentence for a developer.
type Failure = Box<dyn std::error::Error>;
