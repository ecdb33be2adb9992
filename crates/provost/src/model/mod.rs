//! Models of this crate: named models, and models for tests.

mod answer;
mod asked;
mod function;
mod named;
mod recorder;
mod script;

pub use answer::Answer;
pub use asked::Asked;
pub use function::FnModel;
pub(crate) use named::NamedModels;
pub use recorder::Recorder;
pub use script::Script;
