//! Start: how long the program takes to say its version, and to show the run before.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::measure::{Measurement, timed};
use crate::{Failure, workspace_root};

const RUNS: usize = 21;

/// Measures both, in a folder in which the example was run once.
pub(super) fn run() -> Result<Vec<Measurement>, Failure> {
    let program = built()?;
    let folder = tempfile::tempdir()?;
    let example = workspace_root().join("examples/audit");
    let asked = |arguments: &[&str]| told(&program, folder.path(), arguments);
    asked(&["run", "-C", &example.to_string_lossy(), "--yes"])?;
    let measured = |name: &str, arguments: &[&str]| {
        let runs: Result<Vec<f64>, Failure> = (0..RUNS).map(|_| asked(arguments)).collect();
        let params = json!({ "command": name });
        Ok::<_, Failure>(Measurement { workload: "start", params, metric: "wall_s", unit: "s", runs: runs? })
    };
    Ok(vec![measured("--version", &["--version"])?, measured("show last", &["show", "last"])?])
}

/// The program in release, as people have it.
fn built() -> Result<PathBuf, Failure> {
    let root = workspace_root();
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--release", "--package", "provost-cli", "--bin", "provost"]);
    if !build.current_dir(&root).status()?.success() {
        return Err("the program cannot be built".into());
    }
    // This very program stands in the same folder.
    Ok(std::env::current_exe()?.with_file_name("provost"))
}

/// How long a command took that did its work.
fn told(program: &Path, folder: &Path, arguments: &[&str]) -> Result<f64, Failure> {
    let (output, seconds) = timed(|| Command::new(program).args(arguments).current_dir(folder).output());
    let output = output?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(format!("provost {}: {words}", arguments.join(" ")).into());
    }
    Ok(seconds)
}
