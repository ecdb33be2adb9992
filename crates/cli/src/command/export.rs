//! `provost export`: prints a run's transcript in the format of a provider.

use std::path::Path;

use provost_contract::Message;
use provost_contract::provider::{IdentityNames, RepairMode, repair};
use provost_engine::view::transcript;
use provost_project::DataDir;

use super::import::{provider, tell_losses};
use crate::args::ExportOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::journal;
use crate::run_name;
use crate::screen::{Screen, indented};

pub(crate) async fn run(options: &ExportOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let provider = provider(&options.to)?;
    let store = DataDir::find(start)?.look()?;
    let row = run_name::find(&*store, &options.of.run).await?.row;
    let read = journal::read(&*store, &row.run).await?.run;
    let entries = transcript(&read.agent, &read.history, &read.events);
    let entries = entries.map_err(|error| Failure::of(Code::Journal, &error))?;
    let messages: Vec<Message> = entries.iter().map(|entry| (*entry.message).clone()).collect();
    // A waiting run has calls without results, which a provider would reject.
    let encoded = provider.encode(&repair(&messages, RepairMode::Synthesise).messages, &IdentityNames);
    tell_losses(&encoded.losses, *screen);
    screen.show(&encoded.body, || indented(&encoded.body));
    Ok(Exit::Done)
}
