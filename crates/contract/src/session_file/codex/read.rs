//! From lines to the body of a request.

use serde_json::{Value, json};

use super::history::History;
use super::item::item;
use super::record::{Record, kind};
use crate::Result;
use crate::json::{self, Object};
use crate::session_file::left_out::{Reason, Tally};
use crate::session_file::line::{BrokenLines, Line, skip_or_refuse};

/// The id of the session, and its conversation as `{instructions?, input}`.
pub(in crate::session_file) fn read(
    lines: &[Line],
    broken: BrokenLines,
    tally: &mut Tally,
) -> Result<(Option<String>, Value)> {
    let mut reader = Reader { history: History::default(), meta: None, broken, tally };
    for line in lines {
        reader.read(line)?;
    }
    let Reader { history, meta, .. } = reader;
    let meta = meta.unwrap_or_default();
    let mut body = json!({ "input": history.into_items() });
    let base = json::object(&meta, "base_instructions").and_then(|base| json::non_empty_text(base, "text"));
    if let (Some(body), Some(instructions)) = (body.as_object_mut(), base) {
        body.insert("instructions".into(), instructions.into());
    }
    Ok((json::non_empty_text(&meta, "id").map(str::to_owned), body))
}

struct Reader<'a> {
    history: History,
    meta: Option<Object>,
    broken: BrokenLines,
    tally: &'a mut Tally,
}

impl Reader<'_> {
    fn read(&mut self, line: &Line) -> Result<()> {
        let kind = kind(line);
        let mut reason = Reason::Bookkeeping;
        match Record::of(line) {
            Record::Item(raw) => return self.push(line, raw, &kind),
            Record::Compacted(compacted) => return self.compact(line, compacted, &kind),
            // A session that goes on with another one repeats the first line of that.
            Record::Meta(found) => drop(self.meta.get_or_insert_with(|| found.clone())),
            Record::RolledBack(turns) => self.history.roll_back(turns, self.tally),
            Record::Own => {}
            Record::Unknown => reason = Reason::UnknownKind,
        }
        self.tally.note(&kind, reason, line.number);
        Ok(())
    }

    fn push(&mut self, line: &Line, raw: Option<&Object>, kind: &str) -> Result<()> {
        match item(line, raw) {
            Ok(Some(item)) => self.history.push(item, kind, line.number),
            Ok(None) => self.tally.note(kind, Reason::Bookkeeping, line.number),
            Err(error) => skip_or_refuse(self.broken, error, kind, line.number, self.tally)?,
        }
        Ok(())
    }

    /// Puts what a compaction left in the place of what was before. Early versions tell only the summary, and
    /// keep what the assistant was told.
    fn compact(&mut self, line: &Line, compacted: &Object, kind: &str) -> Result<()> {
        if let Some(replacement) = json::list(compacted, "replacement_history") {
            self.history.clear(self.tally);
            let items = replacement.iter().map(|item| item.get("item").unwrap_or(item));
            return items.into_iter().try_for_each(|item| self.push(line, item.as_object(), kind));
        }
        let Some(summary) = json::non_empty_text(compacted, "message") else {
            let error =
                line.refused("payload.message", "must be the summary that stands for what was before");
            return skip_or_refuse(self.broken, error, kind, line.number, self.tally);
        };
        self.history.clear_deeds(self.tally);
        let content = json!([{ "type": "input_text", "text": summary }]);
        self.history.push(
            json!({ "type": "message", "role": "user", "content": content }),
            kind,
            line.number,
        );
        Ok(())
    }
}
