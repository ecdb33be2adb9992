//! `fs/read`: the text of a file, or some lines of it.

use provost_contract::action::{Idempotency, SideEffect};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::file_tool::FileTool;
use crate::blocking::Stop;
use crate::declare::Described;
use crate::reply::counted;
use crate::workspace::WorkspacePath;
use crate::{Preview, Refusal, Reply, Workspace};

pub(crate) struct Read;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// The file, from the root of the workspace.
    path: String,
    /// The first line to read, counted from 1; the first of the file when left out.
    #[schemars(range(min = 1))]
    first_line: Option<usize>,
    /// How many lines to read; all that are left when left out.
    #[schemars(range(min = 1))]
    lines: Option<usize>,
}

impl FileTool for Read {
    type Parameters = Parameters;

    const DESCRIBED: Described<'static> = Described {
        name: "fs/read",
        description: "Reads a text file of the workspace, or a range of its lines. A long text is cut, and \
                      `next_line` says where to go on.",
        effects: &[SideEffect::Read],
        idempotency: Idempotency::Pure,
        categories: &["filesystem", "read"],
    };

    fn work(workspace: &Workspace, asked: Parameters, _stop: &Stop) -> Result<Reply, Refusal> {
        let path: WorkspacePath = asked.path.parse()?;
        let text = workspace.text(&path)?;
        let skipped = asked.first_line.unwrap_or(1).saturating_sub(1);
        let lines_max = asked.lines.unwrap_or(usize::MAX);
        let excerpt = Excerpt::take(&text, skipped, lines_max, workspace.limits().files.read_bytes_max);
        let total_lines = text.split_inclusive('\n').count();
        let last_line = skipped.saturating_add(excerpt.lines);
        let mut result = json!({
            "path": path.to_string(),
            "text": excerpt.text,
            "first_line": skipped.saturating_add(1),
            "last_line": last_line,
            "total_lines": total_lines,
        });
        if let (Some(result), true) = (result.as_object_mut(), last_line < total_lines) {
            result.insert("next_line".into(), last_line.saturating_add(1).into());
        }
        if let (Some(result), true) = (result.as_object_mut(), excerpt.is_line_cut) {
            result.insert("line_cut".into(), true.into());
        }
        let whole = skipped == 0 && last_line >= total_lines && !excerpt.is_line_cut;
        let summary = match (whole, excerpt.lines) {
            (true, lines) => counted(lines, "line", "lines"),
            (false, 0) => format!("no lines, of {total_lines}"),
            (false, _) => format!("lines {} to {last_line} of {total_lines}", skipped.saturating_add(1)),
        };
        Ok(Reply::done(summary, result))
    }

    /// Nothing would change; but no person is asked about a file that cannot be read.
    fn preview(workspace: &Workspace, asked: Parameters) -> Result<Option<Preview>, Refusal> {
        let path: WorkspacePath = asked.path.parse()?;
        workspace.text(&path).map(|_| None).map_err(Refusal::from)
    }
}

/// Some whole lines; a line that alone is too long is cut.
struct Excerpt<'a> {
    text: &'a str,
    lines: usize,
    is_line_cut: bool,
}

impl<'a> Excerpt<'a> {
    fn take(text: &'a str, skipped: usize, lines_max: usize, bytes_max: usize) -> Self {
        let before: usize = text.split_inclusive('\n').take(skipped).map(str::len).sum();
        let rest = text.get(before..).unwrap_or_default();
        let (mut bytes, mut lines) = (0_usize, 0);
        for line in rest.split_inclusive('\n').take(lines_max) {
            if bytes + line.len() > bytes_max {
                break;
            }
            bytes += line.len();
            lines += 1;
        }
        let is_line_cut = lines == 0 && !rest.is_empty();
        if is_line_cut {
            (bytes, lines) = (rest.floor_char_boundary(bytes_max), 1);
        }
        Self { text: rest.get(..bytes).unwrap_or_default(), lines, is_line_cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_whole_lines_within_the_limit() {
        let excerpt = |skipped, lines_max, bytes_max| {
            let excerpt = Excerpt::take("one\ntwo\nthrée\n", skipped, lines_max, bytes_max);
            (excerpt.text, excerpt.lines, excerpt.is_line_cut)
        };
        assert_eq!(excerpt(0, 9, 99), ("one\ntwo\nthrée\n", 3, false));
        assert_eq!(excerpt(1, 1, 99), ("two\n", 1, false));
        assert_eq!(excerpt(0, 9, 9), ("one\ntwo\n", 2, false));
        assert_eq!(excerpt(2, 9, 4), ("thr", 1, true));
        assert_eq!(excerpt(7, 9, 4), ("", 0, false));
    }
}
