//! `provost agents`: lists the agents.

use std::path::Path;

use provost_project::{AgentFile, MODE, Project};
use serde_json::json;

use crate::args::ProjectOption;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::text::{Line, Role, Span, counted, padded};

/// How wide the column of names is.
const NAME: usize = 13;

pub(crate) fn run(options: &ProjectOption, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let start = options.folder.as_deref().unwrap_or(start);
    let project = Project::find(start)?;
    let default = project.agent(None).ok().map(|agent| agent.head.name);
    for agent in project.agents.values() {
        let head = &agent.head;
        let document = json!({
            "type": "agent",
            "name": head.name,
            "source": agent.file(),
            "default": default.as_ref() == Some(&head.name),
            "description": head.description,
            "model": model(&project, agent),
            "mode": head.mode.as_deref().unwrap_or(MODE),
            "tools": head.tools,
            "categories": head.categories,
            "policy": head.policy,
            "budgets": head.budgets,
            "compaction": head.compaction.as_ref().map(|compaction| compaction.policy()),
            "max_turns": project.turns_max(agent),
            "speaks": head.speaks,
            "capabilities": head.capabilities,
            "delegable": head.delegable,
            "policies": head.policies,
        });
        match screen.is_json() {
            true => screen.document(&document),
            false => screen.lines(&lines(&project, agent, default.as_deref())),
        }
    }
    if project.agents.is_empty() {
        screen.tell("no agents: write agents/NAME.md, or start with provost init");
    }
    Ok(Exit::Done)
}

fn lines(project: &Project, agent: &AgentFile, default: Option<&str>) -> Vec<Line> {
    let head = &agent.head;
    let name = padded(&head.name, NAME.max(head.name.len() + 1));
    let row = |name: String, text: &str| {
        let spans = vec![Span::label(name, Role::Strong), Span::text(text)];
        Line { hang: NAME, ..Line::note(&head.name, spans) }
    };
    let first = row(name, &head.description).right(vec![Span::quiet(agent.file())]);
    let mut facts = facts(project, agent);
    if default == Some(head.name.as_str()) {
        facts.push_str("; a run takes it");
    }
    vec![first, row(" ".repeat(NAME), &facts)]
}

/// The model it works with when none is named; none when that cannot be said.
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
        Some(names) => counted(names.len() as u64, "tool", "tools"),
        None => "every tool".to_owned(),
    });
    facts.extend(head.categories.as_ref().map(|names| format!("categories {}", names.join(" "))));
    facts.extend(head.compaction.as_ref().map(|_| "long conversations are summed up".to_owned()));
    facts.push(format!("at most {}", counted(project.turns_max(agent), "turn", "turns")));
    facts.join(", ")
}
