//! The sections after a fenced block.

use std::collections::HashSet;
use std::fmt::Write as _;

use provost_contract::action::Reference;

use crate::read::text::{Document, section_name};

/// Texts by reference name.
#[derive(Default)]
pub(super) struct Sections {
    texts: Vec<(String, String)>,
    /// The note for the user. It may leave Markdown open, so it comes last.
    note: Option<String>,
}

impl Sections {
    /// Adds the text of a reference; a text without a section gets a new one.
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

    /// Returns the sections as Markdown. All have the first level, so that none ends inside another. A
    /// section whose heading is inside another's text already exists.
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
            // A closing mark preserves the marks of a name that ends with them.
            let closing = if name.ends_with('#') { " #" } else { "" };
            let _ = write!(out, "\n\n# {name}{closing}\n\n{text}");
            written.extend(Document::read(text).section_names().map(str::to_owned));
        }
    }
}
