//! The library alone: it builds with each of its features, and brings no command line along.

use std::collections::BTreeSet;
use std::process::Command;

use crate::Failure;

const PACKAGE: &str = "provost";
/// Crates of a command line, and an allocator: they are the choice of a program, not of a library.
const FORBIDDEN: [&str; 4] = ["clap", "crossterm", "mimalloc", "rustyline"];

/// Checks the library without features, with each alone, and what it depends on with all of them.
pub(crate) fn run() -> Result<(), Failure> {
    check(&[])?;
    for feature in features()? {
        check(&["--features", &feature])?;
    }
    let (fewest, most) = (crates("--no-default-features")?, crates("--all-features")?);
    eprintln!("{PACKAGE}: {} crates without features, {} with all", fewest.len(), most.len());
    match forbidden(&most).as_slice() {
        [] => Ok(()),
        found => Err(format!("{PACKAGE} must not depend on {}", found.join(", ")).into()),
    }
}

fn check(features: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["check", "--quiet", "--package", PACKAGE, "--no-default-features"]).args(features);
    let status = command.current_dir(crate::workspace_root()).status()?;
    if status.success() { Ok(()) } else { Err(format!("{PACKAGE} does not build with {features:?}").into()) }
}

/// The features in the manifest, so that a new one is checked as well.
fn features() -> Result<Vec<String>, Failure> {
    let manifest = cargo(&["metadata", "--format-version", "1", "--no-deps"])?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
    let packages = manifest.get("packages").and_then(|packages| packages.as_array()).into_iter().flatten();
    let library = packages.filter(|package| package.get("name").is_some_and(|name| name == PACKAGE));
    let features: Vec<String> = library
        .filter_map(|package| package.get("features")?.as_object())
        .flat_map(|features| features.keys().filter(|name| *name != "default").cloned())
        .collect();
    if features.is_empty() { Err(format!("{PACKAGE} has no features").into()) } else { Ok(features) }
}

/// The crates that a program with the library is built from, by name and version.
fn crates(features: &str) -> Result<BTreeSet<String>, Failure> {
    let tree = ["tree", "--package", PACKAGE, features, "--edges", "normal", "--prefix", "none"];
    let listed = cargo(&[&tree[..], &["--no-dedupe", "--format", "{p}"]].concat())?;
    Ok(listed.lines().map(name_and_version).collect())
}

/// Without the path of a crate of ours, and without the mark of a procedural macro.
fn name_and_version(line: &str) -> String {
    line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn forbidden(crates: &BTreeSet<String>) -> Vec<&'static str> {
    let has = |name: &str| crates.iter().any(|known| known.split(' ').next() == Some(name));
    FORBIDDEN.into_iter().filter(|name| has(name)).collect()
}

fn cargo(arguments: &[&str]) -> Result<String, Failure> {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(crate::workspace_root()).output()?;
    if !output.status.success() {
        let problem = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`cargo {}` failed: {problem}", arguments.join(" ")).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_of_a_command_line_is_found_by_its_whole_name() {
        let tree = |lines: &[&str]| lines.iter().map(|line| name_and_version(line)).collect();
        assert!(forbidden(&tree(&["serde v1.0.0", "clap_lex v0.7.0"])).is_empty());
        assert_eq!(forbidden(&tree(&["serde v1.0.0", "clap v4.5.0 (*)"])), ["clap"]);
    }

    #[test]
    fn the_library_depends_on_no_command_line() {
        let crates = crates("--all-features").unwrap();
        assert!(crates.iter().any(|known| known.starts_with("tokio v")), "{crates:?}");
        assert_eq!(forbidden(&crates), Vec::<&str>::new());
    }

    #[test]
    fn every_feature_is_checked() {
        assert_eq!(features().unwrap(), ["models", "sqlite", "tools", "tracing"]);
    }
}
