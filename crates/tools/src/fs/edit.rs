//! `fs/edit`: one text in a file replaced by another.

use provost_contract::action::{Idempotency, SideEffect};
use provost_runtime::port::Recalled;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use strum::IntoStaticStr;

use super::diff;
use super::file_tool::FileTool;
use crate::blocking::Stop;
use crate::declare::Described;
use crate::reply::counted;
use crate::schema::said;
use crate::workspace::WorkspacePath;
use crate::{Preview, Refusal, Reply, Workspace};

pub(crate) struct Edit;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// The file, from the root of the workspace.
    path: String,
    /// The text to replace, exactly as it stands in the file, with its spaces and line ends.
    old_text: String,
    /// What takes its place. Must be given, and may be empty.
    new_text: Option<String>,
    /// `one`: the old text must stand in the file exactly once. `all`: it is replaced wherever it stands.
    #[serde(default)]
    replace: Replace,
}

/// What was asked for, checked.
struct Asked {
    path: WorkspacePath,
    old: String,
    new: String,
    replace: Replace,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Replace {
    #[default]
    One,
    All,
}

/// Why a text was not replaced.
#[derive(Debug, PartialEq, Eq, thiserror::Error, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum EditError {
    #[error("old_text is empty: say what to replace")]
    NothingToReplace,
    #[error("old_text and new_text are the same")]
    NoChange,
    #[error("old_text is not in {path}: read the file again and copy the text exactly")]
    NoMatch { path: String },
    #[error(
        "old_text is in {path} {count} times: add lines around it until it is there once, or replace all"
    )]
    ManyMatches { path: String, count: usize },
}

impl From<EditError> for Refusal {
    fn from(error: EditError) -> Self {
        Self::of(&error)
    }
}

impl FileTool for Edit {
    type Parameters = Parameters;

    const DESCRIBED: Described<'static> = Described {
        name: "fs/edit",
        description: "Replaces a text in a file of the workspace by another. The old text must match exactly, \
                      and exactly once unless all are to be replaced.",
        effects: &[SideEffect::Write],
        // Where the new text holds the old one, a second time changes it again.
        idempotency: Idempotency::None,
        categories: &["filesystem", "write"],
    };

    fn work(workspace: &Workspace, asked: Parameters, stop: &Stop) -> Result<Reply, Refusal> {
        let asked = asked.checked()?;
        let path = &asked.path;
        let _alone = workspace.writing();
        let Edited { text, replaced, first_line } = edited(&workspace.text(path)?, &asked)?;
        workspace.replace(path, &text, stop)?;
        Ok(reply(path, replaced, first_line))
    }

    fn preview(workspace: &Workspace, asked: Parameters) -> Result<Option<Preview>, Refusal> {
        let asked = asked.checked()?;
        let old = workspace.text(&asked.path)?;
        let new = edited(&old, &asked)?.text;
        Ok(Some(diff::preview(workspace, &asked.path, Some(&old), &new)?))
    }

    fn recall(workspace: &Workspace, asked: Parameters) -> Result<Recalled, Refusal> {
        let asked = asked.checked()?;
        Ok(recalled(&workspace.text(&asked.path)?, &asked))
    }
}

fn reply(path: &WorkspacePath, replaced: usize, first_line: usize) -> Reply {
    let result = json!({ "path": path.to_string(), "replaced": replaced, "first_line": first_line });
    Reply::done(
        format!("{} from line {first_line}", counted(replaced, "replacement", "replacements")),
        result,
    )
}

/// Files are replaced whole, so one with the old text alone was not edited, and one with the new text alone
/// is as the edit leaves it. With both or neither the answer is unknown.
fn recalled(text: &str, asked: &Asked) -> Recalled {
    let Asked { path, old, new, replace } = asked;
    if *replace == Replace::All || old.is_empty() || new.is_empty() {
        return Recalled::Unknown;
    }
    match (text.matches(old).count(), text.matches(new).count()) {
        (1, 0) => Recalled::NotDone,
        (0, 1) => {
            let before = text.split_once(new.as_str()).map_or("", |(before, _)| before);
            Recalled::Done(reply(path, 1, before.matches('\n').count() + 1).into_value())
        }
        _ => Recalled::Unknown,
    }
}

impl Parameters {
    fn checked(self) -> Result<Asked, Refusal> {
        let (path, new) = (self.path.parse()?, said(self.new_text, "new_text")?);
        Ok(Asked { path, old: self.old_text, new, replace: self.replace })
    }
}

#[derive(Debug)]
struct Edited {
    text: String,
    replaced: usize,
    first_line: usize,
}

fn edited(text: &str, asked: &Asked) -> Result<Edited, EditError> {
    let Asked { path, old, new, replace } = asked;
    if old.is_empty() {
        return Err(EditError::NothingToReplace);
    }
    if old == new {
        return Err(EditError::NoChange);
    }
    let path = path.to_string();
    let Some((before, _)) = text.split_once(old) else { return Err(EditError::NoMatch { path }) };
    let count = text.matches(old).count();
    // Texts that overlap are two places as well: which one is meant cannot be known.
    let is_once = text.rfind(old) == Some(before.len());
    if *replace == Replace::One && !is_once {
        return Err(EditError::ManyMatches { path, count: count.max(2) });
    }
    Ok(Edited { text: text.replace(old, new), replaced: count, first_line: before.matches('\n').count() + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, old: &str, new: &str, replace: Replace) -> Result<(String, usize), EditError> {
        let asked = Asked { path: "a".parse().unwrap(), old: old.into(), new: new.into(), replace };
        edited(text, &asked).map(|edited| (edited.text, edited.first_line))
    }

    #[test]
    fn a_text_is_replaced_when_it_is_there_once() {
        let path = || "a".to_owned();
        assert_eq!(edit("x\none\n", "one", "two", Replace::One), Ok(("x\ntwo\n".to_owned(), 2)));
        assert_eq!(edit("x", "one", "two", Replace::One), Err(EditError::NoMatch { path: path() }));
        let many = Err(EditError::ManyMatches { path: path(), count: 2 });
        assert_eq!(edit("one one", "one", "two", Replace::One), many);
        assert_eq!(edit("one one", "one", "", Replace::All), Ok((" ".to_owned(), 1)));
        assert_eq!(edit("aaa", "aa", "b", Replace::One), many);
        assert_eq!(edit("one", "", "two", Replace::All), Err(EditError::NothingToReplace));
        assert_eq!(edit("one", "one", "one", Replace::All), Err(EditError::NoChange));
    }

    #[test]
    fn a_file_shows_whether_it_was_edited() {
        let became = |text: &str, old: &str, new: &str| {
            let replace = Replace::One;
            let asked = Asked { path: "a".parse().unwrap(), old: old.into(), new: new.into(), replace };
            recalled(text, &asked)
        };
        assert_eq!(became("x\none\n", "one", "two"), Recalled::NotDone);
        let path: WorkspacePath = "a".parse().unwrap();
        assert_eq!(became("x\ntwo\n", "one", "two"), Recalled::Done(reply(&path, 1, 2).into_value()));
        assert_eq!(became("one two", "one", "two"), Recalled::Unknown, "it may have been there before");
        assert_eq!(became("neither", "one", "two"), Recalled::Unknown);
        assert_eq!(became("oneone", "one", "oneone"), Recalled::Unknown, "the new text holds the old one");
        assert_eq!(became("x", "one", ""), Recalled::Unknown);
    }
}
