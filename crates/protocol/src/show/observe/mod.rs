//! Observations: what the model is shown of an outcome, by result policy, budget and privacy.
//!
//! Privacy first removes what must not be shown, then the result policy of the model selects from
//! the rest, then the budget truncates. Truncated text can be requested by a reference. Whether an action may
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
