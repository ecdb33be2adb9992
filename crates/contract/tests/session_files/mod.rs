//! Session files of other programs: what is taken over, and what is told of the rest.

mod claude_code;
mod codex;
mod damaged;
mod lines;
mod writers;

use provost_contract::provider::{IdentityNames, Part, substance};
use provost_contract::session_file::{BrokenLines, Format, Session};
use serde_json::Value;

fn read(format: Format, text: &str) -> Session {
    format.read(text, BrokenLines::Refuse).expect("a session")
}

/// A session, a piece a line, and what was left out of it.
fn told(session: &Session) -> String {
    let messages = session.format.provider().decode(&session.body, &IdentityNames, 1).expect("a transcript");
    let said = substance(&messages);
    let mut lines: Vec<String> = said.iter().map(piece).collect();
    lines.push("left out:".to_owned());
    lines.extend(session.left_out.iter().map(|left_out| {
        let (count, kind, first) = (left_out.count, &left_out.kind, left_out.first_line);
        format!("  {count} {kind} from line {first}: {}", left_out.reason)
    }));
    lines.join("\n")
}

fn piece(piece: &Value) -> String {
    let speaker = piece["speaker"].as_str().unwrap_or_default();
    if let Some(call) = piece.get("calls") {
        return format!("  calls {} {} {}", call["id"], call["tool_name"], call["parameters"]);
    }
    if let Some(answer) = piece.get("answers") {
        let failed = if answer["failed"] == true { " failed" } else { "" };
        return format!("  answers {}{failed} {}", answer["id"], answer["content"][0]["text"]);
    }
    match Part::parse(&piece["says"]).expect("a part") {
        Part::Text { text, .. } => format!("{speaker}: {text}"),
        Part::Media { media, .. } => format!("{speaker}: ({})", media.kind()),
        Part::Opaque { block, .. } => format!("{speaker}: ({})", block["type"].as_str().unwrap_or_default()),
    }
}
