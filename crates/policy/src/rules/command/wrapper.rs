//! Where the command begins behind a program that starts another.

use super::known::{Wrapper, assignment, name_of};
use super::understand::Word;

/// The command a wrapper starts; why it cannot be told otherwise.
pub(super) fn command(words: &[Word], known: Wrapper) -> Result<Vec<Word>, String> {
    let name = words.first().map(|word| name_of(&word.text)).unwrap_or_default();
    let Wrapper { valued, mut before } = known;
    let mut rest = words.get(1..).unwrap_or_default();
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        if !word.clear {
            return Err(format!("a word of `{name}` is made when it runs"));
        }
        if hides(&name, &word.text) {
            return Err(format!("`{name} {}` makes another command", word.text));
        }
        match assignment(&word.text) {
            Some(true) => return Err(format!("`{}` changes which code runs", word.text)),
            Some(false) if matches!(name.as_str(), "env" | "sudo" | "doas") => continue,
            Some(false) | None => {}
        }
        if word.text.starts_with('-') && word.text.len() > 1 && !word.text.starts_with("--") {
            let takes = word.text.chars().last().is_some_and(|letter| valued.contains(letter));
            rest = rest.get(usize::from(takes)..).unwrap_or_default();
        } else if word.text.starts_with('-') {
            continue;
        } else if before > 0 {
            before -= 1;
        } else {
            return Ok([word].into_iter().chain(rest).cloned().chain(more(&name)).collect());
        }
    }
    Ok(Vec::new())
}

/// Options whose value is a command line, or changes what the rest means.
fn hides(name: &str, word: &str) -> bool {
    let short = |letter: char| !word.starts_with("--") && word.starts_with('-') && word.contains(letter);
    match name {
        "env" => short('S') || word.starts_with("--sp"),
        "xargs" => short('I') || short('i') || word.starts_with("--rep"),
        "flock" => short('c') || word.starts_with("--com"),
        _ => false,
    }
}

/// `xargs` adds words that are not written here.
fn more(name: &str) -> Option<Word> {
    (name == "xargs").then(|| Word { text: String::new(), clear: false })
}

/// The script a shell is given with `-c`; why there is none otherwise.
pub(super) fn script_of(words: &[Word]) -> Result<String, String> {
    let mut has_script = false;
    let mut rest = words.get(1..).unwrap_or_default().iter();
    while let Some(word) = rest.next() {
        if !word.clear {
            return Err("a word of the shell is made when it runs".to_owned());
        }
        let text = word.text.as_str();
        match text {
            "--login" | "--posix" | "--norc" | "--noprofile" | "--verbose" => {}
            _ if text.starts_with("--") && text != "--" => {
                return Err(format!("the shell is given `{text}`"));
            }
            "--" | "-" => {}
            _ if text.starts_with(['-', '+']) => {
                if text.contains('s') {
                    return Err("the shell reads its commands from elsewhere".to_owned());
                }
                has_script |= text.starts_with('-') && text.contains('c');
                if text.ends_with(['o', 'O']) {
                    rest.next();
                }
            }
            _ if has_script => return Ok(text.to_owned()),
            _ => return Err(format!("`{text}` is a script")),
        }
    }
    Err("the shell reads its commands from elsewhere".to_owned())
}
