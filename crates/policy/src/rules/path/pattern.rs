//! A pattern of places.

use globset::{GlobBuilder, GlobMatcher};

use super::place::folded;
use crate::rules::RuleError;

const NAMES_MAX: usize = 64;

/// Patterns of the names of a place, one by one.
///
/// `secrets/**` is everything in a folder of the root, `*.pem` a name anywhere, `./notes.txt` a name in the
/// root, `/etc/**` a place outside. What a pattern says of a folder it says of everything in it.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// Whether it begins at the top of the file system.
    pub(super) absolute: bool,
    exact: Vec<Name>,
    folded: Vec<Name>,
}

#[derive(Clone, Debug)]
enum Name {
    /// `**`: any number of names.
    Any,
    One(GlobMatcher),
}

/// How much of the file system is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The place itself.
    Place,
    /// Everything in it.
    Everything,
    /// Anything in it.
    Anything,
}

/// Whether names that differ in case or accents alone are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    Exact,
    Folded,
}

impl PathPattern {
    pub(crate) fn read(text: &str) -> Result<Self, RuleError> {
        let refused = |why: &str| RuleError::pattern("the path", text, why);
        let written: Vec<&str> = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        if written.is_empty() || written.len() > NAMES_MAX {
            return Err(refused("it has 1 to 64 names"));
        }
        if written.contains(&"..") {
            return Err(refused("it cannot lead up; say where it is"));
        }
        let anywhere = !text.trim_end_matches('/').contains('/');
        let names: Vec<&str> = anywhere.then_some("**").into_iter().chain(written).collect();
        Ok(Self {
            absolute: text.starts_with('/'),
            exact: compiled(text, names.iter().map(|name| (*name).to_owned()))?,
            folded: compiled(text, names.iter().map(|name| folded(name)))?,
        })
    }

    /// Whether the pattern meets a place, given as names from where the pattern begins.
    pub(super) fn meets(&self, names: &[String], extent: Extent, spelling: Spelling) -> bool {
        match spelling {
            Spelling::Exact => meets(&self.exact, names, extent),
            Spelling::Folded => {
                let names: Vec<String> = names.iter().map(|name| folded(name)).collect();
                meets(&self.folded, &names, extent)
            }
        }
    }
}

fn compiled(text: &str, names: impl Iterator<Item = String>) -> Result<Vec<Name>, RuleError> {
    let compile = |name: String| {
        if name == "**" {
            return Ok(Name::Any);
        }
        let glob = GlobBuilder::new(&name).literal_separator(true).backslash_escape(true).build();
        let glob = glob.map_err(|error| RuleError::pattern("the path", text, error.kind()))?;
        Ok(Name::One(glob.compile_matcher()))
    };
    names.map(compile).collect()
}

/// Follows every way through the pattern at once.
fn meets(pattern: &[Name], names: &[String], extent: Extent) -> bool {
    // A name nobody wrote stands for whatever else is in the folder.
    let else_there = (extent == Extent::Everything).then_some("\u{0}");
    let mut ways = vec![false; pattern.len() + 1];
    reach(pattern, &mut ways, 0);
    for name in names.iter().map(String::as_str).chain(else_there) {
        let mut next = vec![false; pattern.len() + 1];
        for (at, part) in pattern.iter().enumerate().filter(|(at, _)| ways.get(*at) == Some(&true)) {
            match part {
                // What is in a matched folder is matched.
                Name::Any if at + 1 == pattern.len() => return true,
                Name::Any => reach(pattern, &mut next, at),
                Name::One(glob) if glob.is_match(name) => reach(pattern, &mut next, at + 1),
                Name::One(_) => {}
            }
        }
        if next.last() == Some(&true) {
            return true;
        }
        ways = next;
    }
    extent == Extent::Anything && ways.contains(&true)
}

/// Marks a place in the pattern, and those behind it that need no name. A `**` at the end needs one.
fn reach(pattern: &[Name], ways: &mut [bool], at: usize) {
    if let Some(way) = ways.get_mut(at) {
        *way = true;
    }
    if matches!(pattern.get(at), Some(Name::Any)) && at + 1 < pattern.len() {
        reach(pattern, ways, at + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meets(pattern: &str, place: &str, extent: Extent) -> bool {
        let names: Vec<String> =
            place.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        PathPattern::read(pattern).unwrap().meets(&names, extent, Spelling::Folded)
    }

    #[test]
    fn a_pattern_means_places_and_what_is_in_them() {
        for (pattern, place) in [
            ("secrets/**", "secrets/a/b"),
            ("secrets", "x/secrets/key"),
            ("./secrets", "secrets/key"),
            ("*.pem", "a/b/c.pem"),
            ("**/test/*.rs", "a/test/b.rs"),
            ("**/test/*.rs", "test/b.rs"),
            ("a/**/z", "a/z"),
            ("a/**/z", "a/b/c/z/below"),
            ("SECRETS/*", "secrets/key"),
        ] {
            assert!(meets(pattern, place, Extent::Place), "{pattern} {place}");
        }
        for (pattern, place) in [
            ("secrets/**", "secrets"),
            ("secrets/**", "secrets2/key"),
            ("./secrets", "x/secrets"),
            ("*.pem", "a/b.pem.txt"),
            ("a/*", "a"),
            ("a/b", "a"),
        ] {
            assert!(!meets(pattern, place, Extent::Place), "{pattern} {place}");
        }
    }

    #[test]
    fn a_folder_may_hold_what_a_pattern_means() {
        assert!(meets("secrets/**", "", Extent::Anything));
        assert!(meets("a/b/c", "a", Extent::Anything));
        assert!(!meets("a/b/c", "b", Extent::Anything));
        assert!(meets("secrets/**", "secrets", Extent::Everything));
        assert!(!meets("secrets/**", "", Extent::Everything));
        assert!(!meets("docs/a.md", "docs", Extent::Everything));
        assert!(meets("docs/*", "docs", Extent::Everything));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "/", ".", "a/../b", "a/[b"] {
            assert!(PathPattern::read(text).is_err(), "{text}");
        }
    }
}
