//! Provider shapes: what holds for every transcript, and how one looks in each of the four.

mod broken_bodies;
mod interrupted;
mod properties;
mod shapes;
mod transcripts;

use provost_contract::tool::ToolAliases;

/// The aliases of the tools these transcripts call.
fn names() -> ToolAliases {
    ToolAliases::new(transcripts::TOOLS)
}
