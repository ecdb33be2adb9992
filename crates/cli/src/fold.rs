//! Long lines on a narrow terminal: broken between words, the rest set under the column it belongs to.

/// Narrower than this nothing can be read, however it is broken.
const COLUMNS_MIN: usize = 20;

/// A text whose lines fit so many columns.
pub(crate) fn fold(text: &str, columns: usize) -> String {
    let columns = columns.max(COLUMNS_MIN);
    let lines: Vec<String> = text.split('\n').map(|line| folded(line, columns)).collect();
    lines.join("\n")
}

fn folded(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let hang = " ".repeat(hang(line, columns));
    let mut lines: Vec<String> = Vec::new();
    let mut current = String::new();
    for word in words(line) {
        if !current.trim().is_empty() && width(&current) + width(word.trim_end()) > columns {
            lines.push(current.trim_end().to_owned());
            current.clone_from(&hang);
        }
        current.push_str(word);
        // What is longer than a line by itself is broken where the line ends.
        while width(current.trim_end()) > columns {
            let rest: String = current.chars().skip(columns).collect();
            lines.push(current.chars().take(columns).collect());
            current = format!("{hang}{rest}");
        }
    }
    lines.push(current.trim_end().to_owned());
    lines.join("\n")
}

/// The words of a line, each with the spaces behind it; those before the first word are one of their own.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let word = rest.find(' ').unwrap_or(rest.len());
        let after = rest.get(word..).unwrap_or_default();
        let end = word + after.len() - after.trim_start_matches(' ').len();
        words.push(rest.get(..end).unwrap_or(rest));
        rest = rest.get(end..).unwrap_or_default();
    }
    words
}

/// Where the rest of a line begins: under the last column that a gap sets off, when that leaves room enough.
fn hang(line: &str, columns: usize) -> usize {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let mut column = indent + 2;
    let mut spaces = 0;
    let mut seen_text = false;
    for (place, letter) in line.chars().enumerate() {
        match letter {
            ' ' => spaces += 1,
            _ => {
                if seen_text && spaces >= 2 && place <= columns / 2 {
                    column = place;
                }
                (spaces, seen_text) = (0, true);
            }
        }
    }
    column.min(columns / 2)
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_stays_and_a_long_one_hangs_under_its_column() {
        assert_eq!(fold("  > fs/read    path=README.md", 40), "  > fs/read    path=README.md");
        let line = "model   recorded: no model but a cassette, whose turns were written by hand";
        assert_eq!(
            fold(line, 40),
            "model   recorded: no model but a\n        cassette, whose turns were\n        written by hand"
        );
        assert_eq!(
            fold("next: provost show last, provost explain last", 30),
            "next: provost show last,\n  provost explain last"
        );
    }

    #[test]
    fn nothing_is_wider_than_the_terminal_and_nothing_is_lost() {
        let text = "run_01ksr49200hp6ktwx393q7k9ma  2026-05-28 20:26:40  completed         auditor    Audit of Tally: 4 problems, 1 fixed.\n\n    +echo $(($1 + $2))";
        for columns in [0, 5, 20, 33, 79] {
            let folded = fold(text, columns);
            assert!(
                folded.lines().all(|line| width(line) <= columns.max(COLUMNS_MIN)),
                "{columns}:\n{folded}"
            );
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(letters(&folded), letters(text), "{columns}");
        }
    }
}
