//! The result section of the transcript: status, references and content, never the arguments.

use std::fmt::Write as _;

use provost_contract::action::{ActionId, ContentFormat, Observation};

use crate::show::render::{Language, one_line, write_fenced};

/// Returns the Markdown section of one result.
pub fn result_section(action: &ActionId, seen: &Observation) -> String {
    let mut out = String::new();
    write_result(&mut out, action, seen);
    out
}

pub(crate) fn write_result(out: &mut String, action: &ActionId, seen: &Observation) {
    let _ = writeln!(out, "### Result for {action}\n\nStatus: {}", <&str>::from(seen.status));
    if !seen.artifacts.is_empty() {
        let references: Vec<String> = seen.artifacts.iter().map(|reference| one_line(reference)).collect();
        let _ = writeln!(out, "Artifacts: {}", references.join(", "));
    }
    if let Some(cut) = seen.cut {
        let _ = writeln!(out, "Truncated: {} of {} characters shown", cut.shown, cut.total);
    }
    if seen.withheld {
        out.push_str("Withheld: a policy keeps the result with the runtime\n");
    }
    if !seen.content.trim().is_empty() {
        let language = match seen.format {
            ContentFormat::Markdown => Language::Markdown,
            ContentFormat::Json => Language::Json,
        };
        out.push('\n');
        write_fenced(out, language, &seen.content);
    }
}
