//! `provost import`: a provider's transcript, checked and repaired.

use provost_contract::provider::{AsTheyAre, Provider, Refusal, RepairMode, Repaired, Shape, repair};
use provost_contract::{Message, json};
use serde_json::{Value, json};

use super::input;
use crate::cli::args::ImportOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::screen::Screen;

pub(in crate::cli) fn run(options: &ImportOptions, screen: &Screen) -> Result<Exit, Failure> {
    let refused = |what: &dyn std::fmt::Display| {
        Failure::new(Code::File, format!("{}: {what}", options.file.display()))
    };
    let document = json::parse_text(&input::read(&options.file)?).map_err(|error| refused(&error))?;
    let shape = match &options.from {
        Some(word) => Some(Shape::Of(provider(word)?)),
        None => Shape::detect(&document),
    };
    let unknown = || refused(&"this looks like no transcript we know").hint("say whose it is with --from");
    let (messages, provider, body) = match shape.ok_or_else(unknown)? {
        Shape::Of(provider) => {
            let messages = provider.decode(&document, &AsTheyAre, 1).map_err(|error| refused(&error))?;
            (messages, provider, document)
        }
        Shape::Messages => {
            let list = document.as_array().or_else(|| document.get("messages")?.as_array());
            let messages = Message::parse_many(list.map_or(&[][..], Vec::as_slice));
            let messages = messages.map_err(|error| refused(&error))?;
            let body = Provider::Anthropic.encode(&messages, &AsTheyAre).body;
            (messages, Provider::Anthropic, body)
        }
    };
    let refusals = provider.validate(&body);
    if options.check {
        refusals.iter().for_each(|refusal| screen.show(&refusal_document(refusal), || refusal_line(refusal)));
        screen.tell(&format!("{}: {} reasons to refuse it", provider.label(), refusals.len()));
        return Ok(if refusals.is_empty() { Exit::Done } else { Exit::Failed });
    }
    let repaired = repair(&messages, RepairMode::Synthesise);
    told(&refusals, &repaired, *screen);
    let messages = if options.repair {
        provider.encode(&repaired.messages, &AsTheyAre).body
    } else {
        repaired.messages.iter().map(Message::to_value).collect()
    };
    screen.data(&if screen.is_json() { messages.to_string() } else { format!("{messages:#}") });
    Ok(Exit::Done)
}

/// A provider by its name.
pub(super) fn provider(word: &str) -> Result<Provider, Failure> {
    word.parse().map_err(|_| {
        Failure::new(Code::File, format!("there is no provider `{word}`"))
            .hint("there are: anthropic, openai_chat, openai_responses, gemini")
    })
}

fn told(refusals: &[Refusal], repaired: &Repaired, screen: Screen) {
    for refusal in refusals {
        screen.tell(&refusal_line(refusal));
    }
    for change in &repaired.changes {
        screen.tell(&format!("repaired: {} {}", change.mend, change.explanation));
    }
}

fn refusal_line(refusal: &Refusal) -> String {
    format!("messages[{}] {}: {}", refusal.index, refusal.rule, refusal.explanation)
}

fn refusal_document(refusal: &Refusal) -> Value {
    json!({ "index": refusal.index, "rule": refusal.rule.to_string(), "explanation": refusal.explanation })
}
