//! Selects the most relevant part of an output if not all of it fits.

use std::collections::HashSet;

use super::material::Material;

/// Words that mark a line as an error, case-insensitive.
const ERROR_WORDS: [&str; 6] = ["error", "fail", "panic", "exception", "fatal", "denied"];

/// Returns the lines that the priorities select, in their order, each line once.
pub(super) fn prioritised<'a>(material: &'a Material, priority: &[String]) -> Vec<&'a str> {
    let mut seen: HashSet<&str> = HashSet::new();
    let wanted = priority.iter().flat_map(|word| lines_of(material, &word.to_lowercase()));
    wanted.filter(|line| seen.insert(*line)).collect()
}

fn lines_of<'a>(material: &'a Material, wanted: &str) -> Vec<&'a str> {
    let output = material.output.text().lines();
    match wanted {
        "errors" => output.filter(|line| reports_error(line)).collect(),
        "file_paths" => paths(output).collect(),
        "diff" => output.filter(|line| is_diff(line)).collect(),
        "matching_lines" => material.excerpts.iter().flat_map(|excerpt| excerpt.lines()).collect(),
        // Any other word selects the lines that contain it: `warnings` finds `warning: unused`.
        word => {
            let stem = word.strip_suffix('s').unwrap_or(word).replace('_', " ");
            output.filter(|line| line.to_lowercase().contains(&stem)).collect()
        }
    }
}

fn reports_error(line: &str) -> bool {
    let line = line.to_lowercase();
    ERROR_WORDS.iter().any(|word| line.contains(word))
}

fn is_diff(line: &str) -> bool {
    line.starts_with(['+', '-']) || line.starts_with("@@") || line.starts_with("diff ")
}

/// Returns words that look like a path: a slash or a file extension, and only path characters.
fn paths<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    lines
        .flat_map(str::split_whitespace)
        .map(|word| word.trim_matches(|c: char| "\"'`,:;()[]".contains(c)))
        .filter(|word| {
            let named =
                word.contains('/') || word.rsplit_once('.').is_some_and(|(name, end)| is_file(name, end));
            named && word.chars().all(|c| c.is_alphanumeric() || "/._-~@+:".contains(c))
        })
}

fn is_file(name: &str, extension: &str) -> bool {
    !name.is_empty() && (1..=5).contains(&extension.len()) && extension.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use provost_contract::action::Outcome;
    use serde_json::json;

    use super::*;
    use crate::show::observe::Privacy;

    fn check(priority: &[&str], expected: &[&str]) {
        let outcome = Outcome::parse(&json!({
            "status": "completed",
            "output": "see src/io.rs\nFAILED twice\n+ added\n+ added\nwarning: unused\nsee src/io.rs\nversion 1.2.3",
            "excerpts": ["12: fn a()\n13: b"],
        }))
        .unwrap();
        let words: Vec<String> = priority.iter().map(ToString::to_string).collect();
        assert_eq!(
            prioritised(&Material::of(&outcome, &Privacy::default()), &words),
            expected,
            "{priority:?}"
        );
    }

    #[test]
    fn priorities_pick_lines_in_their_order_and_each_line_once() {
        check(&["errors"], &["FAILED twice"]);
        check(&["diff"], &["+ added"]);
        check(&["file_paths"], &["src/io.rs"]);
        check(&["matching_lines"], &["12: fn a()", "13: b"]);
        check(&["warnings", "errors"], &["warning: unused", "FAILED twice"]);
        check(&["unicorns"], &[]);
    }
}
