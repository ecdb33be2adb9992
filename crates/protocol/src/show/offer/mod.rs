//! The offer of a turn: the carrier tool and the instructions, both generated from the catalog
//! that the response is checked against.

mod carrier;
mod closed;
mod gemini;
mod prompt;
#[cfg(test)]
mod provider_rules_tests;

pub use carrier::{CARRIER_DESCRIPTION, Dialect, carrier_schema};
pub use closed::without_strict_nulls;
pub use prompt::{OfferedCarrier, protocol_prompt};
