//! `provost doctor`: checks that a project has everything it needs.

use std::path::Path;

use provost_models::{ApiKind, Cassette, ConfigError, ModelConfig, Origin};
use provost_project::{ModelEntry, Project, clock, environment};
use serde_json::json;

use crate::args::ProjectOption;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;

/// One check and its problem.
type Looked = (String, Result<String, String>);

pub(crate) fn run(options: &ProjectOption, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let start = options.folder.as_deref().unwrap_or(start);
    let project = Project::find(start)?;
    let mut looked: Vec<Looked> = vec![("project".to_owned(), Ok(project.folder.display().to_string()))];
    looked.push(("agents".to_owned(), counted(project.agents.len())));
    looked.push(("tools".to_owned(), tools(&project)));
    looked.extend(project.models.iter().map(|(name, entry)| (format!("model {name}"), model(entry))));
    looked.push(("storage".to_owned(), storage(&project)));
    for (what, found) in &looked {
        let document = json!({ "what": what, "ok": found.is_ok(), "found": found.as_ref().unwrap_or_else(|wrong| wrong) });
        screen.show(&document, || match found {
            Ok(found) => format!("ok     {what}: {found}"),
            Err(wrong) => format!("wrong  {what}: {wrong}"),
        });
    }
    // One usable model is enough.
    let is_model = |what: &str| what.starts_with("model ");
    let usable = looked.iter().any(|(what, found)| is_model(what) && found.is_ok());
    let rest = looked.iter().all(|(what, found)| is_model(what) || found.is_ok());
    if !usable {
        screen.tell("no model can be used: set a key, or add a section [models.NAME]");
    }
    Ok(if usable && rest { Exit::Done } else { Exit::Failed })
}

fn counted(agents: usize) -> Result<String, String> {
    match agents {
        0 => Err("none: write agents/NAME.md".to_owned()),
        count => Ok(count.to_string()),
    }
}

fn tools(project: &Project) -> Result<String, String> {
    let tools = project.tools().map_err(|failure| failure.message)?;
    Ok(tools.declarations().count().to_string())
}

fn model(entry: &ModelEntry) -> Result<String, String> {
    match entry {
        ModelEntry::Cassette(path) => match Cassette::read(path) {
            Ok(cassette) => Ok(match cassette.origin() {
                Origin::WrittenByHand => "a cassette written by hand, needs no key".to_owned(),
                Origin::Recorded => "a recorded cassette, needs no key".to_owned(),
            }),
            Err(error) => Err(error.to_string()),
        },
        ModelEntry::Remote(config) => match config.build(clock::clock()) {
            Err(error) if !matches!(error, ConfigError::Key(_)) => Err(error.to_string()),
            _ => key(config),
        },
    }
}

/// Checks that there is a key. Only the provider knows whether it is valid.
fn key(config: &ModelConfig) -> Result<String, String> {
    let provider: ApiKind = config.provider;
    let variable = config.key_env.as_deref().or(provider.key_variable());
    match (&config.key_file, variable) {
        (Some(path), _) if path.is_file() => Ok(format!("{provider}, key in {}", path.display())),
        (Some(path), _) => Err(format!("{provider}: there is no key file {}", path.display())),
        (None, Some(name)) if environment::has(name) => Ok(format!("{provider}, key in {name}")),
        (None, Some(name)) => Err(format!("{provider}: {name} is not set")),
        (None, None) => Ok(format!("{provider}, without a key")),
    }
}

fn storage(project: &Project) -> Result<String, String> {
    let data = project.data_dir().map_err(|failure| failure.message)?;
    let shown = data.database().display().to_string();
    match data.database().try_exists() {
        Ok(false) => Ok(format!("{shown}, made with the first run")),
        Ok(true) => data.look().map(|_| shown).map_err(|failure| failure.message),
        Err(error) => Err(format!("{shown} cannot be read: {error}")),
    }
}
