//! The walk of one tool call in ARCHITECTURE.md: its files are there, and each has the functions that its row names.

use super::{Finding, Source};

/// The document that has the walk.
pub(super) const DOCUMENT: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Follow one tool call";
/// More files than this are no walk that a newcomer finishes.
const FILES_MAX: usize = 8;

pub(super) fn check(document: &str, sources: &[Source]) -> Vec<Finding> {
    let rows: Vec<(&str, Vec<&str>)> = rows(document).collect();
    let mut findings: Vec<Finding> =
        rows.iter().flat_map(|(path, functions)| missing(path, functions, sources)).collect();
    if rows.is_empty() || rows.len() > FILES_MAX {
        let problem = format!("`{HEADING}` has {} files instead of 1 to {FILES_MAX}", rows.len());
        findings.push(Finding::new(DOCUMENT, problem));
    }
    findings
}

/// The file and the functions of each row.
fn rows(document: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let section = document.lines().skip_while(|line| *line != HEADING).skip(1);
    let section = section.take_while(|line| !line.starts_with("## "));
    section.filter(|line| line.starts_with("| `")).map(|line| {
        let mut cells = line.split('|').skip(1);
        let path = cells.next().unwrap_or_default().trim().trim_matches('`');
        let functions = cells.next().unwrap_or_default().split('`').skip(1).step_by(2);
        (path, functions.collect())
    })
}

fn missing(path: &str, functions: &[&str], sources: &[Source]) -> Vec<Finding> {
    let Some(source) = sources.iter().find(|source| source.path == path) else {
        return vec![Finding::new(DOCUMENT, format!("`{HEADING}` names {path}, which does not exist"))];
    };
    let has = |function: &str| {
        let starts = [format!("fn {function}("), format!("fn {function}<")];
        starts.iter().any(|start| source.text.contains(start.as_str()))
    };
    let absent = functions.iter().filter(|function| !has(function));
    let mut findings: Vec<Finding> = absent
        .map(|function| Finding::new(DOCUMENT, format!("{path} has no function `{function}`")))
        .collect();
    if functions.is_empty() {
        findings.push(Finding::new(DOCUMENT, format!("the row of {path} names no function")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(rows: &str) -> Vec<String> {
        let sources = [Source { path: "a.rs".into(), text: "pub fn one() {}\nfn two<T>(_: T) {}".into() }];
        let document = format!(
            "# Title\n\n{HEADING}\n\n| file | functions |\n| --- | --- |\n{rows}\n## Map\n| `z.rs` | `q` |"
        );
        check(&document, &sources).into_iter().map(|finding| finding.problem).collect()
    }

    #[test]
    fn a_walk_that_is_true_passes() {
        assert_eq!(problems("| `a.rs` | `one`, `two` | works |"), Vec::<String>::new());
    }

    #[test]
    fn a_walk_that_is_not_true_is_found() {
        assert_eq!(problems("| `a.rs` | `one`, `on` | works |"), ["a.rs has no function `on`"]);
        assert_eq!(problems("| `b.rs` | `one` | works |").len(), 1);
        assert_eq!(problems("| `a.rs` | works | |"), ["the row of a.rs names no function"]);
        assert_eq!(problems(""), ["`## Follow one tool call` has 0 files instead of 1 to 8"]);
        assert_eq!(problems(&"| `a.rs` | `one` | works |\n".repeat(9)).len(), 1);
    }
}
