//! Models of the library itself: several under names, and stand-ins for tests.

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
