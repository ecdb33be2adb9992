//! The last pass over an input: nothing in it that Responses would refuse for its neighbours.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::encode::Line;
use super::items::{calls, id_refusal, item_type, outputs, reasoning_alone, reasoning_refusal};
use crate::provider::encoded::Losses;
use crate::provider::pairs::Half;

/// Drops or trims what would be refused, and reports it. Returns the ids of the items; `used` are those of the
/// items before them.
pub(super) fn clean(lines: &mut Vec<Line>, used: &HashSet<String>, losses: &mut Losses) -> HashSet<String> {
    let ids = check_ids(lines, used, losses);
    drop_lonely(lines, losses);
    drop_reasoning_alone(lines, losses);
    ids
}

/// Whether an item goes out word for word and is half of a pair: its other half may follow later.
pub(super) fn waits_for_output(line: &Line) -> bool {
    let kind = item_type(&line.value);
    line.verbatim && (kind.ends_with("_call") || kind.ends_with("_call_output"))
}

/// Takes away item ids the provider would refuse, or drops the item where the id is all it is known by.
fn check_ids(lines: &mut Vec<Line>, used: &HashSet<String>, losses: &mut Losses) -> HashSet<String> {
    let mut seen: HashSet<String> = HashSet::new();
    lines.retain_mut(|line| {
        let id = line.value.get("id").and_then(Value::as_str).map(str::to_owned);
        let twice = id.is_some_and(|id| !id.is_empty() && (used.contains(&id) || !seen.insert(id)));
        let refusal = id_refusal(&line.value).or_else(|| reasoning_refusal(&line.value));
        let why =
            if twice { Some("another item has the same id".to_owned()) } else { refusal.map(|(_, why)| why) };
        let Some(why) = why else { return true };
        if line.verbatim {
            losses.note(line.index, format!("{} item", item_type(&line.value)), why);
            return false;
        }
        losses.note(line.index, "item id", why);
        if let Some(item) = line.value.as_object_mut() {
            item.remove("id");
        }
        true
    });
    seen
}

/// Drops verbatim calls without their output, and outputs without their call.
fn drop_lonely(lines: &mut Vec<Line>, losses: &mut Losses) {
    let numbered = || lines.iter().enumerate().map(|(position, line)| (position, &line.value));
    let (calls, outputs) = (calls(numbered()), outputs(numbered()));
    let first: HashMap<&str, usize> = calls.iter().rev().map(|call| (call.id, call.index)).collect();
    let last: HashMap<&str, usize> = outputs.iter().map(|output| (output.id, output.index)).collect();
    // Only the first call of an id and the last output of it, behind that call, are a pair.
    let paired = |half: &&Half<'_>| match (first.get(half.id), last.get(half.id)) {
        (Some(call), Some(output)) => call < output && (*call == half.index || *output == half.index),
        (Some(_) | None, None) | (None, Some(_)) => false,
    };
    let halves = calls.iter().chain(&outputs);
    let lonely: HashSet<usize> = halves.filter(|half| !paired(half)).map(|half| half.index).collect();
    retain(
        lines,
        |position, line| !(line.verbatim && lonely.contains(&position)),
        |line| losses.note(line.index, format!("{} item", item_type(&line.value)), "its partner is missing"),
    );
}

fn drop_reasoning_alone(lines: &mut Vec<Line>, losses: &mut Losses) {
    let alone = reasoning_alone(lines.iter().map(|line| &line.value));
    retain(
        lines,
        |position, _| !alone.contains(&position),
        |line| {
            losses.note(
                line.index,
                "reasoning item",
                "the item it led to is missing, and Responses refuse that",
            );
        },
    );
}

/// Keeps some lines by position and tells of the others.
fn retain(lines: &mut Vec<Line>, keep: impl Fn(usize, &Line) -> bool, mut dropped: impl FnMut(&Line)) {
    let mut position = 0;
    lines.retain(|line| {
        let kept = keep(position, line);
        position += 1;
        if !kept {
            dropped(line);
        }
        kept
    });
}
