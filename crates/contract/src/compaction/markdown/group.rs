//! Grouping sections under the headings they stand below.

use serde_json::Value;

use super::heading;
use super::replace::clamped_level;
use crate::compaction::Item;
use crate::json;

/// Groups items by the first `level` headings above them (1 when not given, at most 6), groups and items
/// in order of appearance. Items below no heading belong to the preamble.
pub fn group_by_heading_boundary(items: Vec<Item>, level: Option<i64>) -> Vec<(String, Vec<Item>)> {
    let level = clamped_level(level.unwrap_or(1));
    let mut groups: Vec<(String, Vec<Item>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for item in items {
        let path = json::list(&item.metadata, "heading_path").map_or(&[][..], Vec::as_slice);
        let key = heading::path_key(path.iter().take(level).filter_map(Value::as_str));
        let place = *places.entry(key).or_insert_with_key(|key| {
            groups.push((key.clone(), Vec::new()));
            groups.len() - 1
        });
        if let Some((_, members)) = groups.get_mut(place) {
            members.push(item);
        }
    }
    groups
}
