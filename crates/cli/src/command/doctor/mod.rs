//! `provost doctor`: checks everything a run needs, the models included.

mod check;
mod models;
mod storage;

use std::path::Path;

use check::{Check, State};
use provost_project::{AgentFile, Failure, Project, checked};

use crate::args::DoctorOptions;
use crate::exit::Exit;
use crate::screen::{Screen, Stream};
use crate::text::{Line, Mark, Span, Style, counted};

pub(crate) async fn run(options: &DoctorOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let start = options.of.folder.as_deref().unwrap_or(start);
    let mut checks = match Project::find(start) {
        Ok(project) => of_project(&project, start, options.offline).await,
        // The project cannot be parsed, so nothing else is checked.
        Err(failure) => vec![Check::failed("project", State::Blocks, &failure)],
    };
    checks.push(terminal(*screen));
    if screen.is_json() {
        checks.iter().for_each(|check| screen.document(&check.document()));
    } else {
        screen.lines(&lines(&checks));
    }
    let blocked = checks.iter().any(|check| check.state == State::Blocks);
    Ok(if blocked { Exit::Failed } else { Exit::Done })
}

fn lines(checks: &[Check]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut before = "";
    for check in checks {
        lines.extend(check.lines(before != check.what));
        before = check.what;
    }
    let number = |is: &dyn Fn(&Check) -> bool| checks.iter().filter(|check| is(check)).count() as u64;
    let wrong = number(&|check| check.is_wrong());
    let blocked = number(&|check| check.state == State::Blocks);
    let (mark, text) = match (wrong, blocked) {
        (0, _) => (Mark::Completed, "everything a run needs is there".to_owned()),
        (wrong, 0) => {
            let problems = counted(wrong, "problem", "problems");
            (Mark::Failed, format!("{problems}; the default agent can run"))
        }
        (wrong, _) => {
            let problems = counted(wrong, "problem", "problems");
            (Mark::Failed, format!("{problems}; the default agent cannot run. exit 1"))
        }
    };
    lines.extend([Line::blank(), Line::new(mark, "doctor", vec![Span::strong(text)])]);
    lines
}

async fn of_project(project: &Project, start: &Path, offline: bool) -> Vec<Check> {
    let agent = project.agent(None);
    let mut checks = vec![found(project, start)];
    checks.extend(agents(project, agent.as_ref()));
    checks.extend(models::check(project, agent.as_ref().ok(), offline).await);
    checks.extend(tools(project, agent.as_ref().ok()));
    checks.push(policy(project));
    checks.extend(storage::check(project).await);
    checks
}

fn found(project: &Project, start: &Path) -> Check {
    let folder = project.folder.display().to_string();
    let is_above = start.canonicalize().is_ok_and(|start| start != project.folder);
    if !project.folder.join("provost.toml").is_file() {
        let found = format!("{folder} has no provost.toml: every default holds");
        return Check::new("project", State::Note, found).hint("provost init makes one");
    }
    let above = if is_above { ", found above" } else { "" };
    Check::right("project", format!("{folder}{above}")).at(Some("provost.toml".to_owned()))
}

/// Checks that there is an agent to run. The names in agent files were checked when the project was read.
fn agents(project: &Project, default: Result<&AgentFile, &Failure>) -> Vec<Check> {
    let names: Vec<&str> = project.agents.keys().map(String::as_str).collect();
    let default = match default {
        Ok(agent) => agent,
        Err(failure) => {
            let place = project.place_of(&["defaults", "agent"]);
            return vec![Check::failed("agents", State::Blocks, failure).at(place)];
        }
    };
    let found = format!("{}: {}; a run takes {}", names.len(), names.join(", "), default.head.name);
    let mut checks = vec![Check::right("agents", found)];
    let unusable = project.runtime_agent(default).err();
    checks.extend(unusable.map(|failure| Check::failed("agents", State::Blocks, &failure)));
    for agent in project.agents.values().filter(|agent| agent.head.name != default.head.name) {
        if let Err(failure) = project.model(None, Some(agent)) {
            let place = agent.place("name", "");
            let check = Check::failed("agents", State::Wrong, &failure).at(Some(place));
            checks.push(Check { found: format!("{}: {}", agent.head.name, check.found), ..check });
        }
    }
    checks
}

fn tools(project: &Project, agent: Option<&AgentFile>) -> Vec<Check> {
    let tools = match project.tools() {
        Ok(tools) => tools,
        Err(failure) => return vec![Check::failed("tools", State::Blocks, &failure)],
    };
    let missing = project.missing_programs();
    let seen = project.declarations(&tools, agent);
    let programs = match (project.file.tools.commands.len(), missing.len()) {
        (0, _) => "",
        (_, 0) => "; every program of a command tool is found",
        (_, _) => "; not every program of a command tool is found",
    };
    let number = tools.declarations().count() as u64;
    let mut checks = vec![Check::right("tools", format!("{}{programs}", counted(number, "tool", "tools")))];
    checks.extend(missing.into_iter().map(|(tool, program)| {
        let state = if seen.get(&tool).is_some() { State::Blocks } else { State::Wrong };
        let found = match program.contains('/') {
            true => format!("{tool}: there is no program {program}"),
            false => format!("{tool}: program {program} is not on the PATH"),
        };
        Check::new("tools", state, found).at(project.place_of(&["tools", "commands", &tool]))
    }));
    checks
}

/// A project whose rules contradict their examples is rejected when it is read.
fn policy(project: &Project) -> Check {
    let rules = project.file.policy.rule_set.rules().len() as u64;
    let examples = checked(&project.file, &project.root()).len() as u64;
    let found = match rules {
        0 => "no rules about arguments".to_owned(),
        rules => {
            format!("{}, {} hold", counted(rules, "rule", "rules"), counted(examples, "example", "examples"))
        }
    };
    Check::right("policy", found)
}

fn terminal(screen: Screen) -> Check {
    let paint = screen.paint(Stream::Notes);
    if !screen.is_terminal(Stream::Notes) {
        return Check::right("terminal", "none: plain output; approvals wait");
    }
    let (columns, rows) = crossterm::terminal::size().unwrap_or_default();
    let letters = if paint.unicode { "UTF-8" } else { "ASCII marks" };
    let style = match paint.style {
        Style::Plain => "plain",
        Style::Colourless => "no colours",
        Style::Coloured => "16 colours",
    };
    Check::right("terminal", format!("{columns}x{rows}, {letters}, {style}"))
}
