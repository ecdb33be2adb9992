//! A tool that asks first: the run waits without costing anything, a person decides, and it goes on.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use provost::{Decision, EventKind, JsonSchema, Runtime, Script, Tool};
use serde_json::json;

#[derive(serde::Deserialize, JsonSchema)]
struct Transfer {
    to: String,
    cents: u64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pay = Tool::new("bank/transfer", "Sends money.", |transfer: Transfer| async move {
        println!("  (the bank sends {} cents to {})", transfer.cents, transfer.to);
        Ok(json!({ "receipt": "R-1" }))
    });
    let model = Script::new()
        .call("bank/transfer", json!({ "to": "Ada", "cents": 4_200 }))
        .say("Ada has her money; the receipt is R-1.");
    let runtime = Runtime::builder().model(model).tool(pay.asks()).build()?;

    let run = runtime.start("Pay Ada 42 euros.").await?;
    let waiting = run.outcome().await?;
    println!("the run is {}", waiting.status.as_str());
    for asked in &waiting.waits {
        println!("asked: {}", asked.summary);
        println!("       {}", asked.preview);
        let decision = Decision { reason: "she is owed it".to_owned(), ..Decision::approve("grace") };
        runtime.decide(&asked.wait.to_string(), decision).await?;
    }
    let outcome = run.outcome().await?;
    println!("{}: {}", outcome.status.as_str(), outcome.text());

    println!("what the journal says:");
    let mut events = run.events().await?;
    while let Some(event) = events.next_event().await {
        println!("  {} {}", event.event.seq, event.event.kind.name());
        if matches!(event.event.kind, EventKind::RunEnded(_)) {
            break;
        }
    }
    Ok(())
}
