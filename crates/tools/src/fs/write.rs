//! `fs/write`: a whole text into a file.

use provost_contract::action::{Idempotency, SideEffect};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::diff;
use super::file_tool::FileTool;
use crate::blocking::Stop;
use crate::declare::Described;
use crate::reply::counted;
use crate::schema::said;
use crate::workspace::WorkspacePath;
use crate::{Preview, Refusal, Reply, Workspace};

pub(crate) struct Write;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// The file, from the root of the workspace. It and the folders on the way are made when missing.
    path: String,
    /// The whole new text of the file. Must be given, and may be empty.
    content: Option<String>,
}

impl FileTool for Write {
    type Parameters = Parameters;

    const DESCRIBED: Described<'static> = Described {
        name: "fs/write",
        description: "Writes a text file of the workspace, in place of what was there. To change a part of a \
                      file, use fs/edit.",
        effects: &[SideEffect::Write],
        // The same text in the same file: done twice it is as if done once.
        idempotency: Idempotency::Pure,
        categories: &["filesystem", "write"],
    };

    fn work(workspace: &Workspace, asked: Parameters, stop: &Stop) -> Result<Reply, Refusal> {
        let (path, content) = asked.checked()?;
        let _alone = workspace.writing();
        let change = match workspace.text_if_there(&path)? {
            Some(old) if old == content => "unchanged",
            Some(_) => "replaced",
            None => "created",
        };
        if change != "unchanged" {
            workspace.replace(&path, &content, stop)?;
        }
        let (bytes, lines) = (content.len(), content.lines().count());
        let result = json!({ "path": path.to_string(), "change": change, "bytes": bytes, "lines": lines });
        Ok(Reply::done(format!("{change}, {}", counted(lines, "line", "lines")), result))
    }

    fn preview(workspace: &Workspace, asked: Parameters) -> Result<Option<Preview>, Refusal> {
        let (path, content) = asked.checked()?;
        let old = workspace.text_if_there(&path)?;
        Ok(Some(diff::preview(workspace, &path, old.as_deref(), &content)?))
    }
}

impl Parameters {
    fn checked(self) -> Result<(WorkspacePath, String), Refusal> {
        Ok((self.path.parse()?, said(self.content, "content")?))
    }
}
