//! Reads a transcript, tells what its provider would refuse, repairs it and shows what can be sent.
//!
//! ```text
//! cargo run -p provost-contract --example repair -- examples/transcripts/interrupted.anthropic.json
//! ```
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to the person who runs it")]

use std::process::ExitCode;

use provost_contract::provider::{
    IdentityNames, Loss, Part, Provider, Refusal, RepairMode, Repaired, Shape, repair,
};
use provost_contract::{Message, json, message};
use serde_json::Value;

const USAGE: &str = "usage: repair FILE [--from SHAPE] [--to PROVIDER] [--prune] [--json]

  FILE             a transcript: a request or response of a provider, or our own messages
  --from SHAPE     messages, anthropic, openai_chat, openai_responses or gemini (else it is detected)
  --to PROVIDER    whom to send it to (else whom it came from, else anthropic)
  --prune          drop calls that never got a result, instead of answering them as interrupted
  --json           print only the repaired request body";

struct Options {
    file: String,
    from: Option<Shape>,
    to: Option<Provider>,
    mode: RepairMode,
    json: bool,
}

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, Failure> {
    let mut options =
        Options { file: String::new(), from: None, to: None, mode: RepairMode::Synthesise, json: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(USAGE);
        match word.as_str() {
            "--from" => options.from = Some(shape(&value()?)?),
            "--to" => options.to = Some(value()?.parse().map_err(|_| USAGE)?),
            "--prune" => options.mode = RepairMode::Prune,
            "--json" => options.json = true,
            _ if word.starts_with('-') || !options.file.is_empty() => return Err(USAGE.into()),
            _ => options.file = word,
        }
    }
    if options.file.is_empty() { Err(USAGE.into()) } else { Ok(options) }
}

fn shape(word: &str) -> Result<Shape, Failure> {
    match word {
        "messages" => Ok(Shape::Messages),
        _ => Ok(Shape::Of(word.parse().map_err(|_| USAGE)?)),
    }
}

fn run(options: &Options) -> Result<(), Failure> {
    let document = json::parse_text(&std::fs::read_to_string(&options.file)?)?;
    let shape = options.from.or_else(|| Shape::detect(&document));
    let shape = shape.ok_or("this looks like no transcript I know; say whose it is with --from")?;
    let (messages, from) = match shape {
        Shape::Messages => (own_messages(&document)?, None),
        Shape::Of(provider) => (provider.decode(&document, &IdentityNames, 1)?, Some(provider)),
    };
    let to = options.to.or(from).unwrap_or(Provider::Anthropic);
    let broken = match from {
        Some(provider) if provider == to => document,
        _ => to.encode(&messages, &IdentityNames).body,
    };
    let repaired = repair(&messages, options.mode);
    let encoded = to.encode(&repaired.messages, &IdentityNames);
    if options.json {
        println!("{:#}", encoded.body);
        return Ok(());
    }
    let whose = from.map_or("our own messages", Provider::label);
    println!("{}: {whose}, to be sent as {}\n", options.file, to.label());
    print_refusals(to, &to.validate(&broken));
    print_changes(&repaired);
    print_losses(to, &encoded.losses);
    print_transcript(to, &encoded.body)?;
    Ok(())
}

fn own_messages(document: &Value) -> Result<Vec<Message>, Failure> {
    let list = document.as_array().or_else(|| document.get("messages")?.as_array());
    Ok(Message::parse_many(list.ok_or("our own messages are a list")?)?)
}

fn print_refusals(provider: Provider, refusals: &[Refusal]) {
    if refusals.is_empty() {
        println!("{} would take it as it is.\n", provider.label());
        return;
    }
    println!("{} would answer 400, for {}:", provider.label(), count(refusals.len(), "reason"));
    for Refusal { rule, index, explanation } in refusals {
        println!(
            "  {:<12} {:<20} {explanation}",
            format!("{}[{index}]", list_of(provider)),
            rule.to_string()
        );
    }
    println!();
}

fn print_changes(repaired: &Repaired) {
    if repaired.changes.is_empty() {
        return;
    }
    println!("Repaired:");
    for change in &repaired.changes {
        println!("  {:<20} {}", change.mend.to_string(), change.explanation);
    }
    println!();
}

fn print_losses(provider: Provider, losses: &[Loss]) {
    if losses.is_empty() {
        return;
    }
    println!("Not sent, because {} cannot carry it:", provider.label());
    for loss in losses {
        println!("  {:<28} {}", loss.what, loss.why);
    }
    println!();
}

/// Shows the body as the provider will read it.
fn print_transcript(provider: Provider, body: &Value) -> Result<(), Failure> {
    let left = provider.validate(body);
    println!("What is sent now, with {}:", count(left.len(), "reason to refuse it"));
    let mut speaker = String::new();
    for message in provider.decode(body, &IdentityNames, 1)? {
        let who = if message.role() == speaker { "" } else { message.role() };
        for (number, line) in lines(&message).into_iter().enumerate() {
            println!("  {:<10} {line}", if number == 0 { who } else { "" });
        }
        message.role().clone_into(&mut speaker);
    }
    Ok(())
}

fn lines(message: &Message) -> Vec<String> {
    let id = message.tool_call_id();
    match message.kind {
        message::MessageType::ToolCall => {
            let parameters = message.payload.get("parameters").map(Value::to_string).unwrap_or_default();
            vec![format!("→ {id} {} {parameters}", message.tool_name())]
        }
        message::MessageType::ToolResult => {
            let failed = message.payload.get("success") == Some(&Value::Bool(false));
            vec![format!("← {id} {}{}", if failed { "failed: " } else { "" }, said(message).join(" "))]
        }
        _ => said(message),
    }
}

fn said(message: &Message) -> Vec<String> {
    match &message.content {
        message::Content::Text(text) => vec![text.clone()],
        message::Content::Structured(parts) => parts.as_array().into_iter().flatten().map(shown).collect(),
    }
}

fn shown(part: &Value) -> String {
    match Part::parse(part) {
        Ok(Part::Text { text, .. }) => text,
        Ok(Part::Media { media, .. }) => format!("[{}]", media.kind()),
        Ok(Part::Opaque { provider, block }) => {
            let kind = block.get("type").and_then(Value::as_str).unwrap_or("block");
            format!("[{kind} of {provider}, kept as it came]")
        }
        Err(error) => format!("[{}]", error.message()),
    }
}

fn list_of(provider: Provider) -> &'static str {
    match provider {
        Provider::Anthropic | Provider::OpenaiChat => "messages",
        Provider::OpenaiResponses => "input",
        Provider::Gemini => "contents",
    }
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}
