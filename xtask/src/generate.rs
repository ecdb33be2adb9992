//! `cargo xtask generate`: writes the files that are made from code.

use std::fs;
use std::process::{Command, Stdio};

use provost_protocol::schemas::{flat_schema, full_schema};
use serde_json::Value;

use crate::Failure;

/// What to do.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write nothing; fail when a file is not what it would be
    #[arg(long)]
    check: bool,
}

impl Options {
    /// Checks that the generated files are up to date.
    pub(crate) fn check() -> Self {
        Self { check: true }
    }
}

/// Writes every generated file, or says which one is old.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut old = Vec::new();
    for (path, content) in files()? {
        let file = crate::workspace_root().join(path);
        if fs::read_to_string(&file).is_ok_and(|present| present == content) {
            continue;
        }
        if options.check {
            old.push(path);
        } else {
            fs::write(&file, content).map_err(|error| format!("{}: {error}", file.display()))?;
            println!("wrote {path}");
        }
    }
    if old.is_empty() {
        Ok(())
    } else {
        Err(format!("old: {}; run cargo xtask generate", old.join(", ")).into())
    }
}

fn files() -> Result<Vec<(&'static str, String)>, Failure> {
    let schema = |schema: Value| format!("{schema:#}\n");
    Ok(vec![
        ("docs/cli.md", command_line()?),
        ("docs/schemas/agent-protocol.flat.schema.json", schema(flat_schema())),
        ("docs/schemas/agent-protocol.full.schema.json", schema(full_schema())),
    ])
}

/// The program writes its own reference; asking it keeps its dependencies out of this one.
fn command_line() -> Result<String, Failure> {
    let asked = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "provost-cli", "--bin", "provost", "--", "reference"])
        .current_dir(crate::workspace_root())
        .stderr(Stdio::inherit())
        .output()?;
    if !asked.status.success() {
        return Err("the program did not write its reference".into());
    }
    Ok(String::from_utf8(asked.stdout)?)
}
