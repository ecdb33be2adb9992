//! From a command line to everything it starts.

use super::known::{Kind, kind_of, name_of};
use super::{script, wrapper};

/// How many programs may stand one in the other.
const DEPTH_MAX: usize = 8;

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Word {
    pub(in crate::rules) text: String,
    /// Whether it is what is written. A variable or a wildcard becomes something else when it runs.
    pub(in crate::rules) clear: bool,
}

impl Word {
    pub(super) fn clear(text: impl Into<String>) -> Self {
        Self { text: text.into(), clear: true }
    }
}

/// Something found in a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) enum Seen {
    /// A program with its words. It is not sure when it may be only a word of another program.
    Command { words: Vec<Word>, sure: bool },
    /// A file that is written or read by redirection.
    Target(Word),
    /// Something nobody can look through, and what.
    Opaque(String),
}

/// Everything a command line starts, as far as that can be told.
pub(in crate::rules) fn understand(argv: &[String]) -> Vec<Seen> {
    let words: Vec<Word> = argv.iter().map(Word::clear).collect();
    let mut look = Look { seen: Vec::new(), sure: true };
    look.at(&words, 0);
    look.seen
}

/// A look through a command line.
pub(super) struct Look {
    pub(super) seen: Vec<Seen>,
    /// Whether what is found is certain to be a command.
    sure: bool,
}

impl Look {
    /// Looks at a command, and at what it starts.
    pub(super) fn at(&mut self, words: &[Word], depth: usize) {
        let Some(program) = words.first() else { return };
        if depth > DEPTH_MAX {
            return self.opaque("too many programs stand one in the other");
        }
        if !program.clear {
            return self.opaque("the name of the program is made when it runs");
        }
        self.seen.push(Seen::Command { words: words.to_vec(), sure: self.sure });
        match kind_of(words) {
            Kind::Plain => {}
            Kind::Opaque => {
                let name = name_of(&program.text);
                self.opaque(&format!("nobody can tell what `{name}` starts"));
            }
            Kind::Shell => self.shell(words, depth),
            Kind::Find => self.find(words, depth),
            Kind::Wrapper(known) => {
                match wrapper::command(words, known) {
                    Ok(command) => self.at(&command, depth + 1),
                    Err(why) => self.opaque(&why),
                }
                self.perhaps(words, depth);
            }
        }
    }

    pub(super) fn opaque(&mut self, why: &str) {
        self.seen.push(Seen::Opaque(why.to_owned()));
    }

    fn shell(&mut self, words: &[Word], depth: usize) {
        match wrapper::script_of(words) {
            Err(why) => self.opaque(&why),
            Ok(text) => match script::commands(&text) {
                Err(why) => self.opaque(&why),
                Ok(commands) => {
                    for command in commands {
                        self.seen.extend(command.targets.into_iter().map(Seen::Target));
                        self.at(&command.words, depth + 1);
                    }
                }
            },
        }
    }

    /// `find … -exec COMMAND ;`
    fn find(&mut self, words: &[Word], depth: usize) {
        let starts = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
        for (at, _) in words.iter().enumerate().filter(|(_, word)| starts(word)) {
            let rest = words.get(at + 1..).unwrap_or_default();
            let end =
                rest.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(rest.len());
            let found = |word: &Word| Word { clear: word.clear && !word.text.contains("{}"), ..word.clone() };
            let command: Vec<Word> = rest.iter().take(end).map(found).collect();
            self.at(&command, depth + 1);
        }
    }

