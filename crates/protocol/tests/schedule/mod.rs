//! The scheduler against a slow model that is obviously right.

mod drive;
mod graphs;
mod model;
