//! The names providers may call a tool by, and the way back to its canonical name.
//!
//! `provider_safe_name` is lossy: two tools may share one. It is what records have always shown. What is
//! really sent to a provider are the [`super::ToolAliases`] of a catalog, which are not.

use serde_json::Value;

use crate::json::{self, Object};

/// The declared alias of a tool.
pub(super) const PROVIDER_SAFE_NAME: &str = "provider_safe_name";
const PROVIDER_ALIASES: &str = "provider_aliases";

/// A name without the characters providers reject: each run of them becomes `__`, none stays at the
/// ends, and the first character is a letter.
pub fn provider_safe_name(name: &str) -> String {
    let kept = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let runs: Vec<&str> =
        name.trim().split(|character| !kept(character)).filter(|run| !run.is_empty()).collect();
    let joined = runs.join("__");
    let safe = joined.trim_matches('_');
    match safe.chars().next() {
        None => "tool".to_owned(),
        Some(first) if first.is_ascii_alphabetic() => safe.to_owned(),
        Some(_) => format!("tool_{safe}"),
    }
}

/// The canonical name behind the name a provider used: the name itself when a tool has it, else the
/// first tool known by that alias, else the name as it came.
pub fn canonical_name<'a>(called: &'a str, tools: &'a Object) -> &'a str {
    if tools.contains_key(called) {
        return called;
    }
    let declared = tools.iter().filter_map(|(name, tool)| Some((name, tool.as_object()?)));
    declared
        .into_iter()
        .find(|(name, tool)| answers_to(called, name, tool))
        .map_or(called, |(name, _)| name.as_str())
}

/// Whether a tool of this name and these declared fields is known by an alias.
pub(super) fn answers_to(alias: &str, name: &str, fields: &Object) -> bool {
    let safe_name = match json::text(fields, PROVIDER_SAFE_NAME) {
        Some(declared) => declared == alias,
        None => provider_safe_name(name) == alias,
    };
    let aliases = json::list(fields, PROVIDER_ALIASES).map_or(&[][..], Vec::as_slice);
    safe_name || aliases.iter().filter_map(Value::as_str).any(|known| known == alias)
}
