//! The tools of a hotel's front desk, and a runtime with them.

use std::path::Path;

use provost::{
    Agent, BuildError, Call, Citation, JsonSchema, Model, Runtime, Tool, ToolError, ToolOutput, schemars,
};
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Night {
    /// The night, such as `friday`.
    pub(crate) night: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Booking {
    pub(crate) night: String,
    pub(crate) beds: u32,
}

/// Looks up the free beds of a night. It only reads, so calls run together and again after a crash.
fn free() -> Tool {
    let look = |night: Night, call: Call| async move {
        call.progress("looking", 1, Some(1));
        let beds = if night.night == "friday" { 3 } else { 0 };
        Ok(ToolOutput::new(beds).cite(Citation::new("register").title("Beds")))
    };
    Tool::with_call("hotel/free", "Returns how many beds are free in a night.", look).reads()
}

/// Books beds. A person must allow it, and sees beforehand what would happen.
fn book() -> Tool {
    let work = |booking: Booking| async move { Ok(format!("{} beds, {}", booking.beds, booking.night)) };
    let shown = |booking: Booking| async move {
        if booking.beds == 0 {
            return Err(ToolError::new("a booking needs a bed"));
        }
        Ok(format!("books {} beds for {}", booking.beds, booking.night))
    };
    Tool::new("hotel/book", "Books beds for a night.", work).asks().preview(shown)
}

/// Asks the guest in the browser.
fn ask_guest() -> Tool {
    Tool::for_client::<Night>("client/confirm", "Asks the guest to confirm a night.")
}

/// A runtime of the desk over a database.
pub(crate) fn runtime(model: impl Model + 'static, database: &Path) -> Result<Runtime, BuildError> {
    let clerk =
        Agent::new("clerk").instructions("You are the clerk of a small hotel. Be brief.").max_turns(10);
    Runtime::builder()
        .model(model)
        .sqlite(database)
        .tool(free())
        .tool(book())
        .tool(ask_guest())
        .agent(clerk)
        .build()
}
