//! Whether a call touches a place that a pattern means.

use super::pattern::Spelling;
use super::{Extent, PathPattern, Place};
use crate::rules::call::{Call, Reach};
use crate::rules::command::{Seen, Word};
use crate::rules::fit::{Fit, Mode};

/// Whether any of the patterns means a place the call touches.
pub(in crate::rules) fn fits(patterns: &[PathPattern], call: &Call<'_>, mode: Mode) -> Fit {
    let asked = Asked { patterns, call, mode };
    match mode {
        Mode::Strict => asked.certainly(),
        Mode::Ask | Mode::Deny => {
            let named = call.named_places();
            let named = named.iter().map(|text| asked.named(text));
            let seen = call.seen();
            Fit::any(named.chain(seen.iter().map(|seen| asked.seen(seen))))
        }
    }
}

struct Asked<'a, 'c> {
    patterns: &'a [PathPattern],
    call: &'a Call<'c>,
    mode: Mode,
}

impl Asked<'_, '_> {
    /// The one place the call touches is meant, as it is written and where it leads.
    fn certainly(&self) -> Fit {
        let Some(text) = self.call.certain_place().filter(|text| !is_odd(text)) else { return Fit::No };
        let extent = match self.call.shape.reach {
            Reach::Place => Extent::Place,
            Reach::Filtered | Reach::Below => Extent::Everything,
        };
        let place = self.place(text);
        let real = self.call.places.real(&place.text()).map(|real| Place::read(&real, ""));
        let all = [Some(place), real].into_iter().flatten();
        Fit::all(all.map(|place| Fit::of(self.meets(&place, extent, Spelling::Exact))))
    }

    /// A place among the arguments.
    fn named(&self, text: &str) -> Fit {
        if is_odd(text) {
            return Fit::unclear("the path holds characters no path has");
        }
        self.anywhere(text, |place| {
            let below = match (self.call.shape.reach, self.mode) {
                (Reach::Place, _) => Extent::Place,
                // What is forbidden below is left out of the walk.
                (Reach::Filtered, Mode::Deny) => Extent::Everything,
                (Reach::Filtered, Mode::Ask | Mode::Strict) | (Reach::Below, _) => Extent::Anything,
            };
            let folded = |extent| self.meets(place, extent, Spelling::Folded);
            Fit::of(folded(Extent::Place) || folded(below))
        })
    }

    fn seen(&self, seen: &Seen) -> Fit {
        match seen {
            Seen::Opaque(why) => Fit::unclear(why),
            Seen::Target(word) => self.word(word),
            Seen::Command { words, .. } if moves(words) => {
                Fit::unclear("the command goes to another folder first")
            }
            Seen::Command { words, .. } => Fit::any(words.iter().map(|word| self.word(word))),
        }
    }

    /// A word of a command. Programs read paths out of words in many ways.
    fn word(&self, word: &Word) -> Fit {
        if !word.clear {
            return Fit::unclear("a word of the command is made when it runs");
        }
        if let Some(why) = elsewhere(&word.text) {
            return Fit::unclear(why);
        }
        Fit::any(readings(&word.text).map(|text| {
            self.anywhere(text, |place| {
                if [Extent::Place, Extent::Everything]
                    .iter()
                    .any(|extent| self.meets(place, *extent, Spelling::Folded))
                {
                    return Fit::Yes;
                }
                let holds = self.patterns.iter().any(|pattern| {
                    self.within(pattern, place).is_some_and(|names| pattern.begins_below(names))
                });
                if holds {
                    Fit::unclear("the command names a folder that holds such a place")
                } else {
                    Fit::No
                }
            })
        }))
    }

    /// Asks about a place as it is written, seen from the root and from the folder of the command, and about
    /// where it leads.
    fn anywhere(&self, text: &str, ask: impl Fn(&Place) -> Fit) -> Fit {
        let root = self.call.places.root();
        let cwd = self.call.arguments.get("cwd").and_then(|cwd| cwd.as_str());
        let folder = cwd.map(|cwd| Place::read(cwd, root).text());
        let bases = [Some(root.to_owned()), folder];
        Fit::any(bases.into_iter().flatten().map(|base| {
            let place = Place::read(text, &base);
            // `..` after a link leads elsewhere than it is written: what the disk says counts as well.
            let written = if text.starts_with('/') { text.to_owned() } else { format!("{base}/{text}") };
            let real = [self.call.places.real(&place.text()), self.call.places.real(&written)];
            let real = real.into_iter().flatten().map(|real| ask(&Place::read(&real, "")));
            Fit::any(real.chain([ask(&place)]))
        }))
    }

    fn place(&self, text: &str) -> Place {
        Place::read(text, self.call.places.root())
    }

    fn meets(&self, place: &Place, extent: Extent, spelling: Spelling) -> bool {
        let meets = |pattern: &PathPattern| {
            self.within(pattern, place).is_some_and(|names| pattern.meets(names, extent, spelling))
        };
        self.patterns.iter().any(meets)
    }

    /// The names of a place from where a pattern begins.
    fn within<'p>(&self, pattern: &PathPattern, place: &'p Place) -> Option<&'p [String]> {
        if pattern.absolute { Some(&place.0) } else { place.below(&Place::read(self.call.places.root(), "")) }
    }
}

fn is_odd(text: &str) -> bool {
    text.contains(|character: char| character.is_control())
}

/// Whether a command changes the folder that later words are read in.
fn moves(words: &[Word]) -> bool {
    words.first().is_some_and(|word| matches!(word.text.as_str(), "cd" | "pushd" | "popd" | "chroot"))
}

/// Why a word may lead where it does not say.
fn elsewhere(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    if lower.contains("file:") && word.contains('%') {
        return Some("the address of a file is encoded");
    }
    if lower.starts_with("--files") || lower == "-t" {
        return Some("names of files are read from a file");
    }
    let place = Place::read(word.rsplit('=').next().unwrap_or(word), "/-");
    let names: Vec<&str> = place.0.iter().take(2).map(String::as_str).collect();
    matches!(names.as_slice(), ["proc", ..] | ["dev", "fd"]).then_some("what is there depends on who looks")
}

/// What of a word may be a path: all of it, what stands behind an option, behind `=`, `:`, `,` or `@`.
fn readings(word: &str) -> impl Iterator<Item = &str> {
    let attached = word.strip_prefix('-').and_then(|rest| rest.get(1..));
    let parts = word.split(['=', ':', ',', '@']);
    [word].into_iter().chain(attached).chain(parts).filter(|text| !text.is_empty() && !text.starts_with('-'))
}
