//! Journals of released versions: they must still be proven, read and folded to the same result.

use std::path::Path;

use provost_runtime::RunId;
use provost_runtime::engine::project::conversation_result;
use provost_runtime::engine::{Chain, Event, RunState, decode};
use provost_runtime::port::{Epoch, Record, Seq};
use serde_json::Value;

/// Reads a journal: a line a record, its body as the text that was hashed.
fn records(path: &Path) -> Vec<Record> {
    let text = std::fs::read_to_string(path).expect("a fixture is a file");
    text.lines().map(|line| record(&serde_json::from_str(line).expect("a line is JSON"))).collect()
}

fn record(line: &Value) -> Record {
    let number = |key: &str| line[key].as_u64().expect("a number");
    let text = |key: &str| line[key].as_str().expect("a text").to_owned();
    let hex = text("hash");
    let byte = |place: usize| u8::from_str_radix(&hex[2 * place..2 * place + 2], 16).expect("hex");
    Record {
        seq: Seq(number("seq")),
        at_ms: line["at_ms"].as_i64().expect("a time"),
        epoch: Epoch(number("epoch")),
        kind: text("kind").into(),
        version: u16::try_from(number("version")).expect("a version"),
        body: text("body").into_bytes().into(),
        hash: std::array::from_fn(byte),
    }
}

#[test]
fn journals_of_released_versions_still_fold_to_the_same_result() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("there are fixtures") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        let run: RunId =
            format!("run-{}", name.split_once('.').expect("version.name").1).parse().expect("a run");
        let records = records(&path);
        Chain::start(&run).verify(&run, &records).expect("nothing was changed");
        let events: Vec<Event> = records.iter().map(|record| decode(record).expect("it is known")).collect();
        let state = RunState::fold(&events).expect("it begins with a start");
        let result = conversation_result(&state).expect("it has a result");
        let kept = std::fs::read_to_string(path.with_extension("result.json")).expect("its result is kept");
        let kept: Value = serde_json::from_str(&kept).expect("it is JSON");
        assert_eq!(result, kept, "{name}");
        seen += 1;
    }
    assert!(seen >= 18, "{seen} journals");
}
