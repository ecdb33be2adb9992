//! A tool that asks first, and a tool that a client executes.

use std::path::Path;

use provost::{ClientResult, Decision, RunStatus, Script};
use serde_json::json;

use crate::{Shown, desk};

pub(crate) async fn show(database: &Path) -> Shown {
    let model = Script::new()
        .call("hotel/free", json!({ "night": "friday" }))
        .call("client/confirm", json!({ "night": "friday" }))
        .call("hotel/book", json!({ "night": "friday", "beds": 2 }))
        .say("Two beds are yours.");
    let runtime = desk::runtime(model, database)?;
    let run = runtime.start("Two beds for friday, please.").await?;

    // The run waits for the guest's browser, …
    assert_eq!(run.outcome().await?.status, RunStatus::Waiting);
    let request = runtime.client_requests().await?.remove(0);
    assert_eq!((request.tool.as_str(), &request.arguments["night"]), ("client/confirm", &json!("friday")));
    let run = runtime.submit(&request.wait.to_string(), ClientResult::ok("yes")).await?;

    // … and then for a person, who sees what would happen.
    assert!(run.outcome().await?.is_waiting());
    let pending = runtime.pending().await?.remove(0);
    assert_eq!(pending.preview, json!("books 2 beds for friday"));
    let run = runtime.decide(&pending.wait.to_string(), Decision::approve("user:grace")).await?;

    let outcome = run.outcome().await?;
    assert_eq!((outcome.status, outcome.text()), (RunStatus::Completed, "Two beds are yours."));
    let results = outcome.result["tool_execution_results"].as_array().map(Vec::len);
    assert_eq!(results, Some(3));
    println!("an approval and a client tool: {}", outcome.text());
    Ok(())
}
