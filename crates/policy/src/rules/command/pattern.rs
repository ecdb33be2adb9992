//! A pattern of commands.

use globset::{Glob, GlobMatcher};

use super::known::name_of;
use super::understand::{Seen, Word};
use crate::rules::RuleError;
use crate::rules::call::Call;
use crate::rules::fit::{Fit, Mode};

/// A program, and words it is given: `rm`, `git push`, `npm run *`.
#[derive(Clone, Debug)]
pub(in crate::rules) struct CommandPattern {
    program: GlobMatcher,
    /// The same without case.
    folded: GlobMatcher,
    names_a_path: bool,
    words: Vec<GlobMatcher>,
}

impl CommandPattern {
    pub(in crate::rules) fn read(text: &str) -> Result<Self, RuleError> {
        let refused = |why: &dyn ToString| RuleError::pattern("the command", text, why.to_string());
        let compile =
            |word: &str| Glob::new(word).map(|glob| glob.compile_matcher()).map_err(|error| refused(&error));
        let mut words = text.split_whitespace();
        let program = words.next().ok_or_else(|| refused(&"it names a program"))?;
        Ok(Self {
            program: compile(program)?,
            folded: compile(&name_of(program))?,
            names_a_path: program.contains('/'),
            words: words.map(compile).collect::<Result<_, _>>()?,
        })
    }

    /// Whether a call starts such a command.
    pub(in crate::rules) fn fits(&self, call: &Call<'_>, mode: Mode) -> Fit {
        match mode {
            Mode::Strict => Fit::of(call.argv().ok().flatten().is_some_and(|argv| self.begins(&argv))),
            Mode::Ask | Mode::Deny => Fit::any(call.seen().iter().map(|seen| self.of_seen(seen))),
        }
    }

    /// For what is permitted: the very command, word by word from the first, started by nobody else.
    fn begins(&self, argv: &[String]) -> bool {
        let Some((program, given)) = argv.split_first() else { return false };
        let is_program = self.program.is_match(program) && (self.names_a_path || !program.contains('/'));
        is_program
            && given.len() >= self.words.len()
            && self.words.iter().zip(given).all(|(wanted, word)| wanted.is_match(word))
    }

    /// For what is restricted: the program under any path, and the words in this order among others.
    fn of_seen(&self, seen: &Seen) -> Fit {
        match seen {
            Seen::Opaque(why) => Fit::unclear(why),
            Seen::Target(_) => Fit::No,
            Seen::Command { words, sure } => match self.of_command(words) {
                Fit::Yes if !sure => Fit::unclear("it may be started by the program before it"),
                fit @ (Fit::Yes | Fit::Unclear(_) | Fit::No) => fit,
            },
        }
    }

    fn of_command(&self, words: &[Word]) -> Fit {
        let Some((program, given)) = words.split_first() else { return Fit::No };
        if !self.folded.is_match(name_of(&program.text)) {
            return Fit::No;
        }
        let mut given = given.iter();
        let mut unclear = false;
        let mut is_next = |wanted: &GlobMatcher| {
            given.by_ref().any(|word| {
                unclear |= !word.clear;
                is_word(wanted, &word.text)
            })
        };
        if self.words.iter().all(&mut is_next) {
            return Fit::Yes;
        }
        if unclear { Fit::unclear("a word of the command is made when it runs") } else { Fit::No }
    }
}

/// Short options may stand together: `-rf` is `-r` and `-f`.
fn is_word(wanted: &GlobMatcher, word: &str) -> bool {
    let letter = wanted.glob().glob().strip_prefix('-').filter(|rest| rest.len() == 1);
    let is_among = |letter: &str| word.starts_with('-') && !word.starts_with("--") && word.contains(letter);
    wanted.is_match(word) || letter.is_some_and(is_among)
}
