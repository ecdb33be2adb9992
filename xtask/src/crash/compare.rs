//! Whether a recovered run shows what an undisturbed one does.

use serde_json::Value;

use super::play::Played;
use super::scenario::{Exactness, Recall, Scenario};
use super::seen::Seen;
use crate::conformance;

/// Says how a recovered play differs from the undisturbed one, in ways it must not.
pub(super) fn differences(scenario: &Scenario, whole: &Played, cut: &Played) -> Vec<String> {
    let mut found = effects_twice(&cut.seen);
    if cut.seen.status != scenario.ends {
        found.push(format!("it ends {}, not {}", cut.seen.status, scenario.ends));
    }
    if cut.seen.asked > whole.seen.asked + cut.lost {
        found.push(format!(
            "the model was asked {} times, undisturbed {}, and {} processes were lost",
            cut.seen.asked, whole.seen.asked, cut.lost
        ));
    }
    match scenario.exactness {
        Exactness::Everything => found.extend(views(scenario.recall, &whole.seen, &cut.seen)),
        Exactness::End => {
            let known = |effect: &&(String, String)| !whole.seen.effects.contains(effect);
            found.extend(cut.seen.effects.iter().find(known).map(|effect| format!("{effect:?} took place")));
        }
    }
    found
}

/// No effect takes place twice under one key, whatever happened.
fn effects_twice(seen: &Seen) -> Vec<String> {
    let twice = seen.effects.windows(2).filter_map(|pair| match pair {
        [(tool, key), next] if (tool, key) == (&next.0, &next.1) => {
            Some(format!("{tool} took effect twice as {key}"))
        }
        _ => None,
    });
    twice.collect()
}

fn views(recall: Recall, whole: &Seen, cut: &Seen) -> Vec<String> {
    let views = [
        ("result", &whole.result, &cut.result),
        ("row", &whole.row, &cut.row),
        ("transcript", &whole.transcript, &cut.transcript),
        ("remembered", &whole.remembered, &cut.remembered),
    ];
    let mut found: Vec<String> = Vec::new();
    for (view, expected, actual) in views {
        let differences = match recall {
            Recall::Remembers => conformance::between(expected, actual),
            Recall::Forgets => conformance::between(&without_witness(expected), &without_witness(actual)),
        };
        found.extend(differences.into_iter().map(|difference| format!("{view}{difference}")));
    }
    if whole.effects != cut.effects {
        found.push(format!("the effects are {:?}, undisturbed {:?}", cut.effects, whole.effects));
    }
    found
}

/// A result that a person told names that person, and so its hash is another; nothing else may differ.
fn without_witness(view: &Value) -> Value {
    match view {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "approval" | "result_sha256"))
            .map(|(key, value)| (key.clone(), without_witness(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_witness).collect(),
        scalar => scalar.clone(),
    }
}
