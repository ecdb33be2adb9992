//! What one turn's model may ask for: the same object is shown in the prompt and used to check the answer.

mod entry;
mod sample;
mod schema;
mod turn_catalog;

pub use entry::{Availability, Entry, Permission};
pub use schema::{ArgumentFault, ArgumentSchema};
pub use turn_catalog::Catalog;
