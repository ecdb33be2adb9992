//! Tools that read and change the files of a workspace.

mod diff;
mod edit;
mod file_tool;
mod list;
mod read;
mod search;
mod write;

pub(crate) use edit::Edit;
pub(crate) use file_tool::OnFiles;
pub(crate) use list::List;
pub(crate) use read::Read;
pub(crate) use search::Search;
pub(crate) use write::Write;
