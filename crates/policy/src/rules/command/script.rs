//! The plain part of the language of shells.
//!
//! Words, quotes, lists, pipes and redirections are read. Whatever makes commands while it runs
//! (substitution, functions, `case`, here-documents) is not, and the whole script counts as unread.

use std::iter::Peekable;
use std::str::Chars;

use super::known::assignment;
use super::understand::Word;

/// One simple command of a script.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    /// Files it is redirected from and to.
    pub(super) targets: Vec<Word>,
}

/// The commands of a script, in order; what cannot be read otherwise.
pub(super) fn commands(script: &str) -> Result<Vec<Simple>, String> {
    // Some shells look for commands also in quoted words, such as the index of an array.
    if script.contains("$(") || script.contains('`') {
        return Err("a command inside a word is not read".to_owned());
    }
    let mut reader = Reader::new(script);
    reader.read()?;
    let mut plain = Vec::new();
    for command in reader.commands {
        plain.extend(without_keywords(command)?);
    }
    Ok(plain)
}

/// Words before a command that are none of it.
const KEYWORDS: [&str; 16] = [
    "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "!", "{", "}", "time", "coproc", "&",
    "in",
];

fn without_keywords(mut command: Simple) -> Result<Option<Simple>, String> {
    while let Some(first) = command.words.first() {
        let text = first.text.as_str();
        match assignment(text) {
            Some(true) => return Err(format!("`{text}` changes which code runs")),
            Some(false) => {}
            // The words of a loop are no commands.
            None if matches!(text, "for" | "select") => return Ok(None),
            None if matches!(text, "case" | "function" | "esac") => {
                return Err(format!("`{text}` is not read"));
            }
            None if KEYWORDS.contains(&text) => {}
            None => return Ok(Some(command)),
        }
        command.words.remove(0);
    }
    Ok(Some(command).filter(|command| !command.targets.is_empty()))
}

struct Reader<'s> {
    letters: Peekable<Chars<'s>>,
    commands: Vec<Simple>,
    current: Simple,
    word: Option<Part>,
    /// Whether the next word is the file of a redirection.
    redirects: bool,
}

/// A word on its way.
#[derive(Default)]
struct Part {
    text: String,
    unclear: bool,
    brace: bool,
}

impl<'s> Reader<'s> {
    fn new(script: &'s str) -> Self {
        Self {
            letters: script.chars().peekable(),
            commands: Vec::new(),
            current: Simple::default(),
            word: None,
            redirects: false,
        }
    }

    fn read(&mut self) -> Result<(), String> {
        while let Some(letter) = self.letters.next() {
            match letter {
                ' ' | '\t' => self.end_word(),
                '\n' | ';' | '|' | ')' => self.end_command(),
                '&' => match self.letters.next_if_eq(&'>') {
                    Some(_) => self.redirection('>')?,
                    None => self.end_command(),
                },
                '(' if self.current.words.is_empty() && self.word.is_none() => self.end_command(),
                '(' => return Err("a function or an expression is not read".to_owned()),
                '<' | '>' => self.redirection(letter)?,
                '#' if self.word.is_none() => {
                    while self.letters.next_if(|letter| *letter != '\n').is_some() {}
                }
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '\\' => match self.letters.next() {
                    Some('\n') => {}
                    Some(letter) => self.part().text.push(letter),
                    None => return Err("the script ends in the middle".to_owned()),
                },
                '`' | '$' => self.expansion(letter)?,
                '*' | '?' | '[' => self.push_unclear(letter),
                '~' if self.word.is_none() => self.push_unclear(letter),
                '{' => {
                    self.part().brace = true;
                    self.part().text.push(letter);
                }
                _ if letter.is_control() => return Err("the script holds control characters".to_owned()),
                _ => self.part().text.push(letter),
            }
        }
        self.end_command();
        Ok(())
    }

    fn part(&mut self) -> &mut Part {
        self.word.get_or_insert_default()
    }

    fn push_unclear(&mut self, letter: char) {
        let part = self.part();
        part.unclear = true;
        part.text.push(letter);
    }

