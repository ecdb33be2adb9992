//! Small changes to JSON: the kind of input that is almost right.

use fastrand::Rng;
use serde_json::{Value, json};

/// How many changes one mutant carries at most.
const CHANGES_MAX: usize = 4;
/// Characters that mean something to some parser.
const ODD_CHARACTERS: &str = "\0 \n\t`~#*<>/\\\"'{}[]:.,-_$é\u{301}🌱\u{202e}0a";

/// Changes a few places of `input`; some of what it grafts comes from `donor`.
pub(crate) fn mutate(input: &Value, donor: &Value, rng: &mut Rng) -> Value {
    let mut mutant = input.clone();
    for _ in 0..rng.usize(1..=CHANGES_MAX) {
        let graft = if rng.u8(0..3) == 0 { some_node(donor, rng).clone() } else { odd_value(rng) };
        change(&mut mutant, graft, rng);
    }
    mutant
}

/// Walks to a random node and changes it: replaced, removed, or given a neighbour.
fn change(node: &mut Value, graft: Value, rng: &mut Rng) {
    let descend = rng.u8(0..4) != 0;
    match node {
        Value::Object(map) if descend && !map.is_empty() => {
            let index = rng.usize(0..map.len());
            let Some(key) = map.keys().nth(index).cloned() else { return };
            if rng.u8(0..8) == 0 {
                map.shift_remove(&key);
            } else if let Some(child) = map.get_mut(&key) {
                change(child, graft, rng);
            }
        }
        Value::Array(items) if descend && !items.is_empty() => {
            let index = rng.usize(0..items.len());
            match rng.u8(0..8) {
                0 => drop(items.remove(index)),
                1 => items.insert(index, graft),
                _ => items.get_mut(index).into_iter().for_each(|child| change(child, graft.clone(), rng)),
            }
        }
        Value::String(text) if descend => *text = changed_text(text, rng),
        _ => *node = graft,
    }
}

fn changed_text(text: &str, rng: &mut Rng) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let at = rng.usize(0..=characters.len());
    match rng.u8(0..4) {
        0 => characters.truncate(at),
        1 => characters.extend_from_within(..at),
        _ => characters.insert(at, odd_character(rng)),
    }
    characters.into_iter().collect()
}

fn odd_character(rng: &mut Rng) -> char {
    let index = rng.usize(0..ODD_CHARACTERS.chars().count());
    ODD_CHARACTERS.chars().nth(index).unwrap_or(' ')
}

fn odd_value(rng: &mut Rng) -> Value {
    match rng.u8(0..16) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(false),
        3 => json!(0),
        4 => json!(-1),
        5 => json!(u64::MAX),
        6 => json!(i64::MIN),
        7 => json!(1.5),
        8 => json!(f64::MAX),
        9 => json!(""),
        10 => json!("  "),
        11 => json!([]),
        12 => json!({}),
        13 => json!([null, {}, [[]]]),
        14 => json!({ "": { "type": "object", "required": [1, ""] } }),
        _ => json!("x".repeat(rng.usize(0..300))),
    }
}

fn some_node<'a>(value: &'a Value, rng: &mut Rng) -> &'a Value {
    let child = match value {
        Value::Object(map) if !map.is_empty() => map.values().nth(rng.usize(0..map.len())),
        Value::Array(items) if !items.is_empty() => items.get(rng.usize(0..items.len())),
        _ => None,
    };
    match child {
        Some(child) if rng.u8(0..3) != 0 => some_node(child, rng),
        _ => value,
    }
}
