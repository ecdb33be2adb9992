//! `provost validate`: checks whether a declaration of the Agent Protocol would be accepted.

use std::path::Path;

use provost_project::Project;
use provost_protocol::{Catalog, Finding, check};
use serde_json::{Value, json};

use super::input;
use crate::args::ValidateOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::screen::Screen;

pub(crate) fn run(options: &ValidateOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let text = input::read(&options.file)?;
    let checked = check(&text, &catalog(start)?);
    for finding in &checked.findings {
        screen.show(&finding.to_value(), || line(&options.file.display().to_string(), finding));
    }
    let Some(accepted) = checked.accepted else { return Ok(Exit::Failed) };
    let actions = accepted.content.actions().len();
    let noted = checked.violations.len();
    screen.show(&json!({ "accepted": true, "actions": actions, "violations": noted }), || {
        format!("{}: accepted, {actions} actions, {noted} remarks", options.file.display())
    });
    Ok(Exit::Done)
}

/// The declaration may use the tools of the project.
fn catalog(start: &Path) -> Result<Catalog, Failure> {
    let project = Project::find(start)?;
    let tools = project.tools()?;
    let entry = |declaration: Value| json!({ "name": declaration.get("name"), "input_schema": declaration.get("parameters") });
    let entries: Vec<Value> = tools.declarations().map(|tool| entry(tool.to_value())).collect();
    Catalog::parse(&entries, &[], &[]).map_err(|error| Failure::new(Code::Config, error.to_string()))
}

fn line(file: &str, finding: &Finding) -> String {
    let place =
        finding.place.line_column.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let code: &'static str = finding.code.into();
    let hint = finding.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{file}{place}: {code}: {}{hint}", finding.message)
}
