//! `provost export`: a run's transcript, for a provider.

use provost_contract::Message;
use provost_contract::provider::{AsTheyAre, RepairMode, repair};

use super::import::{provider, tell_losses};
use crate::cli::args::ExportOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::journal;
use crate::cli::place::{self, Place};
use crate::cli::screen::{Screen, indented};

pub(in crate::cli) async fn run(options: &ExportOptions, screen: &Screen) -> Result<Exit, Failure> {
    let provider = provider(&options.to)?;
    let stores = Place::here()?.look()?;
    let row = place::find(&stores, &options.of.run).await?;
    let read = journal::read(&stores, &row.run).await?;
    let messages: Vec<Message> = read.state.history.to_messages();
    // A run that waits has calls without results; a provider must not see those.
    let encoded = provider.encode(&repair(&messages, RepairMode::Synthesise).messages, &AsTheyAre);
    tell_losses(&encoded.losses, *screen);
    screen.show(&encoded.body, || indented(&encoded.body));
    Ok(Exit::Done)
}
