//! `provost validate`: checks whether a declaration of the Agent Protocol would be accepted.

use std::path::Path;

use provost_contract::ContractError;
use provost_contract::action::ExecutorType;
use provost_contract::policies::Policies;
use provost_project::Project;
use provost_protocol::{ArgumentSchema, Catalog, Entry, Finding, Speaking, Turn, check_in};
use provost_runtime::host::runtime_operations;
use serde_json::{Value, json};

use super::input;
use crate::args::ValidateOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::screen::Screen;

pub(crate) fn run(options: &ValidateOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let text = input::read(&options.file)?;
    let project = Project::find(start)?;
    let catalog = catalog(&project)?;
    let mut turn = Turn::new(Speaking::Protocol, &catalog);
    turn.runtime_policies =
        Policies::parse(&Value::Object(project.file.policies.clone())).unwrap_or_default();
    let checked = check_in(&text, &turn);
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

/// The declaration may use the tools of the project, and the operations of the runtime.
fn catalog(project: &Project) -> Result<Catalog, Failure> {
    let refused = |error: ContractError| Failure::new(Code::Config, error.to_string());
    let tools = project.tools()?;
    let mut entries = runtime_operations().map_err(refused)?;
    for tool in tools.declarations() {
        let mut entry = Entry::new(ExecutorType::Tool, tool.name().as_str());
        let schema = Value::Object(tool.rules().model_schema());
        entry.input_schema = Some(ArgumentSchema::compile(&schema).map_err(refused)?);
        entries.push(entry);
    }
    Catalog::new(entries).map_err(refused)
}

fn line(file: &str, finding: &Finding) -> String {
    let place =
        finding.place.line_column.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
    let code: &'static str = finding.code.into();
    let hint = finding.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{file}{place}: {code}: {}{hint}", finding.message)
}
