//! Which executor executes an action: a named one is checked, otherwise one is chosen, and the reasons for
//! and against each are data.

mod candidate;
mod choose;
mod rank;

pub use candidate::{Considered, Standing};
pub use choose::{Selection, Unselected, Wish, select};
pub use rank::Criterion;
