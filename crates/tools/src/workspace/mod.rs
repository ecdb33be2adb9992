//! A folder as a capability: everything in it, and nothing outside.
//!
//! A path is walked one name at a time, each opened from the handle of the folder before it, and no
//! symbolic link is followed. What a path says therefore never matters for where it can lead: not `..`,
//! not a leading slash, not a link that appears between two steps. Only an open handle is ever read or
//! written, and only if it is an ordinary file.
//!
//! A hard link to a file outside cannot be told from the file, and can be read. It cannot be written
//! through: a write puts a new file in place of the old one.

mod error;
mod ignored;
mod open;
mod path;
mod reach;
mod read;
mod walk;
mod write;

pub(crate) use error::FileError;
pub use open::{OpenError, Workspace};
pub use path::GOVERNING_NAMES;
pub(crate) use path::WorkspacePath;
pub(crate) use walk::{EntryKind, Found, Walk};
