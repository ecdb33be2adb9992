//! The two engines beside each other: on the same input, both must give the same answer.

use fastrand::Rng;
use serde_json::Value;

use super::scripted::choose;
use super::{Engine, Options, areas, between, vectors};
use crate::Failure;
use crate::fuzz::mutate::mutate;

/// The areas whose operations are whole runs.
pub(crate) const WHOLE_RUNS: [&str; 2] = ["conversation-loop", "tool-mediation"];
/// How many differences are printed.
const SHOWN_MAX: usize = 40;

/// Plays every case and its mutations on both engines, and fails when an answer differs.
pub(super) fn run(options: &Options, mutations: u64) -> Result<(), Failure> {
    let (mut played, mut different) = (0_usize, 0_usize);
    for file in vectors::load(&[crate::workspace_root().join("conformance")])? {
        let wanted = options.area.as_ref().is_none_or(|area| *area == file.area);
        if !wanted || !WHOLE_RUNS.contains(&file.area.as_str()) {
            continue;
        }
        let Some(area) = areas::find(&file.area) else { continue };
        for (number, case) in (0_u64..).zip(&file.cases) {
            if options.case.as_ref().is_some_and(|name| *name != case.name) {
                continue;
            }
            let mut rng = Rng::with_seed(number);
            for mutation in 0..=mutations {
                let donor = rng.choice(&file.cases).unwrap_or(case);
                let input = match mutation {
                    0 => case.input.clone(),
                    _ => mutate(&case.input, &donor.input, &mut rng),
                };
                let differences = differences(|| (area.run)(&case.op, &input));
                played += 1;
                if differences.is_empty() {
                    continue;
                }
                different += 1;
                if different <= SHOWN_MAX {
                    println!("DIFF {} / {} mutation {mutation}", file.area, case.name);
                    println!("     input {input}");
                    differences.iter().for_each(|difference| println!("     {difference}"));
                }
            }
        }
    }
    println!("{played} played on both engines, {different} different");
    if different > 0 { Err(format!("{different} answers differ").into()) } else { Ok(()) }
}

fn differences(play: impl Fn() -> Result<Value, Value>) -> Vec<String> {
    choose(Engine::First);
    let first = play();
    choose(Engine::Second);
    let second = play();
    choose(Engine::First);
    match (first, second) {
        // The first engine cannot write every record that it makes; the second one has no such case.
        (Err(first), _) if first.get("code") == Some(&"replay_differs".into()) => Vec::new(),
        // Sessions of the second engine have names without spaces.
        (_, Err(second)) if second.pointer("/fields/0") == Some(&"session_id".into()) => Vec::new(),
        (Ok(first), Ok(second)) | (Err(first), Err(second)) => {
            let mut found = between(&first, &second);
            // The second engine counts turns in 32 bits.
            found.retain(|difference| !difference.contains("expected 9223372036854775807, got 4294967295"));
            found
        }
        (Ok(first), Err(second)) => vec![format!("first {first}"), format!("second failed: {second}")],
        (Err(first), Ok(second)) => vec![format!("first failed: {first}"), format!("second {second}")],
    }
}
