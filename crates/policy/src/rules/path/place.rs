//! A place, without the ways to spell it.

use unicode_normalization::UnicodeNormalization as _;

/// The names from the top of the file system down, none of which is `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) Vec<String>);

impl Place {
    /// Reads a place that begins in `base` unless it is absolute. `..` is taken back as it is written.
    pub(crate) fn read(text: &str, base: &str) -> Self {
        let start = if text.starts_with('/') { "" } else { base };
        let mut names = Vec::new();
        for name in start.split('/').chain(text.split('/')) {
            match name {
                "" | "." => {}
                ".." => drop(names.pop()),
                name => names.push(name.to_owned()),
            }
        }
        Self(names)
    }

    /// The place below a folder; none when it is not there.
    pub(crate) fn below(&self, folder: &Self) -> Option<&[String]> {
        self.0.strip_prefix(folder.0.as_slice())
    }

    /// As it is written.
    pub(crate) fn text(&self) -> String {
        format!("/{}", self.0.join("/"))
    }
}

/// A name without case and without the choice of how accents are written: there are file systems on which
/// such names are the same.
pub(super) fn folded(name: &str) -> String {
    name.nfkc().flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_one_spelling() {
        let read = |text: &str| Place::read(text, "/home/w").text();
        for spelling in ["a/b", "./a//b/", "a/./b", "c/../a/b", "/home/w/a/b", "../w/a/b", "/home/x/../w/a/b"]
        {
            assert_eq!(read(spelling), "/home/w/a/b", "{spelling}");
        }
        assert_eq!(read("../../../../etc"), "/etc");
        assert_eq!(folded("Caf\u{e9}"), folded("CAFE\u{301}"));
        assert_ne!(folded("secret"), folded("\u{455}ecret"), "a look-alike is another name");
    }
}
