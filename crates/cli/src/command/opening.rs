//! What a person is told before a run begins: who answers, and where the work happens.

use std::path::Path;

use provost_models::{Cassette, ModelConfig, Origin};
use provost_project::{ModelEntry, Project, environment};

use crate::failure::{Code, Failure};
use crate::screen::Screen;
use crate::view::seen_from_here;

/// Says who answers. A cassette must not pass for a model.
pub(super) fn model(
    shown: &Path,
    project: &Project,
    (name, entry): (&str, &ModelEntry),
    screen: Screen,
) -> Result<(), Failure> {
    let path = match entry {
        ModelEntry::Remote(config) => {
            screen.tell(&format!("model   {name}: {} of {}", config.settings.model, config.provider));
            return Ok(());
        }
        ModelEntry::Cassette(path) => path,
    };
    let cassette = Cassette::read(path).map_err(|error| Failure::of(Code::Model, &error))?;
    let whose = match cassette.origin() {
        Origin::WrittenByHand => "were written by hand",
        Origin::Recorded => "were recorded from a model",
    };
    screen.tell(&format!("model   {name}: no model but a cassette, whose turns {whose}"));
    screen.tell("        no key, no network; tools run for real, and each request is compared");
    screen.tell("        with the one on the cassette: if it differs, the run stops");
    let remote = |(name, entry): (&String, &ModelEntry)| match entry {
        ModelEntry::Remote(config) => Some((name.clone(), config.clone())),
        ModelEntry::Cassette(_) => None,
    };
    if let Some((name, config)) = project.models.iter().find_map(remote) {
        let first = missing_key(&config).map(|key| format!("export {key}=… ; ")).unwrap_or_default();
        screen.tell(&format!("        a real model: {first}provost run {} --model {name}", shown.display()));
    }
    Ok(())
}

/// The variable a key is looked for in and not found.
fn missing_key(config: &ModelConfig) -> Option<&str> {
    let variable = config.key_env.as_deref().or(config.provider.key_variable())?;
    (config.key_file.is_none() && !environment::has(variable)).then_some(variable)
}

/// Says where the work happens.
pub(super) fn folder(project: &Project, root: &Path, screen: Screen) -> Result<(), Failure> {
    screen.tell(&format!("works   in {}", seen_from_here(root)?.display()));
    if project.file.workspace.copy {
        screen.tell("        a copy: the project stays as it is");
    }
    screen.tell("");
    Ok(())
}