    /// Options of wrappers are many: whatever stands behind one may be the command as well.
    fn perhaps(&mut self, words: &[Word], depth: usize) {
        if !self.sure {
            return;
        }
        self.sure = false;
        for at in 1..words.len() {
            let rest = words.get(at..).unwrap_or_default();
            let is_named = rest.first().is_some_and(|word| word.clear && !word.text.contains('/'));
            let is_program = rest.first().is_some_and(|word| !word.text.starts_with('-'));
            if is_program && (is_named || kind_of(rest) != Kind::Opaque) {
                self.at(rest, depth + 1);
            }
        }
        self.sure = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The programs of a command line, `?` before those that are not sure, and `!` for what is opaque.
    fn programs(argv: &[&str]) -> Vec<String> {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let shown = |seen: Seen| match seen {
            Seen::Command { words, sure } => {
                format!("{}{}", if sure { "" } else { "?" }, words[0].text)
            }
            Seen::Target(word) => format!(">{}", word.text),
            Seen::Opaque(_) => "!".to_owned(),
        };
        understand(&argv).into_iter().map(shown).collect()
    }

    #[test]
    fn wrappers_are_looked_through() {
        for argv in [
            &["env", "-i", "A=1", "rm", "x"][..],
            &["nice", "-n", "10", "rm", "x"],
            &["nice", "--adjustment", "10", "rm", "x"],
            &["timeout", "-k", "5", "10", "rm", "x"],
            &["sudo", "-u", "bob", "rm", "x"],
            &["nohup", "nice", "env", "rm", "x"],
            &["xargs", "-n", "1", "rm"],
            &["busybox", "rm", "x"],
            &["find", ".", "-exec", "rm", "{}", ";"],
            &["sh", "-c", "rm x"],
            &["bash", "-lc", "cd y && rm x"],
            &["bash", "-o", "pipefail", "-c", "true; rm x"],
            &["env", "sh", "-c", "echo x | xargs rm"],
            &["sh", "-c", "sh -c 'rm x'"],
            &["sh", "-c", "if true; then r\\m x; fi"],
            &["sh", "-c", "'r'\"m\" x"],
            &["sh", "-c", "A=1 >out /bin/rm x"],
        ] {
            let found = programs(argv);
            assert!(found.iter().any(|name| name.ends_with("rm")), "{argv:?}: {found:?}");
        }
        assert_eq!(programs(&["cargo", "test"]), ["cargo"]);
        assert_eq!(programs(&["sh", "-c", "echo a > b; ls"]), ["sh", ">b", "echo", "ls"]);
    }

    #[test]
    fn what_cannot_be_looked_through_is_said_to_be_so() {
        for argv in [
            &["python3", "-c", "x"][..],
            &["python3.12", "x.py"],
            &["./script"],
            &["/tmp/rm2", "x"],
            &["sh", "script.sh"],
            &["sh"],
            &["sh", "-c", "$X y"],
            &["sh", "-c", "echo $(rm x)"],
            &["sh", "-c", "echo `rm x`"],
            &["sh", "-c", "eval 'rm x'"],
            &["sh", "-c", "alias l=rm; l x"],
            &["sh", "-c", ". ./x"],
            &["sh", "-c", "f() { rm x; }; f"],
            &["sh", "-c", "cat <<E | sh\nrm x\nE"],
            &["sh", "-c", "r* x"],
            &["sh", "-c", "{rm,x}"],
            &["sh", "-c", "PATH=. ls"],
            &["env", "PATH=.", "ls"],
            &["env", "-S", "rm x"],
            &["env", "-Srm x"],
            &["env", "--split-string=rm x"],
            &["xargs", "-I", "X", "X"],
            &["git", "-c", "alias.x=!rm", "x"],
            &["tar", "--to-comm=rm", "xf", "a"],
            &["sh", "-c", "echo 'unfinished"],
            &["bash", "--rcfile", "x", "-ic", "ls"],
        ] {
            let found = programs(argv);
            assert!(found.contains(&"!".to_owned()), "{argv:?}: {found:?}");
        }
        for argv in
            [&["ls", "-l"][..], &["git", "status"], &["sh", "-c", "echo $HOME"], &["timeout", "5", "ls"]]
        {
            let found = programs(argv);
            assert!(!found.contains(&"!".to_owned()), "{argv:?}: {found:?}");
        }
    }
}
