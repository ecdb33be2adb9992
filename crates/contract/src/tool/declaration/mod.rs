//! Tool declarations: what a tool is called, says, takes and who runs it.
//!
//! Three doors lead to the same value: the strict one for tools a client runs, the one for tools the
//! host runs, and the one for requests and catalogs, which picks between them.

mod door;
mod envelope;
mod invalid;

pub use envelope::{ToolDeclaration, ToolExecutor};
