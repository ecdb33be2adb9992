//! A run of an earlier process, with everything it needs to go on.

use std::path::{Path, PathBuf};

use provost_contract::json::{self, Object};
use provost_runtime::RunId;
use provost_runtime::engine::RunState;

use super::run::{CASSETTE, MODEL};
use crate::cli::config::{ModelEntry, Project};
use crate::cli::failure::Failure;
use crate::cli::journal;
use crate::cli::place::{self, Place};
use crate::cli::setup::{Answering, Setup};

/// A run that can be worked on again.
pub(super) struct Reopened {
    pub(super) run: RunId,
    pub(super) setup: Setup,
    context: Object,
}

impl Reopened {
    /// Finds a run, and sets its project up again: what it works with stands in its journal. `attended` says
    /// whether a person can be asked about exactly one call.
    pub(super) async fn find(word: &str, attended: bool) -> Result<Self, Failure> {
        let place = Place::here()?;
        let stores = place.open()?;
        let run = place::find(&stores, word).await?.run;
        let state = journal::read(&stores, &run).await?.state;
        let project = Project::read(Path::new(&state.spec.about.workspace))?;
        let root =
            if project.file.workspace.copy { place.copy_of(copied_for(&state)) } else { project.root() };
        let answering = Answering { entry: entry(&project, &state)?, record: None, attended };
        // Its file may have been made stricter since; today's word counts.
        let agent = project.agent(Some(&state.spec.about.agent))?;
        let setup = Setup::new(&project, Some(&agent), answering, &root, (stores, &place))?;
        Ok(Self { run, setup, context: state.spec.context.clone() })
    }

    /// The same, to go on with it: refused when the files that govern it changed, until a person confirms that.
    pub(super) async fn to_go_on(word: &str, attended: bool) -> Result<Self, Failure> {
        let reopened = Self::find(word, attended).await?;
        if let Some(guard) = &reopened.setup.guard {
            guard.resume(&reopened.run, &reopened.context)?;
        }
        Ok(reopened)
    }
}

/// What the copy of the project is named after: the conversation, where there is one.
fn copied_for(state: &RunState) -> &str {
    state.spec.session.as_ref().map_or(&state.spec.run, |session| &session.id)
}

fn entry(project: &Project, state: &RunState) -> Result<ModelEntry, Failure> {
    match json::text(&state.spec.context, CASSETTE) {
        Some(path) => Ok(ModelEntry::Cassette(PathBuf::from(path))),
        None => Ok(project.model(json::text(&state.spec.context, MODEL), None)?.1),
    }
}
