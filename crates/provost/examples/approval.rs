//! A tool that asks first: the run waits without costing anything, somebody decides, and it goes on.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use provost::{Decision, JsonSchema, Runtime, Script, Told, Tool};
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

    let waiting = runtime.start("Pay Ada 42 euros.")?.outcome().await?;
    println!("the run is {:?}", waiting.status);
    for action in runtime.pending().await? {
        println!("asked: {}", action.summary());
        println!("       {}", action.preview);
        let decision = Decision { reason: "she is owed it".to_owned(), ..Decision::accept("grace") };
        let Some(mut going_on) = runtime.decide(action.action_id(), decision).await? else { continue };
        let mut events = going_on.events();
        let outcome = going_on.outcome().await?;
        while let Some(told) = next(&mut events).await {
            if let Told::Event(event) = told {
                println!("  {} {}", event.event, event.payload);
            }
        }
        println!("{:?}: {}", outcome.status, outcome.text());
    }
    Ok(())
}

async fn next(events: &mut Option<provost::Events>) -> Option<Told> {
    events.as_mut()?.next().await
}
