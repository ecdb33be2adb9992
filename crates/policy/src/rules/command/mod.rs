//! Commands: the words of a call that starts a program, and the folder it starts in.
//!
//! Nothing here reads shells, options of wrappers or files. A pattern is held against the whole command; what
//! a program touches is known for a short list of plain programs, and for no other.

mod line;
mod pattern;
mod plain;

pub(super) use line::{CommandLine, PATH_BYTES_MAX, WORDS_MAX};
pub(super) use pattern::{CommandPattern, Folder};
pub(super) use plain::{PlainCall, Touch};
