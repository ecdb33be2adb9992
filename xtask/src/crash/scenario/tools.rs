//! The tools of every scenario, one of each kind.

use serde_json::{Value, json};

/// What carrying out a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Read,
    /// Something, once a key.
    Keyed,
    /// Something, every time.
    Once,
}

/// Name, effect, and what the declaration says of it.
const TOOLS: &[(&str, Effect, &str, &str)] = &[
    ("garden/look", Effect::Read, "read", "pure"),
    ("garden/smell", Effect::Read, "read", "pure"),
    ("garden/note", Effect::Keyed, "write", "keyed"),
    ("garden/water", Effect::Once, "write", "none"),
    ("garden/plant", Effect::Once, "write", "none"),
    ("garden/propose", Effect::Read, "read", "pure"),
    ("garden/measure", Effect::Read, "read", "none"),
];

/// What a tool of a scenario does. One nobody declared is never carried out.
pub(crate) fn effect_of(tool: &str) -> Effect {
    TOOLS.iter().find(|(name, ..)| *name == tool).map_or(Effect::Once, |(_, effect, ..)| *effect)
}

/// The names of all.
pub(super) fn names() -> Vec<&'static str> {
    TOOLS.iter().map(|(name, ..)| *name).collect()
}

/// The declarations a run is given.
pub(super) fn declarations() -> Value {
    TOOLS
        .iter()
        .map(|(name, _, side_effects, idempotency)| declaration(name, side_effects, idempotency))
        .collect()
}

fn declaration(name: &str, side_effects: &str, idempotency: &str) -> Value {
    json!({
        "name": name,
        "source": "garden",
        "description": format!("Does what {name} says."),
        "parameters": { "type": "object", "properties": { "bed": { "type": "integer" } } },
        "side_effects": [side_effects],
        "idempotency": idempotency,
    })
}
