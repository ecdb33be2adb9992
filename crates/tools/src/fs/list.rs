//! `fs/list`: what is in a folder.

use std::ops::ControlFlow;

use provost_contract::action::{Idempotency, SideEffect};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::file_tool::FileTool;
use crate::blocking::Stop;
use crate::declare::Described;
use crate::reply::counted;
use crate::workspace::{EntryKind, Found, Walk, WorkspacePath};
use crate::{Refusal, Reply, Workspace};

pub(crate) struct List;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// The folder, from the root of the workspace; the root itself when left out.
    path: Option<String>,
    /// How many levels below the folder are listed; 1 when left out.
    #[schemars(range(min = 1))]
    depth: Option<usize>,
}

impl FileTool for List {
    type Parameters = Parameters;

    const DESCRIBED: Described<'static> = Described {
        name: "fs/list",
        description: "Lists files and folders of the workspace. Folders end in a slash. What ignore files \
                      hide is left out; symbolic links are shown and not followed.",
        effects: &[SideEffect::Read],
        idempotency: Idempotency::Pure,
        categories: &["filesystem", "read"],
    };

    fn work(workspace: &Workspace, asked: Parameters, stop: &Stop) -> Result<Reply, Refusal> {
        let path: WorkspacePath = asked.path.as_deref().unwrap_or_default().parse()?;
        let entries_max = workspace.limits().files.entries_max;
        let mut entries = Vec::new();
        let mut walk = Walk::new(workspace, stop, Self::DESCRIBED.name, asked.depth.unwrap_or(1));
        let end = walk.run(&path, &mut |found| {
            if entries.len() == entries_max {
                return ControlFlow::Break(());
            }
            entries.push(line(&found));
            ControlFlow::Continue(())
        })?;
        let more = if end.is_break() { ", and more" } else { "" };
        Ok(Reply::done(
            format!("{}{more}", counted(entries.len(), "entry", "entries")),
            json!({
                "path": path.to_string(),
                "entries": entries,
                "truncated": end.is_break(),
                "skipped": walk.skipped,
            }),
        ))
    }
}

fn line(found: &Found<'_>) -> String {
    match &found.kind {
        EntryKind::File => found.path.to_string(),
        EntryKind::Folder => format!("{}/", found.path),
        EntryKind::Link(target) => format!("{} -> {target}", found.path),
        EntryKind::Special => format!("{} (not an ordinary file)", found.path),
    }
}
