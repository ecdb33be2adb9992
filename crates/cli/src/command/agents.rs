//! `provost agents`: lists the agents.

use std::path::Path;

use provost_project::{AgentFile, MODE, Project};
use serde_json::json;

use crate::args::ProjectOption;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;

pub(crate) fn run(options: &ProjectOption, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let start = options.folder.as_deref().unwrap_or(start);
    let project = Project::find(start)?;
    for agent in project.agents.values() {
        let head = &agent.head;
        let document = json!({
            "name": head.name,
            "description": head.description,
            "model": model(&project, agent),
            "mode": head.mode.as_deref().unwrap_or(MODE),
            "tools": head.tools,
            "categories": head.categories,
            "policy": head.policy,
            "budgets": head.budgets,
            "compaction": head.compaction.as_ref().map(|compaction| compaction.policy()),
            "max_turns": project.turns_max(agent),
        });
        screen.show(&document, || {
            format!("{:<12} {}\n{:<12} {}", head.name, head.description, "", facts(&project, agent))
        });
    }
    if project.agents.is_empty() {
        screen.tell("no agents: write agents/NAME.md, or start with provost init");
    }
    Ok(Exit::Done)
}

/// Returns the model it uses by default; `None` if that cannot be determined.
fn model(project: &Project, agent: &AgentFile) -> Option<String> {
    project.model(None, Some(agent)).ok().map(|(name, _)| name)
}

fn facts(project: &Project, agent: &AgentFile) -> String {
    let head = &agent.head;
    let mut facts = vec![
        format!("model {}", model(project, agent).as_deref().unwrap_or("not named")),
        format!("mode {}", head.mode.as_deref().unwrap_or(MODE)),
    ];
    facts.push(match &head.tools {
        Some(names) => format!("{} tools", names.len()),
        None => "every tool".to_owned(),
    });
    facts.extend(head.categories.as_ref().map(|names| format!("categories {}", names.join(" "))));
    facts.extend(head.compaction.as_ref().map(|_| "long conversations are summed up".to_owned()));
    facts.push(format!("{} turns", project.turns_max(agent)));
    facts.join(", ")
}
