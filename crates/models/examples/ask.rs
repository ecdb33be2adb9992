//! Asks a configured model one question and prints the answer while it is spoken.
//!
//!     cargo run -p provost-models --example ask -- model.toml "Why is the sky blue?" [cassette.json]
//!
//! With a cassette that exists, the recording answers; with one that does not, it is recorded.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::tool::ToolCatalog;
use provost_models::{Cassette, ModelConfig, Player};
use provost_runtime::port::{Delta, Deltas, Hearing, Model, Transcript, TurnAnswer, TurnCache, TurnRequest};
use provost_runtime::system::SystemClock;

struct Printer;

impl Deltas for Printer {
    fn hear(&self, _turn: u64, delta: Delta<'_>) {
        if let Delta::Text(text) = delta {
            print!("{text}");
            let _ = std::io::stdout().flush();
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [config, question, cassette @ ..] = words.as_slice() else {
        return Err("usage: ask model.toml QUESTION [cassette.json]".into());
    };
    let model = model(config, cassette.first().map(PathBuf::from))?;
    let transcript: Transcript = [Arc::new(Message::text("user", question))].into_iter().collect();
    let (tools, nothing, cache) = (ToolCatalog::default(), Object::new(), TurnCache::default());
    let request = TurnRequest {
        turn: 1,
        turns_max: 1,
        session: None,
        messages: &transcript,
        tools: &tools,
        carrier: None,
        context: &nothing,
        model: &nothing,
        structured_output: None,
        hearing: Hearing::new(1, &Printer),
        cache: &cache,
    };
    if let TurnAnswer::Provider(turn) = model.turn(request).await? {
        println!("\n---\n{}\n{}", turn.content, serde_json::to_string(&turn.usage)?);
    }
    Ok(())
}

fn model(config: &str, cassette: Option<PathBuf>) -> Result<Arc<dyn Model>, Box<dyn Error>> {
    if let Some(path) = cassette.as_ref().filter(|path| path.exists()) {
        return Ok(Player::new(Cassette::read(path)?, Vec::new()).into());
    }
    let config: ModelConfig = toml::from_str(&std::fs::read_to_string(config)?)?;
    let remote = config.build(Arc::new(SystemClock))?;
    Ok(match cassette {
        Some(path) => remote.recorded(path).into(),
        None => remote.into(),
    })
}