    fn end_word(&mut self) {
        let Some(part) = self.word.take() else { return };
        // A brace alone is a keyword; with others it makes words.
        let clear = !part.unclear && (!part.brace || matches!(part.text.as_str(), "{" | "{}"));
        let word = Word { text: part.text, clear };
        match std::mem::take(&mut self.redirects) {
            true => self.current.targets.push(word),
            false => self.current.words.push(word),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        self.redirects = false;
        let command = std::mem::take(&mut self.current);
        if command != Simple::default() {
            self.commands.push(command);
        }
    }

    fn redirection(&mut self, letter: char) -> Result<(), String> {
        // `2>`: the number is no word.
        if self.word.as_ref().is_some_and(|part| part.text.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        match self.letters.peek() {
            Some('(') => return Err("a command in the place of a file is not read".to_owned()),
            Some('<') if letter == '<' => return Err("a here-document is not read".to_owned()),
            Some('>' | '&' | '|') => drop(self.letters.next()),
            Some(_) | None => {}
        }
        self.redirects = true;
        Ok(())
    }

    fn single_quoted(&mut self) -> Result<(), String> {
        self.part();
        loop {
            match self.letters.next() {
                Some('\'') => return Ok(()),
                Some(letter) => self.part().text.push(letter),
                None => return Err("a quote does not end".to_owned()),
            }
        }
    }

    fn double_quoted(&mut self) -> Result<(), String> {
        self.part();
        loop {
            match self.letters.next() {
                Some('"') => return Ok(()),
                Some('\\') => match self.letters.next() {
                    Some('\n') => {}
                    Some(letter @ ('$' | '`' | '"' | '\\')) => self.part().text.push(letter),
                    Some(letter) => self.part().text.extend(['\\', letter]),
                    None => return Err("a quote does not end".to_owned()),
                },
                Some(letter @ ('`' | '$')) => self.expansion(letter)?,
                Some(letter) => self.part().text.push(letter),
                None => return Err("a quote does not end".to_owned()),
            }
        }
    }

    /// A variable makes a word unclear; a command inside a word makes the script unread.
    fn expansion(&mut self, letter: char) -> Result<(), String> {
        match (letter, self.letters.peek()) {
            ('`', _) | ('$', Some('(' | '[')) => Err("a command inside a word is not read".to_owned()),
            ('$', Some('\'')) => Err("`$'…'` is not read".to_owned()),
            _ => {
                self.push_unclear(letter);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: &str) -> Vec<(String, String)> {
        let line = |words: &[Word]| {
            let shown = |word: &Word| format!("{}{}", word.text, if word.clear { "" } else { "~" });
            words.iter().map(shown).collect::<Vec<_>>().join("|")
        };
        commands(script).unwrap().iter().map(|one| (line(&one.words), line(&one.targets))).collect()
    }

    #[test]
    fn the_plain_part_is_read() {
        let pair = |words: &str, targets: &str| (words.to_owned(), targets.to_owned());
        assert_eq!(read("a 'b c' \"d\\\"e\" f\\ g"), [pair("a|b c|d\"e|f g", "")]);
        assert_eq!(
            read("a && b || c; d & e | f\n(g)"),
            ["a", "b", "c", "d", "e", "f", "g"].map(|one| pair(one, ""))
        );
        assert_eq!(read("a >x 2>&1 <y b"), [pair("a|b", "x|1|y")]);
        assert_eq!(read("a &>x # b\nc"), [pair("a", "x"), pair("c", "")]);
        assert_eq!(
            read("if a; then b; fi; while c; do d; done"),
            ["a", "b", "c", "d"].map(|one| pair(one, ""))
        );
        assert_eq!(read("for x in rm; do a $x; done"), [pair("a|$x~", "")]);
        assert_eq!(read("A=$B a ${C} *.c ~/d \"$E\""), [pair("a|${C}~|*.c~|~/d~|$E~", "")]);
        assert_eq!(read("> x"), [pair("", "x")]);
    }

    #[test]
    fn the_rest_is_not_read() {
        for script in [
            "a $(b)",
            "a `b`",
            "a \"$(b)\"",
            "a <(b)",
            "a <<E\nE",
            "f() { a; }",
            "case a in b) c;; esac",
            "a 'b",
            "a $'b'",
            "function f { a; }",
        ] {
            assert!(commands(script).is_err(), "{script}");
        }
    }
}
