//! Another process follows a run, from the middle of it.

use std::path::{Path, PathBuf};

use provost::{EventKind, RunId, Script, Seq};
use serde_json::json;
use tokio::process::Command;

use crate::{Shown, desk};

pub(crate) async fn show(database: &Path) -> Shown {
    let model = Script::new().call("hotel/free", json!({ "night": "friday" })).say("Three.");
    let runtime = desk::runtime(model, database)?;
    let run = runtime.start("How many beds?").await?;
    let mut here = Vec::new();
    let mut events = run.events().await?;
    // The stream ends with the run.
    while let Some(event) = events.next_event().await {
        here.push(format!("{} {}", event.event.seq.0, event.event.kind.name()));
    }
    let program = std::env::current_exe()?;
    let other = Command::new(program).arg("follow").arg(database).arg(run.run().as_str()).output().await?;
    assert!(other.status.success(), "{}", String::from_utf8_lossy(&other.stderr));
    let there: Vec<String> = String::from_utf8(other.stdout)?.lines().map(str::to_owned).collect();
    assert_eq!(there, here[2..], "the same events, behind the second one");
    println!("another process followed {} events", there.len());
    Ok(())
}

/// What the other process does: it prints the events of a run behind the second one.
pub(crate) async fn follow(database: PathBuf, run: &str) -> Shown {
    let runtime = desk::runtime(Script::new(), &database)?;
    let run: RunId = run.parse()?;
    let mut events = runtime.events(&run, Seq(2)).await?;
    let mut ended = false;
    while let Some(event) = events.next_event().await {
        println!("{} {}", event.event.seq.0, event.event.kind.name());
        ended = matches!(event.event.kind, EventKind::RunEnded(_));
    }
    assert!(ended, "the run is over");
    Ok(())
}
