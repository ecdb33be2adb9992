//! The executors that a model may use in one turn. The same object generates the prompt and checks the
//! response.

mod entry;
mod sample;
mod schema;
mod turn_catalog;

pub use entry::{Availability, Entry, Permission};
pub use schema::{ArgumentFault, ArgumentSchema};
pub use turn_catalog::Catalog;
