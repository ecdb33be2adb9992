//! A pattern of whole commands.

use globset::{Glob, GlobMatcher};

use super::{CommandLine, PlainCall};
use crate::rules::RuleError;
use crate::rules::call::{Call, Places};
use crate::rules::fit::{Fit, Mode};
use crate::rules::path::Place;

/// "Any further words", as the last word of a pattern.
const MORE: [&str; 2] = ["…", "..."];

/// A program and all its words: `git status`, `npm run *`, `rm …`.
#[derive(Clone, Debug)]
pub(in crate::rules) struct CommandPattern {
    program: GlobMatcher,
    /// The same without case and folder.
    name: GlobMatcher,
    words: Vec<GlobMatcher>,
    /// Whether further words may follow.
    more: bool,
}

/// The folder a command starts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Folder {
    names: Vec<String>,
    /// `docs/**`: the folder and every folder in it.
    below: bool,
}

impl CommandPattern {
    pub(in crate::rules) fn read(text: &str) -> Result<Self, RuleError> {
        let refused = |why: &dyn ToString| RuleError::pattern("the command", text, why.to_string());
        let compile =
            |word: &str| Glob::new(word).map(|glob| glob.compile_matcher()).map_err(|error| refused(&error));
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let more = words.last().is_some_and(|word| MORE.contains(word));
        words.truncate(words.len() - usize::from(more));
        if words.iter().any(|word| MORE.contains(word)) {
            return Err(refused(&"`…` stands for any further words, so only at the end"));
        }
        let (program, words) =
            words.split_first().ok_or_else(|| refused(&"it needs the name of a program"))?;
        let name = program.rsplit('/').next().unwrap_or(program).to_lowercase();
        Ok(Self {
            program: compile(program)?,
            name: compile(&name)?,
            words: words.iter().map(|word| compile(word)).collect::<Result<_, _>>()?,
            more,
        })
    }

    /// Whether the program is named by a path that begins in the workspace. A permission about such a program
    /// would be a permission to run what the agent writes there.
    pub(in crate::rules) fn is_in_workspace(&self) -> bool {
        let program = self.program.glob().glob();
        program.contains('/') && !program.starts_with('/')
    }

    pub(in crate::rules) fn text(&self) -> &str {
        self.program.glob().glob()
    }

    /// Whether a call is such a command.
    pub(in crate::rules) fn fits(&self, call: &Call<'_>, folders: Option<&[Folder]>, mode: Mode) -> Fit {
        match (call.command(), mode) {
            (None, _) | (Some(Err(_)), Mode::Strict) => Fit::No,
            (Some(Err(why)), Mode::Ask | Mode::Deny) => Fit::unclear(why),
            (Some(Ok(line)), Mode::Strict) => Fit::of(self.certainly(&line, folders, call.places)),
            (Some(Ok(line)), Mode::Ask | Mode::Deny) => self.restricts(&line, folders, call.places),
        }
    }

    /// For what is permitted: this very command in this folder (the root when the rule names none), and a
    /// program that the agent cannot have put there.
    fn certainly(&self, line: &CommandLine<'_>, folders: Option<&[Folder]>, places: &dyn Places) -> bool {
        let root = Place::read(places.root(), "");
        let in_folder = match (folders, line.folder.below(&root)) {
            (_, None) => false,
            (None, Some(names)) => names.is_empty(),
            (Some(folders), Some(names)) => folders.iter().any(|folder| folder.holds(names)),
        };
        let leads_elsewhere = || places.real(&line.folder.text()).is_some();
        self.program.is_match(line.program)
            && self.are_words(&line.words)
            && in_folder
            && !leads_elsewhere()
            && places.program(line.program).is_ok()
    }

    /// For what is restricted: the program under any path, in any folder unless the rule names some. The same
    /// program with other words may mean the same by other options, so it is unclear.
    fn restricts(&self, line: &CommandLine<'_>, folders: Option<&[Folder]>, places: &dyn Places) -> Fit {
        let root = Place::read(places.root(), "");
        let in_folder = folders.is_none_or(|folders| {
            line.folder.below(&root).is_some_and(|names| folders.iter().any(|folder| folder.holds(names)))
        });
        let is_program = self.name.is_match(line.name().to_lowercase());
        if is_program && in_folder && self.are_words(&line.words) {
            return Fit::Yes;
        }
        match PlainCall::read(line, places) {
            Err(why) => Fit::unclear(why),
            Ok(_) if is_program => Fit::unclear(format!("`{}` is called with other words", line.name())),
            Ok(_) => Fit::No,
        }
    }

    fn are_words(&self, given: &[&str]) -> bool {
        let enough =
            if self.more { given.len() >= self.words.len() } else { given.len() == self.words.len() };
        enough && self.words.iter().zip(given).all(|(wanted, word)| wanted.is_match(word))
    }
}

impl Folder {
    pub(in crate::rules) fn read(text: &str) -> Result<Self, RuleError> {
        let refused = |why: &str| RuleError::pattern("the cwd", text, why);
        let mut names: Vec<String> =
            text.split('/').filter(|name| !matches!(*name, "" | ".")).map(str::to_owned).collect();
        let below = names.last().is_some_and(|name| name == "**");
        names.truncate(names.len() - usize::from(below));
        if text.is_empty() || text.starts_with('/') || names.iter().any(|name| name == "..") {
            return Err(refused("it is a folder of the workspace, from its root: `.`, `docs` or `docs/**`"));
        }
        if names.iter().any(|name| name.contains(['*', '?', '[', '{'])) {
            return Err(refused("`**` stands for any folder below, so only at the end"));
        }
        Ok(Self { names, below })
    }

    /// Whether a folder, given as names from the root, is meant.
    fn holds(&self, names: &[String]) -> bool {
        if self.below { names.starts_with(&self.names) } else { names == self.names }
    }
}
