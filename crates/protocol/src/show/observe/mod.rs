//! What the model is shown of an outcome: result policy × outcome × budget × privacy.
//!
//! The policy is the model's wish. Privacy decides first what exists at all, then the policy picks from
//! it, then the budget cuts, and whatever was cut can be asked for by a reference. Whether an action may
//! run is decided elsewhere.

mod material;
#[cfg(test)]
mod observe_tests;
mod prioritise;
mod privacy;
mod secrets;
mod section;
mod shape;
mod view;

pub use privacy::Privacy;
pub use secrets::Secrets;
pub use section::result_section;
pub(crate) use section::write_result;
pub use view::{View, observe};
