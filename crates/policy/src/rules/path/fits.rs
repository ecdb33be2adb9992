//! Whether a call touches a place that a pattern means.

use super::pattern::Spelling;
use super::{Extent, PathPattern, Place};
use crate::rules::call::{Call, Reach};
use crate::rules::command::{PATH_BYTES_MAX, PlainCall, Touch, WORDS_MAX};
use crate::rules::fit::{Fit, Mode};

/// Whether any of the patterns means a place the call touches.
pub(in crate::rules) fn fits(patterns: &[PathPattern], call: &Call<'_>, mode: Mode) -> Fit {
    let asked = Asked { patterns, call, mode };
    match mode {
        Mode::Strict => asked.certainly(),
        Mode::Ask | Mode::Deny => {
            let named = call.named_places();
            if named.len() > WORDS_MAX {
                return Fit::unclear("it names too many places");
            }
            let named = named.iter().map(|text| asked.named(text));
            Fit::any(named.chain(asked.program()))
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
            return Fit::unclear("the path is no usual path");
        }
        self.anywhere(text, |place| {
            if self.call.command().is_some() {
                // The folder a program starts in; the places it goes to from there are judged one by one.
                return Fit::of(self.is_meant(place));
            }
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

    /// What a program touches; none when the call starts no program.
    fn program(&self) -> Option<Fit> {
        let plain = self.call.command()?.and_then(|line| PlainCall::read(&line, self.call.places));
        Some(plain.map_or_else(Fit::unclear, |plain| {
            Fit::any(plain.touches.iter().map(|touch| self.touched(touch)))
        }))
    }

    fn touched(&self, touch: &Touch) -> Fit {
        let Touch { places, below } = touch;
        if places.iter().any(|place| self.is_meant(place)) {
            return Fit::Yes;
        }
        if *below && places.iter().any(|place| self.may_hold(place)) {
            return Fit::unclear("the command names a folder that may hold such a place");
        }
        Fit::No
    }

    /// Whether a place is meant, or everything in it.
    fn is_meant(&self, place: &Place) -> bool {
        [Extent::Place, Extent::Everything].iter().any(|extent| self.meets(place, *extent, Spelling::Folded))
    }

    /// Whether a place that is meant may lie below: the root and what is above it hold every such place.
    fn may_hold(&self, place: &Place) -> bool {
        let root = Place::read(self.call.places.root(), "");
        self.meets(place, Extent::Anything, Spelling::Folded) || root.below(place).is_some()
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
    text.len() > PATH_BYTES_MAX || text.contains(|character: char| character.is_control())
}
