//! From lines to the body of a request.

use serde_json::{Value, json};

use super::choose::{Choice, choose};
use super::entry::{Entry, reason};
use super::join::join;
use crate::Result;
use crate::session_file::left_out::Tally;
use crate::session_file::line::{BrokenLines, Line, skip_or_refuse};

/// The id of the session, and its conversation as `{messages}`.
pub(in crate::session_file) fn read(
    lines: &[Line],
    broken: BrokenLines,
    tally: &mut Tally,
) -> Result<(Option<String>, Value)> {
    let mut entries = Vec::new();
    for line in lines {
        match Entry::parse(line) {
            Ok(Some(entry)) => entries.push(entry),
            Ok(None) => tally.note(&kind(line), reason(line.kind()), line.number),
            Err(error) => skip_or_refuse(broken, error, line.kind(), line.number, tally)?,
        }
    }
    let mut taken = Vec::new();
    for (entry, choice) in entries.iter().zip(choose(lines, &entries)) {
        match choice {
            Choice::Take(place) => taken.push((place, entry)),
            Choice::LeaveOut(reason) => tally.note(entry.line.kind(), reason, entry.line.number),
        }
    }
    taken.sort_by_key(|(place, _)| *place);
    let taken: Vec<&Entry<'_>> = taken.into_iter().map(|(_, entry)| entry).collect();
    // The last one: a file that goes on with another session begins with lines of that.
    let id = taken.iter().rev().find_map(|entry| {
        entry.line.text("sessionId").or_else(|| entry.line.text("session_id")).map(str::to_owned)
    });
    Ok((id, json!({ "messages": join(taken.into_iter()) })))
}

/// The kind of a record, with what it is about.
fn kind(line: &Line) -> String {
    match line.text("subtype") {
        Some(subtype) => format!("{}/{subtype}", line.kind()),
        None => line.kind().to_owned(),
    }
}
