//! An agent with one tool, in a dozen lines: no key, no server, nothing on disk.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use provost::{JsonSchema, Runtime, Script, Tool};
use serde_json::json;

#[derive(serde::Deserialize, JsonSchema)]
struct Sum {
    left: i64,
    right: i64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let add = Tool::new("math/add", "Adds two numbers.", |sum: Sum| async move { Ok(sum.left + sum.right) });
    let model = Script::new().call("math/add", json!({ "left": 40, "right": 2 })).say("It is 42.");
    let runtime = Runtime::builder().model(model).tool(add.reads()).build()?;
    println!("{}", runtime.start("What is 40 + 2?").await?.outcome().await?.text());
    Ok(())
}
