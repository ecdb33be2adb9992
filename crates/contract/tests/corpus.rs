//! JSON that is almost right: the inputs recorded for an area, changed in a few places.
//!
//! The changes speak the field names and words the area itself uses, so that both its refusals and what
//! lies behind them are reached. Runs are seeded and repeat exactly.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestError, TestRng, TestRunner};
use provost_contract::Result;
use provost_contract::json::{self, Object};
use serde_json::Value;

use crate::any_json::json_of;

const CASES: u32 = 256;
/// At least one input in so many must be accepted, or a property was hardly tried.
const ACCEPTED_ONE_IN: u32 = 8;
const CHANGES_MAX: usize = 4;

/// What was recorded for an area.
pub(crate) struct Corpus {
    inputs: Vec<Object>,
    names: Vec<String>,
    words: Vec<String>,
}

impl Corpus {
    /// Reads the vectors of an area.
    pub(crate) fn of(area: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../conformance/{area}.json"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let Ok(Value::Object(vectors)) = json::parse_text(&text) else { panic!("{area}: no vectors") };
        let cases = json::list(&vectors, "cases").into_iter().flatten();
        let inputs: Vec<Object> = cases.filter_map(|case| case.get("input")?.as_object().cloned()).collect();
        let (mut names, mut words) = (BTreeSet::new(), BTreeSet::new());
        inputs.iter().for_each(|input| learn_members(input, &mut names, &mut words));
        Self { inputs, names: names.into_iter().collect(), words: words.into_iter().collect() }
    }

    /// Any JSON, in the names and words of the area.
    pub(crate) fn json(&self) -> BoxedStrategy<Value> {
        let texts = known_or(&self.words, "[ a-zA-Z0-9_./:é-]{0,6}");
        json_of(known_or(&self.names, "[a-z_]{0,4}"), texts).boxed()
    }

    /// What was recorded under `key`, as it is or changed in a few places, and now and then any JSON.
    pub(crate) fn near(&self, key: &str) -> BoxedStrategy<Value> {
        self.near_each(self.inputs.iter().filter_map(|input| input.get(key).cloned()).collect())
    }

    /// The recorded inputs as a whole, where an operation takes all of one.
    pub(crate) fn near_whole(&self) -> BoxedStrategy<Value> {
        self.near_each(self.inputs.iter().cloned().map(Value::Object).collect())
    }

    fn near_each(&self, recorded: Vec<Value>) -> BoxedStrategy<Value> {
        assert!(!recorded.is_empty(), "nothing was recorded");
        let changes = vec((any::<Index>(), self.change()), 0..=CHANGES_MAX);
        let changed = (select(recorded), changes).prop_map(|(mut value, changes)| {
            changes.into_iter().for_each(|(place, change)| change.apply(&mut value, place));
            value
        });
        prop_oneof![7 => changed, 1 => self.json()].boxed()
    }

    fn change(&self) -> impl Strategy<Value = Change> + use<> {
        let names = known_or(&self.names, "[a-z_]{0,4}");
        prop_oneof![
            self.json().prop_map(Change::Replace),
            Just(Change::Remove),
            (names, self.json()).prop_map(|(name, value)| Change::Add(name, value)),
        ]
    }
}

/// One change to one place of a value.
#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    Remove,
    Add(String, Value),
}

impl Change {
    fn apply(self, root: &mut Value, place: Index) {
        let mut pointers = Vec::new();
        collect_pointers(root, String::new(), &mut pointers);
        let pointer = place.get(&pointers);
        match self {
            Self::Replace(value) => {
                if let Some(node) = root.pointer_mut(pointer) {
                    *node = value;
                }
            }
            Self::Remove => remove(root, pointer),
            Self::Add(name, value) => match root.pointer_mut(pointer) {
                Some(Value::Object(map)) => drop(map.insert(name, value)),
                Some(Value::Array(items)) => items.push(value),
                Some(_) | None => {}
            },
        }
    }
}

/// Tries a property on many inputs; the smallest one that breaks it is reported.
pub(crate) fn check<T: std::fmt::Debug>(
    inputs: &impl Strategy<Value = T>,
    property: impl Fn(T) -> TestCaseResult,
) {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    match runner.run(inputs, property) {
        Ok(()) => {}
        Err(TestError::Fail(why, input)) => panic!("{why}\non {input:#?}"),
        Err(TestError::Abort(why)) => panic!("gave up: {why}"),
    }
}

/// What is accepted passes again unchanged. Fails too when hardly anything was accepted.
pub(crate) fn normalising_twice_changes_nothing(
    inputs: &impl Strategy<Value = Value>,
    normalise: impl Fn(&Value) -> Result<Value>,
) {
    let accepted = Cell::new(0);
    check(inputs, |input| {
        let Ok(once) = normalise(&input) else { return Ok(()) };
        accepted.set(accepted.get() + 1);
        prop_assert_eq!(normalise(&once), Ok(once));
        Ok(())
    });
    assert!(accepted.get() * ACCEPTED_ONE_IN >= CASES, "only {} of {CASES} were accepted", accepted.get());
}

fn known_or(known: &[String], other: &'static str) -> BoxedStrategy<String> {
    if known.is_empty() {
        return other.boxed();
    }
    prop_oneof![6 => select(known.to_vec()), 1 => other].boxed()
}

fn learn(value: &Value, names: &mut BTreeSet<String>, words: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => learn_members(map, names, words),
        Value::Array(items) => items.iter().for_each(|item| learn(item, names, words)),
        Value::String(text) => drop(words.insert(text.clone())),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn learn_members(map: &Object, names: &mut BTreeSet<String>, words: &mut BTreeSet<String>) {
    for (name, value) in map {
        names.insert(name.clone());
        learn(value, names, words);
    }
}

/// The JSON pointer of every node, the root first.
fn collect_pointers(node: &Value, pointer: String, pointers: &mut Vec<String>) {
    let child = |step: &str| format!("{pointer}/{}", step.replace('~', "~0").replace('/', "~1"));
    match node {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| collect_pointers(value, child(key), pointers));
        }
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            numbered.for_each(|(index, item)| collect_pointers(item, child(&index.to_string()), pointers));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    pointers.push(pointer);
}

fn remove(root: &mut Value, pointer: &str) {
    let Some((parent, step)) = pointer.rsplit_once('/') else { return };
    match root.pointer_mut(parent) {
        Some(Value::Object(map)) => drop(map.shift_remove(&step.replace("~1", "/").replace("~0", "~"))),
        Some(Value::Array(items)) => {
            if let Some(index) = step.parse().ok().filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        Some(_) | None => {}
    }
}
