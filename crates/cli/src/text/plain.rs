//! The plain writer: no marks, no columns, no colours. Each line begins with its subject.

use super::styled::ascii_text;
use super::wrap;
use super::{Column, Line, Mark, Paint, Role};

/// The indentation of wrapped lines.
const INDENT: usize = 2;

/// Returns the rows of a line; none for an empty one.
pub(super) fn plain(line: &Line, paint: Paint) -> Vec<String> {
    if line.is_blank() {
        return Vec::new();
    }
    let text = text(line);
    let own = !matches!(line.mark, Mark::Model | Mark::Program);
    let text = if paint.unicode || !own { text } else { ascii_text(&text) };
    let Some(columns) = paint.columns else { return vec![text] };
    let room = columns.max(20);
    let rows = wrap::wrap(&[(text, Role::Text)], room, room - INDENT);
    let rows = rows.into_iter().map(|row| row.into_iter().map(|(text, _)| text).collect::<String>());
    rows.enumerate()
        .map(|(index, row)| if index == 0 { row } else { format!("{}{row}", " ".repeat(INDENT)) })
        .collect()
}

fn text(line: &Line) -> String {
    let mut text = line.subject.clone();
    let is_call = line.spans.first().is_some_and(|span| span.column == Column::Tool);
    let said = line.spans.iter().filter(|span| span.column != Column::Label && !span.text.is_empty());
    for (index, span) in said.enumerate() {
        match span.column {
            Column::Tool | Column::Object if is_call => text.push(' '),
            Column::Outcome if is_call && line.mark == Mark::Completed => text.push_str(": done, "),
            Column::Outcome if is_call => text.push_str(": "),
            _ if index == 0 && !text.is_empty() => text.push_str(": "),
            _ => {}
        }
        text.push_str(&span.text);
    }
    let text = text.trim_start().trim_end_matches(": done, ").to_owned();
    let right: String = line.right.iter().map(|span| span.text.as_str()).collect();
    let right =
        right.split("   ").map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    match right.is_empty() {
        true => text,
        false if is_call && line.subject.starts_with("call ") => format!("{text}, after {right}"),
        false if text == line.subject => format!("{text}: {right}"),
        false => format!("{text}, {right}"),
    }
}
