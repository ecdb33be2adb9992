//! Random graphs: any shape, any policy.

use fastrand::Rng;
use provost_contract::Action;
use provost_contract::action::Idempotency;
use provost_contract::policies::{CancellationPolicy, ConflictResolution};
use provost_protocol::schedule::Rules;
use serde_json::{Value, json};

/// An action and its rules, as both the scheduler and the model read them.
pub(super) struct Given {
    pub(super) action: Action,
    pub(super) rules: Rules,
    /// Positions of its dependencies.
    pub(super) dependencies: Vec<usize>,
}

/// Mostly small graphs, where shrinking by eye is possible; sometimes the largest.
pub(super) fn size(rng: &mut Rng) -> usize {
    match rng.u8(0..40) {
        0..28 => rng.usize(1..12),
        28..39 => rng.usize(12..40),
        _ => rng.usize(40..=300),
    }
}

/// Actions in random declaration order, so that dependencies stand before and after their dependents.
pub(super) fn graph(rng: &mut Rng, size: usize) -> Vec<Given> {
    let mut places: Vec<usize> = (0..size).collect();
    if rng.bool() {
        rng.shuffle(&mut places);
    }
    let plain = rng.u8(0..4) == 0;
    let mut given: Vec<(usize, Given)> = (0..size)
        .map(|rank| {
            let mut dependencies: Vec<usize> =
                (0..rng.usize(0..4).min(rank)).map(|_| places[rng.usize(0..rank)]).collect();
            dependencies.sort_unstable();
            dependencies.dedup();
            let mut wire = json!({ "id": name(places[rank]), "depends_on": names(&dependencies) });
            if !plain {
                decorate(rng, &mut wire, &dependencies);
            }
            let action = Action::parse(&wire).unwrap();
            (places[rank], Given { action, rules: rules(rng, plain), dependencies })
        })
        .collect();
    given.sort_by_key(|(place, _)| *place);
    given.into_iter().map(|(_, given)| given).collect()
}

fn decorate(rng: &mut Rng, wire: &mut Value, dependencies: &[usize]) {
    if let Some(dependency) = rng.choice(dependencies).filter(|_| rng.u8(0..4) == 0) {
        let status = rng.choice(["completed", "failed", "blocked"]);
        wire["when"] = json!([{ "action": name(*dependency), "status": status }]);
    }
    if rng.u8(0..6) == 0 {
        let mut repeat = json!({ "max": rng.u8(1..4) });
        if rng.bool() {
            repeat["until"] = json!({ "field": "/done", "equals": true });
        }
        wire["repeat"] = repeat;
    }
    if rng.u8(0..3) == 0 {
        let resource = |rng: &mut Rng| json!({ "ref": format!("file:{}", rng.u8(0..4)), "access": rng.choice(["read", "write"]) });
        wire["resources"] = (0..rng.u8(1..4)).map(|_| resource(rng)).collect();
    }
    wire["failure_policy"] = match rng.u8(0..12) {
        0 => json!("abort"),
        1..4 => json!("continue"),
        4..7 => json!({ "on_failure": "retry", "max_attempts": rng.u8(1..4) }),
        _ => json!("ask_model"),
    };
}

fn rules(rng: &mut Rng, plain: bool) -> Rules {
    let mut pick = |count: usize| if plain { 0 } else { rng.usize(0..count) };
    Rules {
        idempotency: [Idempotency::Pure, Idempotency::Keyed, Idempotency::None][pick(3)],
        conflicts: [
            ConflictResolution::Serialise,
            ConflictResolution::Serialise,
            ConflictResolution::LastWriter,
        ][pick(3)],
        on_cancel: [
            CancellationPolicy::LetFinish,
            CancellationPolicy::Stop,
            CancellationPolicy::StopAndMarkInDoubt,
        ][pick(3)],
        retries_max: if pick(4) == 3 { Some(0) } else { None },
    }
}

fn name(at: usize) -> String {
    format!("n{at}")
}

fn names(positions: &[usize]) -> Vec<String> {
    positions.iter().map(|at| name(*at)).collect()
}
