//! The pure crates know no clock, no files, no network, no environment and no threads.

use super::{Finding, Source};

const PURE: &[&str] =
    &["crates/contract/src/", "crates/protocol/src/", "crates/policy/src/", "crates/engine/src/"];
const FORBIDDEN: &[&str] =
    &["std::fs", "std::net", "std::time", "std::env", "std::thread", "std::process", "async fn", ".await"];

/// Reports every line of a pure crate that reaches for the outside.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let pure = sources.iter().filter(|source| PURE.iter().any(|folder| source.path.starts_with(folder)));
    pure.flat_map(|source| {
        source.text.lines().enumerate().filter_map(|(index, line)| {
            let word = forbidden_word(line)?;
            Some(Finding::new(
                format!("{}:{}", source.path, index + 1),
                format!("a pure crate must not use `{word}`"),
            ))
        })
    })
    .collect()
}

fn forbidden_word(line: &str) -> Option<&'static str> {
    let code = line.split("//").next().unwrap_or_default();
    FORBIDDEN.iter().copied().find(|word| code.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_reaches_out_is_found_and_a_comment_is_not() {
        assert_eq!(forbidden_word("use std::fs::read;"), Some("std::fs"));
        assert_eq!(forbidden_word("// no std::fs here"), None);
    }
}
