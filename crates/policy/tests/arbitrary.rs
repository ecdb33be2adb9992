//! Inputs for the properties: policies and tools of a small vocabulary, so that names meet, mixed with
//! values of the wrong kind.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use provost_contract::json::Object;
use serde_json::{Value, json};

pub(crate) const TOOLS: [&str; 5] = ["mail/read", "mail/send", "db/drop", "client/pick", "note"];
const CATEGORIES: [&str; 5] = ["read", "write", "destructive", "ui", "plumbing"];
const MODES: [&str; 6] = ["chat", "job", "allow", "deny", "block", ""];
const FRAGMENT_LISTS: [&str; 8] = [
    "tools",
    "categories",
    "allow_only",
    "deny",
    "mandatory_tools",
    "mandatory_categories",
    "runtime_tools",
    "runtime_categories",
];
const DECLARATION_KEYS: [&str; 13] = [
    "mode",
    "modes",
    "category",
    "categories",
    "ability_category",
    "ability_categories",
    "write",
    "mutating",
    "mandatory",
    "runtime_tool",
    "executor",
    "scope",
    "action_policy",
];
const CONTEXT_KEYS: [&str; 15] = [
    "mode",
    "categories",
    "allow_only",
    "deny",
    "runtime_tools",
    "runtime_categories",
    "allow_write_tools",
    "principal",
    "auth_source",
    "acting_user_id",
    "agent_slug",
    "agent_id",
    "workspace",
    "user_id",
    "action_policy",
];

const GATE_KEYS: [&str; 9] = [
    "id",
    "limited_tools",
    "limited_tool_names",
    "max_calls",
    "require_one_of",
    "require_tool_use",
    "min_tool_calls",
    "gate_calls",
    "gate_completion",
];

/// A name, a category, a mode, or one of the words that mean something somewhere.
fn word() -> impl Strategy<Value = Value> {
    let words = ["client", "run", "user", "system", "direct", "preview", "forbidden", "site", "7", " note "];
    let all: Vec<&str> = TOOLS.into_iter().chain(CATEGORIES).chain(MODES).chain(words).collect();
    prop::sample::select(all).prop_map(|word| json!(word))
}

/// Any JSON value, words more often than not.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        5 => word(),
        1 => Just(Value::Null),
        2 => any::<bool>().prop_map(Value::Bool),
        1 => any::<i64>().prop_map(|number| json!(number)),
        1 => ".{0,6}".prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let keys = prop::sample::select([TOOLS, CATEGORIES].concat());
        prop_oneof![
            3 => vec(inner.clone(), 0..4).prop_map(Value::Array),
            1 => btree_map(keys, inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn object_of(keys: &'static [&'static str]) -> impl Strategy<Value = Object> {
    vec((prop::sample::select(keys), value()), 0..6)
        .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A list of names that mean something, or anything at all.
fn names() -> impl Strategy<Value = Value> {
    let listed = vec(prop::sample::select([TOOLS, CATEGORIES].concat()), 0..4).prop_map(|names| json!(names));
    prop_oneof![4 => listed, 1 => value()]
}

/// A policy with about half of its lists set.
pub(crate) fn fragment() -> impl Strategy<Value = Object> {
    let lists = FRAGMENT_LISTS.map(|key| option::of(names()).prop_map(move |names| Some((key, names?))));
    let mode = option::of(prop::sample::select(MODES.to_vec()));
    let writes = option::of(any::<bool>());
    (Vec::from(lists), mode, writes).prop_map(|(lists, mode, writes)| {
        let mut policy: Object =
            lists.into_iter().flatten().map(|(key, names)| (key.to_owned(), names)).collect();
        policy.extend(mode.map(|mode| ("mode".to_owned(), json!(mode))));
        policy.extend(writes.map(|writes| ("allow_write_tools".to_owned(), json!(writes))));
        policy
    })
}

/// What a hook for action policies answered.
pub(crate) fn action_answer() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec!["direct", "preview", "forbidden"]).prop_map(|word| json!(word));
    prop_oneof![4 => words, 2 => Just(Value::Null), 1 => value()]
}

pub(crate) fn declaration() -> impl Strategy<Value = Object> {
    object_of(&DECLARATION_KEYS)
}

/// A rule of the call gate that has a chance to act.
pub(crate) fn gate_rule() -> impl Strategy<Value = Value> {
    (object_of(&GATE_KEYS), value(), value()).prop_map(|(mut rule, anchor, required)| {
        rule.entry("after_tool").or_insert(anchor);
        rule.entry("then_require_one_of").or_insert(required);
        Value::Object(rule)
    })
}

/// A runtime context with an agent's and a run's own tool policy.
pub(crate) fn context() -> impl Strategy<Value = Object> {
    let policies = (option::of(fragment()), option::of(fragment()));
    (object_of(&CONTEXT_KEYS), policies).prop_map(|(mut context, (agent, run))| {
        context.extend(agent.map(|policy| ("agent_config".to_owned(), json!({ "tool_policy": policy }))));
        context.extend(run.map(|policy| ("tool_policy".to_owned(), Value::Object(policy))));
        context
    })
}

pub(crate) fn tools() -> impl Strategy<Value = Object> {
    let declared = prop_oneof![6 => declaration().prop_map(Value::Object), 1 => value()];
    btree_map(prop::sample::select(TOOLS.to_vec()), declared, 0..5)
        .prop_map(|map| map.into_iter().map(|(name, declaration)| (name.to_owned(), declaration)).collect())
}

/// What providers answered: mostly policies, sometimes nothing, rarely nonsense.
pub(crate) fn answers() -> impl Strategy<Value = Vec<Value>> {
    vec(prop_oneof![6 => fragment().prop_map(Value::Object), 2 => Just(Value::Null), 1 => value()], 0..3)
}
