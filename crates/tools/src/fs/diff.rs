//! A change as a unified diff.

use std::time::Duration;

use similar::TextDiff;

use crate::workspace::{FileError, WorkspacePath};
use crate::{Preview, Workspace};

const CONTEXT_LINES: usize = 3;
/// After this long the diff is finished coarsely; it stays correct.
const PATIENCE: Duration = Duration::from_millis(500);

/// What would change in a file, which is new when it has no old text.
pub(super) fn preview(
    workspace: &Workspace,
    path: &WorkspacePath,
    old: Option<&str>,
    new: &str,
) -> Result<Preview, FileError> {
    workspace.check_text(path, new)?;
    let before = if old.is_some() { format!("a/{path}") } else { "/dev/null".to_owned() };
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old.unwrap_or_default(), new);
    let diff =
        diff.unified_diff().context_radius(CONTEXT_LINES).header(&before, &format!("b/{path}")).to_string();
    Ok(Preview::Diff { path: path.to_string(), diff })
}
