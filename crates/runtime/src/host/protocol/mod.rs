//! The agent protocol on the engine: what a model is offered, and how what it declares becomes actions.

mod catalog;
mod declare;
mod operations;
mod refused;
mod turn;

pub(in crate::host) use catalog::Speeches;
pub use catalog::operations as runtime_operations;
pub(in crate::host) use declare::Declared;
pub use declare::{Earlier, Reading};
pub(in crate::host) use operations::operate;
pub use refused::RefusedDeclaration;
