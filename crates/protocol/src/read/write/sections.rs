//! The sections behind a fenced block.

use std::collections::HashSet;
use std::fmt::Write as _;

use provost_contract::action::Reference;

use crate::read::text::{Document, section_name};

/// Texts by the names they are referenced under.
#[derive(Default)]
pub(super) struct Sections {
    texts: Vec<(String, String)>,
    /// The note for the user. It may leave Markdown open, so it stands behind everything else.
    note: Option<String>,
}

impl Sections {
    /// Adds the text a reference stands for; a text without a section of its own gets one.
    pub(super) fn add(&mut self, reference: Option<&Reference>, own_name: &str, text: &str) -> String {
        let name = match reference {
            Some(Reference::Section(name)) => name.as_str(),
            Some(
                Reference::Action { .. }
                | Reference::UserGoal
                | Reference::Runtime(_)
                | Reference::Artifact(_)
                | Reference::StoredArtifact(_),
            )
            | None => own_name,
        };
        self.texts.push((section_name(name), text.to_owned()));
        format!("md:{name}")
    }

    /// Adds the note for the user.
    pub(super) fn add_note(&mut self, text: &str) {
        self.note = Some(text.to_owned());
    }

    /// The sections as Markdown. All are of the first level, so that none ends inside another; one whose
    /// heading stands inside another's text is there already.
    pub(super) fn write(mut self, out: &mut String) {
        self.texts.sort_by(|(left_name, left), (right_name, right)| {
            right.len().cmp(&left.len()).then_with(|| left_name.cmp(right_name))
        });
        let mut written: HashSet<String> = HashSet::new();
        self.texts.extend(self.note.map(|note| ("user.visible".to_owned(), note)));
        for (name, text) in &self.texts {
            if !written.insert(name.clone()) {
                continue;
            }
            // A closing mark keeps the marks of a name that ends with them.
            let closing = if name.ends_with('#') { " #" } else { "" };
            let _ = write!(out, "\n\n# {name}{closing}\n\n{text}");
            written.extend(Document::read(text).section_names().map(str::to_owned));
        }
    }
}
