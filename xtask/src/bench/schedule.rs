//! The scheduler by itself: how fast it says what to start, when every action takes no time.
//!
//! The shapes are those of W3: one action, two hundred side by side, one that gathers them; and a
//! thousand actions in twenty layers, each with one to three parents in the layer before. A third one
//! adds what makes scheduling hard: a few resources that everybody reads or writes.

use std::collections::VecDeque;
use std::sync::Arc;

use fastrand::Rng;
use provost_contract::Action;
use provost_protocol::Strategy;
use provost_protocol::schedule::{
    CheckedGraph, Ending, Event, Goal, GraphStatus, Limits, Schedule, ScheduledAction,
};
use serde_json::{Value, json};

use super::measure::{Measurement, timed};
use crate::Failure;

const WORKLOAD: &str = "schedule";
const RUNS: usize = 7;
/// A run is short, so several are timed together.
const REPEATS: usize = 50;
const MAX_PARALLEL: usize = 64;

/// Runs every shape.
pub(super) fn run() -> Result<Vec<Measurement>, Failure> {
    let mut measurements = Vec::new();
    for (variant, wires) in [
        ("fan_out_200", fan_out(200)),
        ("layers_20x50", layers(None)),
        ("layers_20x50_resources", layers(Some(8))),
    ] {
        measurements.extend(measure(variant, &wires)?);
    }
    Ok(measurements)
}

fn measure(variant: &str, wires: &[Value]) -> Result<[Measurement; 2], Failure> {
    let actions: Vec<Action> = wires.iter().map(Action::parse).collect::<Result<_, _>>()?;
    let actions: Vec<ScheduledAction<'_>> = actions.iter().map(ScheduledAction::from).collect();
    let (mut graphs, mut runs) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let (graph, seconds) = timed(|| build(&actions));
        let graph = Arc::new(graph?);
        graphs.push(per_second(1, wires.len(), seconds));
        let (outcome, seconds) = timed(|| (0..REPEATS).try_for_each(|_| complete(&graph)));
        outcome?;
        runs.push(per_second(REPEATS, wires.len(), seconds));
    }
    let of = |metric, runs| Measurement {
        workload: WORKLOAD,
        params: json!({ "variant": variant, "n": wires.len() }),
        metric,
        unit: "nodes/s",
        runs,
    };
    Ok([of("check", graphs), of("run", runs)])
}

fn build(actions: &[ScheduledAction<'_>]) -> Result<CheckedGraph, Failure> {
    CheckedGraph::build(actions, |_| false).map_err(|faults| format!("the graph is wrong: {faults:?}").into())
}

/// Event by event, as an engine drives it: start what is ready, end what runs, until nothing is left.
fn complete(graph: &Arc<CheckedGraph>) -> Result<(), Failure> {
    let mut schedule = Schedule::new(Arc::clone(graph), Limits::new(MAX_PARALLEL, Strategy::Dag)?);
    let mut running = VecDeque::new();
    loop {
        let ready: Vec<usize> = schedule.ready().map(|start| start.at).collect();
        for at in ready {
            schedule.apply(Event::Started(at))?;
            running.push_back(at);
        }
        let Some(at) = running.pop_front() else { break };
        schedule.apply(Event::Ended(at, Ending::Completed(Goal::Reached)))?;
    }
    match (schedule.is_over(), schedule.graph_status()) {
        (true, GraphStatus::Completed) => Ok(()),
        (_, status) => Err(format!("the run ended as {}", <&str>::from(status)).into()),
    }
}

fn per_second(repeats: usize, nodes: usize, seconds: f64) -> f64 {
    (repeats * nodes) as f64 / seconds
}

fn fan_out(width: usize) -> Vec<Value> {
    let middle: Vec<String> = (0..width).map(|number| format!("m{number}")).collect();
    let mut wires = vec![json!({ "id": "first" })];
    wires.extend(middle.iter().map(|id| json!({ "id": id, "depends_on": ["first"] })));
    wires.push(json!({ "id": "last", "depends_on": middle }));
    wires
}

/// Twenty layers of fifty; with resources, every action reads or writes one of so many files.
fn layers(files: Option<u32>) -> Vec<Value> {
    let mut rng = Rng::with_seed(7);
    let name = |layer: usize, place: usize| format!("n{layer}_{place}");
    let mut wires = Vec::new();
    for layer in 0..20_usize {
        for place in 0..50 {
            let parents = if layer == 0 { 0 } else { rng.usize(1..=3) };
            let mut places = rng.choose_multiple(0..50, parents);
            places.sort_unstable();
            let parents: Vec<String> = places.iter().map(|parent| name(layer - 1, *parent)).collect();
            let mut wire = json!({ "id": name(layer, place), "depends_on": parents });
            if let (Some(files), Some(fields)) = (files, wire.as_object_mut()) {
                let access = if rng.u8(0..4) == 0 { "write" } else { "read" };
                let file = format!("file:{}", rng.u32(0..files));
                fields.insert("resources".into(), json!([{ "ref": file, "access": access }]));
            }
            wires.push(wire);
        }
    }
    wires
}
