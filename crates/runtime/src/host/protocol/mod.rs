//! The agent protocol on the engine: what a model is offered, and how what it declares becomes actions.

mod address;
mod catalog;
mod declare;
mod operations;
mod refused;

pub use address::{Address, AddressError, Selection};
pub(in crate::host) use catalog::Speech;
pub use declare::{Earlier, Reading};
pub use refused::RefusedDeclaration;
