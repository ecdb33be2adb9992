//! What a turn costs in money, from a table anybody can edit.

mod cost;
mod priced;
mod table;

pub use cost::Price;
pub use priced::Priced;
pub use table::{PriceError, PriceTable};
