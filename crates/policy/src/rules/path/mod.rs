//! Places: files and folders, by what they are and not by how they are spelt.

mod fits;
mod pattern;
mod place;

pub(super) use fits::fits;
use pattern::Extent;
pub(super) use pattern::PathPattern;
pub(super) use place::Place;
