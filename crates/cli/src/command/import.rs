//! `provost import`: checks and repairs a transcript of a provider or a session of another program.

use provost_contract::provider::{IdentityNames, Loss, Provider, Refusal, RepairMode, Repaired, repair};
use provost_contract::session_file::{BrokenLines, LeftOut};
use serde_json::{Value, json};

use super::input;
use super::transcript::{Source, Transcript};
use crate::args::ImportOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::screen::{Screen, indented};
use crate::text::counted;

pub(crate) fn run(options: &ImportOptions, screen: &Screen) -> Result<Exit, Failure> {
    let to = options.to.as_deref().map(provider).transpose()?;
    let transcript = read(options)?;
    tell_left_out(&transcript.left_out, *screen);
    if transcript.messages.is_empty() {
        return Err(Failure::new(Code::File, format!("{}: it has no messages", options.file.display())));
    }
    let refusals = transcript.provider.validate(&transcript.body);
    if options.check {
        return Ok(check(&transcript, &refusals, *screen));
    }
    let repaired = repair(&transcript.messages, RepairMode::Synthesise);
    tell_repaired(&refusals, &repaired, *screen);
    let to = to.or_else(|| options.repair.then_some(transcript.provider));
    let document = match to {
        Some(provider) => {
            let encoded = provider.encode(&repaired.messages, &IdentityNames);
            tell_losses(&encoded.losses, *screen);
            encoded.body
        }
        None => repaired.messages.iter().map(provost_contract::Message::to_value).collect(),
    };
    screen.show(&document, || indented(&document));
    Ok(Exit::Done)
}

fn read(options: &ImportOptions) -> Result<Transcript, Failure> {
    let text = input::read(&options.file)?;
    let refused = |what: &dyn std::fmt::Display| {
        Failure::new(Code::File, format!("{}: {what}", options.file.display()))
    };
    let source = match &options.from {
        Some(word) => source(word)?,
        None => Source::detect(&text)
            .map_err(|error| refused(&error))?
            .ok_or_else(|| refused(&"unknown transcript format").hint("name the format with --from"))?,
    };
    let broken = if options.repair { BrokenLines::Skip } else { BrokenLines::Refuse };
    Transcript::read(source, &text, broken).map_err(|error| {
        let failure = refused(&error);
        if error.code() == "invalid_session_line" {
            return failure.hint("--repair leaves such lines out, and says so");
        }
        failure
    })
}

/// Returns the source of a transcript by its name.
fn source(word: &str) -> Result<Source, Failure> {
    Source::of(word).ok_or_else(|| {
        Failure::new(Code::File, format!("there is no format `{word}`"))
            .hint("there are: anthropic, openai_chat, openai_responses, gemini, claude_code, codex, messages")
    })
}

/// Returns a provider by its name.
pub(super) fn provider(word: &str) -> Result<Provider, Failure> {
    word.parse().map_err(|_| {
        Failure::new(Code::File, format!("there is no provider `{word}`"))
            .hint("there are: anthropic, openai_chat, openai_responses, gemini")
    })
}

/// Prints only what the provider would reject.
fn check(transcript: &Transcript, refusals: &[Refusal], screen: Screen) -> Exit {
    refusals.iter().for_each(|refusal| screen.show(&refusal_document(refusal), || refusal_line(refusal)));
    let reasons = counted(refusals.len() as u64, "reason", "reasons");
    screen.tell(&format!("{}: {reasons} to reject it", transcript.provider.label()));
    if refusals.is_empty() { Exit::Done } else { Exit::Failed }
}

/// Reports everything that was omitted from the file.
fn tell_left_out(left_out: &[LeftOut], screen: Screen) {
    for LeftOut { kind, reason, count, first_line } in left_out {
        let lines = if *count == 1 { "line" } else { "lines" };
        let why = reason.explanation();
        screen.note(&format!("left out: {count} {kind} {lines}, first in line {first_line}: {why}"));
    }
}

fn tell_repaired(refusals: &[Refusal], repaired: &Repaired, screen: Screen) {
    for refusal in refusals {
        screen.tell(&refusal_line(refusal));
    }
    for change in &repaired.changes {
        screen.tell(&format!("repaired: {} {}", change.mend, change.explanation));
    }
}

/// Prints what a format cannot represent, without duplicates.
pub(super) fn tell_losses(losses: &[Loss], screen: Screen) {
    let mut told: Vec<(String, usize)> = Vec::new();
    for loss in losses {
        let line = format!("{}: {}", loss.what, loss.why);
        match told.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => told.push((line, 1)),
        }
    }
    for (line, count) in told {
        let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
        screen.note(&format!("not carried over: {line}{times}"));
    }
}

fn refusal_line(refusal: &Refusal) -> String {
    format!("messages[{}] {}: {}", refusal.index, refusal.rule, refusal.explanation)
}

fn refusal_document(refusal: &Refusal) -> Value {
    json!({ "index": refusal.index, "rule": refusal.rule.to_string(), "explanation": refusal.explanation })
}
