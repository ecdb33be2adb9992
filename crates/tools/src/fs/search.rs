//! `fs/search`: lines that match a regular expression.

use std::ops::ControlFlow;

use cap_std::fs::File;
use globset::{Glob, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder};
use provost_contract::action::{Idempotency, SideEffect};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::file_tool::FileTool;
use crate::blocking::Stop;
use crate::declare::Described;
use crate::reply::counted;
use crate::schema::wrong;
use crate::workspace::{EntryKind, FileError, Found, Walk, WorkspacePath};
use crate::{FileLimits, Refusal, Reply, Workspace};

/// A line longer than this is not searched: neither is the rest of its file.
const HEAP_BYTES_MAX: usize = 1024 * 1024;

pub(crate) struct Search;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// A regular expression in the syntax of ripgrep, matched against each line.
    pattern: String,
    /// The file or folder to search, from the root of the workspace; all of it when left out.
    path: Option<String>,
    /// Search only files whose path matches, such as `**/*.rs`.
    glob: Option<String>,
    /// Whether upper and lower case count; they do when left out.
    #[serde(default)]
    case: Case,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Case {
    #[default]
    Sensitive,
    Insensitive,
}

impl FileTool for Search {
    type Parameters = Parameters;

    const DESCRIBED: Described<'static> = Described {
        name: "fs/search",
        description: "Finds lines of text files in the workspace by a regular expression. Gives \
                      `path:line:text`. What ignore files hide, binary files and links are not searched.",
        effects: &[SideEffect::Read],
        idempotency: Idempotency::Pure,
        categories: &["filesystem", "read"],
    };

    fn work(workspace: &Workspace, asked: Parameters, stop: &Stop) -> Result<Reply, Refusal> {
        let path: WorkspacePath = asked.path.as_deref().unwrap_or_default().parse()?;
        let mut hunt = Hunt::new(&asked, workspace.limits().files)?;
        let mut walk = Walk::new(workspace, stop, Self::DESCRIBED.name, usize::MAX);
        let end = match workspace.file(&path) {
            Ok(file) => hunt.look_into(&path, Ok(file)),
            Err(FileError::NotAFile(_)) => walk.run(&path, &mut |found| hunt.look_at(&found))?,
            Err(error) => return Err(error.into()),
        };
        let (count, files) = (hunt.lines.len(), hunt.files);
        let more = if end.is_break() { ", and more" } else { "" };
        Ok(Reply::done(
            format!("{} in {}{more}", counted(count, "match", "matches"), counted(files, "file", "files")),
            json!({
                "matches": hunt.lines,
                "files": files,
                "truncated": end.is_break(),
                "skipped": walk.skipped + hunt.skipped,
            }),
        ))
    }
}

/// What is looked for, and what was found.
struct Hunt {
    matcher: RegexMatcher,
    glob: Option<GlobMatcher>,
    searcher: Searcher,
    limits: FileLimits,
    lines: Vec<String>,
    files: usize,
    skipped: usize,
}

impl Hunt {
    fn new(asked: &Parameters, limits: FileLimits) -> Result<Self, Refusal> {
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(asked.case == Case::Insensitive)
            .line_terminator(Some(b'\n'))
            .build(&asked.pattern)
            .map_err(|error| wrong(format!("pattern: {error}")))?;
        let glob = asked.glob.as_deref().map(Glob::new).transpose();
        let glob = glob.map_err(|error| wrong(format!("glob: {error}")))?.map(|glob| glob.compile_matcher());
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(b'\0'))
            .memory_map(MmapChoice::never())
            .heap_limit(Some(HEAP_BYTES_MAX))
            .build();
        Ok(Self { matcher, glob, searcher, limits, lines: Vec::new(), files: 0, skipped: 0 })
    }

    /// Passes over what is no file or not meant.
    fn look_at(&mut self, found: &Found<'_>) -> ControlFlow<()> {
        let is_meant = self.glob.as_ref().is_none_or(|glob| glob.is_match(found.path.to_path_buf()));
        if found.kind != EntryKind::File || !is_meant {
            return ControlFlow::Continue(());
        }
        self.look_into(&found.path, found.open())
    }

    fn look_into(&mut self, path: &WorkspacePath, file: Result<File, FileError>) -> ControlFlow<()> {
        let known = self.lines.len();
        if file.ok().and_then(|file| self.search(path, file)).is_none() {
            self.skipped += 1;
        }
        self.files += usize::from(self.lines.len() > known && known < self.limits.matches_max);
        // One more than may be given shows that there are more.
        if self.lines.len() > self.limits.matches_max {
            self.lines.truncate(self.limits.matches_max);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Searches one file; none when it cannot be searched to its end.
    fn search(&mut self, path: &WorkspacePath, file: File) -> Option<()> {
        if file.metadata().ok()?.len() > self.limits.file_bytes_max {
            return None;
        }
        let Self { matcher, searcher, limits, lines, .. } = self;
        let sink = Lossy(|number, line| {
            let line = line.trim_end();
            let shown = line.get(..line.floor_char_boundary(limits.line_bytes_max)).unwrap_or_default();
            lines.push(format!("{path}:{number}:{shown}"));
            Ok(lines.len() <= limits.matches_max)
        });
        searcher.search_file(&*matcher, &file.into_std(), sink).ok()
    }
}
