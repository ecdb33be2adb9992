//! `provost agents`: who there is.

use serde_json::json;

use crate::cli::args::ProjectOption;
use crate::cli::config::Project;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::screen::Screen;

pub(in crate::cli) fn run(options: &ProjectOption, screen: &Screen) -> Result<Exit, Failure> {
    let project = Project::read(&options.project)?;
    for agent in project.agents.values() {
        let head = &agent.head;
        let document = json!({
            "name": head.name,
            "description": head.description,
            "model": head.model,
            "tools": head.tools,
            "max_turns": head.max_turns,
        });
        screen.show(&document, || format!("{:<12} {}", head.name, head.description));
    }
    if project.agents.is_empty() {
        screen.tell("no agents: write agents/NAME.md, or start with provost init");
    }
    Ok(Exit::Done)
}
