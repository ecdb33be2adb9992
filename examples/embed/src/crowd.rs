//! 200 runs at once.

use std::path::Path;

use provost::{RunStatus, Script};
use serde_json::json;

use crate::{Shown, desk};

const RUNS: usize = 200;

pub(crate) async fn show(database: &Path) -> Shown {
    let model = Script::new().call("hotel/free", json!({ "night": "friday" })).say("Three.");
    let runtime = desk::runtime(model, database)?;
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(runtime.start("How many beds are free?").await?);
    }
    for run in runs {
        let outcome = run.outcome().await?;
        assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Three."));
    }
    println!("{RUNS} runs at once");
    Ok(())
}
