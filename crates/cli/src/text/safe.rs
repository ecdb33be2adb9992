//! Untrusted text on a terminal: control sequences and invisible characters are shown as escapes.

/// The width of a tab.
const TAB: &str = "    ";

/// Escapes a text of one line. Line ends are escaped too: only Provost starts a line.
pub(crate) fn escaped(text: &str) -> String {
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\t' => shown.push_str(TAB),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\u{1b}' => shown.push_str("\\e"),
            '\u{7}' => shown.push_str("\\a"),
            letter if is_plain(letter) => shown.push(letter),
            letter => shown.push_str(&format!("\\u{{{:x}}}", u32::from(letter))),
        }
    }
    shown
}

/// Escapes a line that a program printed: colours are removed, and of a line that was overwritten only the last
/// state is left.
pub(crate) fn of_program(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let last = line.rsplit('\r').next().unwrap_or(line);
    escaped(&without_colours(last))
}

/// Removes `ESC [ … m`. Other sequences are shown as escapes.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits =
            part.trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, ';' | ':'));
        match digits.strip_prefix('m') {
            Some(rest) => text.push_str(rest),
            None => {
                text.push_str("\u{1b}[");
                text.push_str(part);
            }
        }
    }
    text
}

/// Returns whether a character is visible and has no side effect.
pub(crate) fn is_plain(letter: char) -> bool {
    match letter {
        // Soft hyphen, Mongolian vowel separator and fillers, zero-width characters and direction marks, line
        // and paragraph separators, invisible operators, the byte order mark, and tags.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => false,
        _ => !letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_or_hides_is_shown() {
        assert_eq!(escaped("a\tb"), "a    b");
        assert_eq!(escaped("\u{1b}[2J\u{7}gone\r\n"), "\\e[2J\\agone\\r\\n");
        assert_eq!(escaped("a\u{202e}b\u{200b}c\u{9b}"), "a\\u{202e}b\\u{200b}c\\u{9b}");
        assert_eq!(escaped(&escaped("\u{1b}\u{202e}")), escaped("\u{1b}\u{202e}"), "twice is once");
    }

    #[test]
    fn a_program_has_no_colours_and_the_last_state_of_its_line() {
        assert_eq!(of_program("\u{1b}[31;1mred\u{1b}[0m"), "red");
        assert_eq!(of_program("10 %\r50 %\r100 %\r"), "100 %");
        assert_eq!(of_program("\u{1b}[2J\u{1b}[H"), "\\e[2J\\e[H");
    }
}
