//! Markdown documents as ordered sections: cut at headings, shortened section by section, rebuilt byte
//! for byte.
//!
//! Only headings written with `#` at the start of a line cut; a line that looks like one inside a code
//! fence cuts too, which is harmless because nothing is lost.

mod group;
mod heading;
mod overflow;
mod replace;
mod section;

pub use group::group_by_heading_boundary;
pub use overflow::{Split, SplitPolicy, SplitStatus, split_for_overflow};
pub use replace::{ArchivePointer, Section};
pub use section::{SectionType, parse, reconstruct};
