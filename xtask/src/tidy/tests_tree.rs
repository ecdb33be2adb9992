//! Tests wait for a state, are never switched off, and are never forgotten.

use super::{Finding, Source};

/// Split, so that this file does not find itself.
const IN_TESTS: &[(&str, &str)] = &[
    (concat!("thread::", "sleep"), "a test waits for a state, not for a time"),
    (concat!("time::", "sleep"), "a test waits for a state, not for a time"),
];
const ANYWHERE: &[(&str, &str)] =
    &[(concat!("#[", "ignore"), "an ignored test proves nothing: assert today's answer, or delete it")];

/// Reports sleeping, ignored and unlisted tests.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        findings.extend(forbidden(source, ANYWHERE, 0));
        let first_test_line = if source.is_test() { 0 } else { source.code_lines() };
        findings.extend(forbidden(source, IN_TESTS, first_test_line));
        findings.extend(forgotten(source, sources));
    }
    findings
}

fn forbidden(source: &Source, words: &[(&str, &str)], first_line: usize) -> Vec<Finding> {
    let lines = source.text.lines().enumerate().skip(first_line);
    lines
        .filter_map(|(index, line)| {
            let (_, why) = words.iter().find(|(word, _)| line.contains(word))?;
            Some(Finding::new(format!("{}:{}", source.path, index + 1), *why))
        })
        .collect()
}

/// One integration binary a crate: `tests/main.rs` must name every file beside it.
fn forgotten(source: &Source, sources: &[Source]) -> Option<Finding> {
    let (folder, file) = source.path.rsplit_once('/')?;
    if !folder.ends_with("/tests") || file == "main.rs" {
        return None;
    }
    let main = sources.iter().find(|other| other.path == format!("{folder}/main.rs"));
    let module = format!("mod {};", file.strip_suffix(".rs")?);
    let listed = main.is_some_and(|main| main.text.lines().any(|line| line.trim() == module));
    (!listed).then(|| Finding::new(&source.path, format!("is not run: add `{module}` to {folder}/main.rs")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_sleep_is_found_in_tests_and_left_to_clippy_elsewhere() {
        let sleep = concat!("std::thread::", "sleep(d);");
        assert_eq!(check(&[source("crates/x/tests/main.rs", sleep)]).len(), 1);
        assert!(check(&[source("crates/x/src/a.rs", sleep)]).is_empty());
    }

    #[test]
    fn a_test_file_nobody_names_is_found() {
        let test = source("crates/x/tests/a.rs", "");
        assert_eq!(check(&[test, source("crates/x/tests/main.rs", "")]).len(), 1);
        let test = source("crates/x/tests/a.rs", "");
        assert!(check(&[test, source("crates/x/tests/main.rs", "mod a;")]).is_empty());
    }
}
