//! Dependencies point down only: who may know whom.

use std::fs;
use std::path::Path;

use super::Finding;
use crate::Failure;

/// The crates of the workspace and the ones each may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("protocol", &["contract"]),
    ("policy", &["contract"]),
    ("engine", &["contract", "protocol", "policy"]),
    ("runtime", &["contract", "protocol", "policy", "engine"]),
    ("store", &["contract", "protocol", "policy", "engine", "runtime"]),
    ("models", &["contract", "protocol", "policy", "engine", "runtime"]),
    ("tools", &["contract", "protocol", "policy", "engine", "runtime"]),
    ("provost", &["contract", "protocol", "policy", "engine", "runtime", "store", "models", "tools"]),
    (
        "project",
        &["contract", "protocol", "policy", "engine", "runtime", "store", "models", "tools", "provost"],
    ),
    (
        "cli",
        &[
            "contract", "protocol", "policy", "engine", "runtime", "store", "models", "tools", "provost",
            "project",
        ],
    ),
];

/// Third-party crates that would bring a clock, I/O or async into a pure crate.
const IMPURE: &[&str] =
    &["tokio", "reqwest", "rusqlite", "axum", "jiff", "uuid", "getrandom", "async-trait", "futures"];
const PURE: &[&str] = &["contract", "protocol", "policy", "engine"];

/// Reads each crate's manifest and reports every arrow that points up.
pub(super) fn check(root: &Path) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let manifest: toml::Table = toml::from_str(&fs::read_to_string(folder.join("Cargo.toml"))?)?;
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
            findings.push(Finding::new(
                format!("crates/{name}"),
                "is not in the list of crates of xtask/src/tidy/arrows.rs",
            ));
            continue;
        };
        for dependency in dependencies(&manifest) {
            findings.extend(judge(&name, allowed, &dependency));
        }
    }
    Ok(findings)
}

fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let table = |key: &str| manifest.get(key).and_then(toml::Value::as_table).cloned().unwrap_or_default();
    table("dependencies").into_iter().chain(table("build-dependencies")).map(|(name, _)| name).collect()
}

fn judge(name: &str, allowed: &[&str], dependency: &str) -> Option<Finding> {
    let ours = dependency.strip_prefix("provost-").or((dependency == "provost").then_some(dependency));
    let up = ours.is_some_and(|ours| !allowed.contains(&ours));
    let impure = PURE.contains(&name) && IMPURE.contains(&dependency);
    (up || impure).then(|| {
        Finding::new(format!("crates/{name}/Cargo.toml"), format!("must not depend on {dependency}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_up_is_found_and_an_arrow_down_is_not() {
        assert!(judge("policy", &["contract"], "provost-store").is_some());
        assert!(judge("policy", &["contract"], "provost-contract").is_none());
        assert!(judge("tools", &["contract"], "provost").is_some());
        assert!(judge("project", &["provost"], "provost").is_none());
    }

    #[test]
    fn a_pure_crate_may_not_know_async_but_the_runtime_may() {
        assert!(judge("protocol", &["contract"], "tokio").is_some());
        assert!(judge("runtime", &["contract"], "tokio").is_none());
    }
}
