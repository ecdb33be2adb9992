//! A file is read in one sitting. Today's offenders are listed with their size, which may fall, never rise.
//!
//! Functions are measured by clippy (`too_many_lines`); silencing it needs an entry here too.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Finding, Source};
use crate::Failure;

const LINES_MAX: usize = 500;
const RATCHET: &str = "xtask/tidy-allow.txt";
/// Split, so that this file does not find itself.
const SILENCER: &str = concat!("clippy::", "too_many_lines");

/// Reports files that are too long, and ratchet entries that can be tightened.
pub(super) fn check(root: &Path, sources: &[Source]) -> Result<Vec<Finding>, Failure> {
    let allowed = read_ratchet(root)?;
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        findings.extend(judge(source, allowed.get(&source.path).copied()));
    }
    let gone = allowed.keys().filter(|path| !sources.iter().any(|source| source.path == **path));
    findings.extend(
        gone.map(|path| Finding::new(RATCHET, format!("{path} does not exist any more: remove its entry"))),
    );
    Ok(findings)
}

fn judge(source: &Source, allowed: Option<usize>) -> Option<Finding> {
    let lines = source.code_lines();
    let problem = match allowed {
        None if source.text.contains(SILENCER) => {
            format!("silences {SILENCER}: split the function, or list the file in {RATCHET}")
        }
        None if lines <= LINES_MAX => return None,
        None => format!("{lines} lines of code, the limit is {LINES_MAX}: split it by concept"),
        Some(limit) if lines > limit => format!("grew to {lines} lines, the ratchet allows {limit}"),
        Some(limit) if lines < limit => {
            format!("shrank to {lines} lines: lower its entry in {RATCHET} from {limit}")
        }
        Some(_) => return None,
    };
    Some(Finding::new(&source.path, problem))
}

fn read_ratchet(root: &Path) -> Result<BTreeMap<String, usize>, Failure> {
    let text = fs::read_to_string(root.join(RATCHET))?;
    let entries = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    entries
        .map(|line| {
            let (path, lines) =
                line.rsplit_once(' ').ok_or_else(|| format!("{RATCHET}: `{line}` is not `path lines`"))?;
            Ok((path.to_owned(), lines.parse()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(lines: usize) -> Source {
        Source {
            path: "crates/x/src/a.rs".to_owned(),
            text: "let a = 1;\n".repeat(lines) + "#[cfg(test)]\nmod tests {}\n",
        }
    }

    #[test]
    fn the_limit_counts_code_and_not_the_tests_below_it() {
        assert!(judge(&source(LINES_MAX), None).is_none());
        assert!(judge(&source(LINES_MAX + 1), None).is_some());
    }

    #[test]
    fn the_ratchet_only_falls() {
        assert!(judge(&source(612), Some(612)).is_none());
        assert!(judge(&source(613), Some(612)).is_some());
        assert!(judge(&source(611), Some(612)).is_some());
    }
}
