//! Whether a recovered play shows what an undisturbed one does.

use std::collections::BTreeMap;

use provost_engine::event::EndedBy;

use super::play::Played;
use super::scenario::{Exactness, Scenario};
use super::seen::{End, RunSeen, Seen};

/// Says how a recovered play differs from the undisturbed one, in ways it must not.
pub(super) fn differences(scenario: &Scenario, whole: &Seen, cut: &Played) -> Vec<String> {
    let mut found = cut.seen.problems.clone();
    found.extend(statuses(scenario, whole, &cut.seen));
    found.extend(twice(&cut.seen.effects));
    found.extend(half(&whole.effects, &cut.seen.effects));
    for (run, asked) in &cut.seen.asked {
        let undisturbed = whole.asked.get(run).copied().unwrap_or_default();
        if *asked > undisturbed + cut.lost {
            found.push(format!(
                "{run}: the model was asked {asked} times, undisturbed {undisturbed}, and {} workers were lost",
                cut.lost
            ));
        }
    }
    match scenario.exactness {
        Exactness::Everything => {
            found.extend(actions(&whole.runs, &cut.seen.runs));
            if whole.effects != cut.seen.effects {
                found
                    .push(format!("the effects are {:?}, undisturbed {:?}", cut.seen.effects, whole.effects));
            }
        }
        Exactness::End => {
            let foreign = cut.seen.effects.iter().find(|effect| !whole.effects.contains(effect));
            found.extend(foreign.map(|effect| format!("{effect:?} took place")));
        }
    }
    found
}

fn statuses(scenario: &Scenario, whole: &Seen, cut: &Seen) -> Vec<String> {
    let mut found = Vec::new();
    for (run, undisturbed) in &whole.runs {
        let status = cut.runs.get(run).map(|run| run.status.as_str());
        let asked = scenario.asks.iter().any(|ask| ask.run == run);
        let expected = if asked { scenario.ends } else { undisturbed.status.as_str() };
        if status != Some(expected) {
            found.push(format!("{run} ends {status:?}, not {expected}"));
        }
    }
    found.extend(
        cut.runs.keys().filter(|run| !whole.runs.contains_key(*run)).map(|run| format!("{run} exists")),
    );
    found
}

/// No effect takes place twice under one key, whatever happened.
fn twice(effects: &[(String, String)]) -> Option<String> {
    effects.windows(2).find_map(|pair| match pair {
        [first, second] if first == second => Some(format!("{} took effect twice as {}", first.0, first.1)),
        _ => None,
    })
}

/// A change set of which something is there is there as a whole: its paths share a key.
fn half(whole: &[(String, String)], cut: &[(String, String)]) -> Option<String> {
    let begun: Vec<&str> = cut.iter().filter_map(|(_, key)| Some(key.split_once(' ')?.0)).collect();
    let missing = whole.iter().find(|(_, key)| {
        key.split_once(' ').is_some_and(|(set, _)| begun.contains(&set))
            && !cut.iter().any(|(_, present)| present == key)
    });
    missing.map(|(path, _)| format!("a change set was left half applied: {path} is missing"))
}

fn actions(whole: &BTreeMap<String, RunSeen>, cut: &BTreeMap<String, RunSeen>) -> Vec<String> {
    let mut found = Vec::new();
    for (run, undisturbed) in whole {
        let Some(recovered) = cut.get(run) else { continue };
        for (action, end) in &undisturbed.actions {
            match recovered.actions.get(action) {
                None => found.push(format!("{run}: {action} has no end")),
                Some(other) if !same(end, other) => {
                    found.push(format!("{run}: {action} ended {other:?}, undisturbed {end:?}"));
                }
                Some(_) => {}
            }
        }
        if recovered.actions.len() != undisturbed.actions.len() {
            found.push(format!("{run} has {} actions", recovered.actions.len()));
        }
    }
    found
}

/// A result that a person attested names that person; nothing else may differ.
fn same(whole: &End, cut: &End) -> bool {
    let attested = whole.by == EndedBy::Attested || cut.by == EndedBy::Attested;
    whole.operation == cut.operation && whole.status == cut.status && (attested || whole.result == cut.result)
}
