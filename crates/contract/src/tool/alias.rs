//! The names a provider sees.
//!
//! Providers accept 64 characters of `[A-Za-z0-9_-]`; a canonical name has a slash and may be longer.
//! An alias is an encoding for the wire to a provider and back, and exists nowhere else.

use std::collections::BTreeMap;

use crate::canonical;

/// How long an alias may be.
const LENGTH_MAX: usize = 64;
/// What a slash becomes.
const SLASH: &str = "__";
/// How many hex digits of a name's hash an alias ends in that does not spell the name out.
const HASH_DIGITS: usize = 16;

/// The aliases of a set of tool names: every name has one, no two share one, each leads back.
///
/// An alias depends on its own name alone, so adding a tool changes no other alias (short of two names
/// whose hashes collide). `kb/find` becomes `kb__find`; a name that cannot be spelt out so that it could
/// be read back, or is too long, becomes as much of it as fits and a hash of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAliases {
    alias_by_name: BTreeMap<String, String>,
    name_by_alias: BTreeMap<String, String>,
}

impl ToolAliases {
    /// Gives each name its alias. Any text may be a name: a transcript can hold calls of tools that never were.
    pub fn new<Name: AsRef<str>>(names: impl IntoIterator<Item = Name>) -> Self {
        let mut aliases = Self::default();
        let mut names: Vec<String> = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        // Sorted, so that the aliases do not depend on the order of the tools.
        names.sort_unstable();
        names.dedup();
        for name in names {
            let alias = aliases.free_alias(&name);
            aliases.name_by_alias.insert(alias.clone(), name.clone());
            aliases.alias_by_name.insert(name, alias);
        }
        aliases
    }

    /// The alias of a name.
    pub fn alias_of(&self, name: &str) -> Option<&str> {
        self.alias_by_name.get(name).map(String::as_str)
    }

    /// The name behind an alias.
    pub fn name_of(&self, alias: &str) -> Option<&str> {
        self.name_by_alias.get(alias).map(String::as_str)
    }

    fn free_alias(&self, name: &str) -> String {
        let spelt = spelt_out(name).into_iter();
        let hashed = (0_u32..).map(|attempt| hashed(name, attempt));
        let mut candidates = spelt.chain(hashed).filter(|alias| !self.name_by_alias.contains_key(alias));
        candidates.next().unwrap_or_default()
    }
}

/// The name with `__` for its slash, when that can be read back: then it is the only `__` in it.
fn spelt_out(name: &str) -> Option<String> {
    let (namespace, rest) = name.split_once('/')?;
    let plain = |text: &str| is_plain(text) && !text.contains(SLASH);
    let readable = plain(namespace) && plain(rest) && !namespace.ends_with('_') && !rest.starts_with('_');
    let starts_well = namespace.starts_with(|first: char| first.is_ascii_alphabetic());
    let alias = format!("{namespace}{SLASH}{rest}");
    (readable && starts_well && alias.len() <= LENGTH_MAX).then_some(alias)
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// As much of the name as fits, and a hash of it. It never holds `__`, so it never equals a name that
/// is spelt out.
fn hashed(name: &str, attempt: u32) -> String {
    let seed = if attempt == 0 { name.to_owned() } else { format!("{name} {attempt}") };
    let hash = canonical::sha256_hex(seed.as_bytes());
    let hash = hash.get(..HASH_DIGITS).unwrap_or(&hash);
    let words = name.split(|character: char| !character.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut start = words.join("_");
    if !start.starts_with(|first: char| first.is_ascii_alphabetic()) {
        start.insert_str(0, "tool_");
    }
    start.truncate(LENGTH_MAX - HASH_DIGITS - 1);
    format!("{}-{hash}", start.trim_end_matches('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_name_is_spelt_out() {
        let aliases = ToolAliases::new(["kb/find", "kb/get-all"]);
        assert_eq!(aliases.alias_of("kb/find"), Some("kb__find"));
        assert_eq!(aliases.alias_of("kb/get-all"), Some("kb__get-all"));
        assert_eq!(aliases.name_of("kb__find"), Some("kb/find"));
        assert_eq!((aliases.alias_of("kb/other"), aliases.name_of("kb__other")), (None, None));
    }

    #[test]
    fn names_that_would_look_alike_get_a_hash() {
        let aliases = ToolAliases::new(["a__b/c", "a/b__c", "a_/b", "a/b"]);
        assert_eq!(aliases.alias_of("a/b"), Some("a__b"));
        for name in ["a__b/c", "a/b__c", "a_/b"] {
            let alias = aliases.alias_of(name).unwrap();
            assert!(!alias.contains("__"), "{alias}");
            assert_eq!(aliases.name_of(alias), Some(name));
        }
    }

    #[test]
    fn a_long_name_keeps_its_beginning() {
        let name = format!("kb/{}", "x".repeat(100));
        let aliases = ToolAliases::new([&name]);
        let alias = aliases.alias_of(&name).unwrap();
        assert_eq!(alias.len(), 64);
        assert!(alias.starts_with("kb_xxx"));
    }
}
