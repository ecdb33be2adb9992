//! The conversation as it stands after some lines.

use serde_json::Value;

use crate::session_file::left_out::{Reason, Tally};

/// What Codex itself says in the user's name begins like this.
const NOT_THE_USER: [&str; 2] = ["<", "# AGENTS.md instructions"];

/// The items so far, each with the line and the kind it came as.
#[derive(Default)]
pub(super) struct History(Vec<Kept>);

struct Kept {
    item: Value,
    kind: String,
    line: usize,
}

impl History {
    pub(super) fn push(&mut self, item: Value, kind: &str, line: usize) {
        self.0.push(Kept { item, kind: kind.to_owned(), line });
    }

    /// Forgets everything, for a compaction tells what replaces it.
    pub(super) fn clear(&mut self, tally: &mut Tally) {
        tell(&std::mem::take(&mut self.0), Reason::Summarised, tally);
    }

    /// Forgets what the assistant said and did, for a summary tells of it.
    pub(super) fn clear_deeds(&mut self, tally: &mut Tally) {
        let all = std::mem::take(&mut self.0);
        let (stays, goes) = all.into_iter().partition::<Vec<_>, _>(|kept| is_told(&kept.item));
        tell(&goes, Reason::Summarised, tally);
        self.0 = stays;
    }

    /// Takes back the last turns of the user, with all that followed.
    pub(super) fn roll_back(&mut self, turns: usize, tally: &mut Tally) {
        if turns == 0 {
            return;
        }
        let spoke = self.0.iter().enumerate().rev().filter(|(_, kept)| is_of_user(&kept.item));
        if let Some(first) = spoke.take(turns).last().map(|(place, _)| place) {
            tell(&self.0.split_off(first), Reason::TakenBack, tally);
        }
    }

    pub(super) fn into_items(self) -> Value {
        self.0.into_iter().map(|kept| kept.item).collect()
    }
}

fn tell(items: &[Kept], reason: Reason, tally: &mut Tally) {
    for kept in items {
        tally.note(&kept.kind, reason, kept.line);
    }
}

fn role(item: &Value) -> &str {
    item.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// Whether this was told to the assistant.
fn is_told(item: &Value) -> bool {
    matches!(role(item), "user" | "developer" | "system")
}

/// Whether the user said this, and not Codex in the user's name.
fn is_of_user(item: &Value) -> bool {
    let content = item.get("content");
    let first = content.and_then(|content| content.get(0)?.get("text")?.as_str());
    let text = first.or_else(|| content?.as_str()).unwrap_or_default().trim_start();
    role(item) == "user" && !NOT_THE_USER.iter().any(|prefix| text.starts_with(prefix))
}
