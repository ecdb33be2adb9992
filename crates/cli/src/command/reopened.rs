//! A run of an earlier process, with everything it needs to go on.

use std::path::{Path, PathBuf};

use provost_contract::json::{self, Object};
use provost_engine::event::RunSpec;
use provost_engine::{RunId, RunState, Seq};
use provost_project::config::{ModelEntry, Project};
use provost_project::place::Place;
use provost_project::setup::{Answering, CASSETTE, MODEL, Setup};

use crate::failure::Failure;
use crate::journal;
use crate::run_name;

/// A run that can be worked on again.
pub(super) struct Reopened {
    pub(super) run: RunId,
    pub(super) setup: Setup,
    /// The end of its journal when it was found.
    pub(super) head: Seq,
    pub(super) state: RunState,
}

impl Reopened {
    /// Finds a run, and sets its project up again: what it works with stands in its journal. `attended` says
    /// whether a person can be asked about exactly one call.
    pub(super) async fn find(word: &str, attended: bool) -> Result<Self, Failure> {
        let place = Place::here()?;
        let store = place.open()?;
        let run = run_name::find(&*store, word).await?.row.run;
        let state = journal::read(&*store, &run).await?.state;
        let spec = &state.spec;
        let project = Project::read(Path::new(&spec.workspace))?;
        let root = if project.file.workspace.copy { place.copy_of(copied_for(spec)) } else { project.root() };
        let answering = Answering { entry: entry(&project, &spec.context)?, record: None, attended };
        // Its file may have been made stricter since; today's denials count.
        let agent = project.agent(Some(&spec.agent))?;
        let setup = Setup::new(&project, Some(&agent), answering, &root, (store, &place))?;
        Ok(Self { run, setup, head: state.seq, state })
    }

    /// The same, to go on with it: refused when the files that govern it changed, until a person confirms that.
    pub(super) async fn to_go_on(word: &str, attended: bool) -> Result<Self, Failure> {
        let reopened = Self::find(word, attended).await?;
        if let Some(guard) = &reopened.setup.guard {
            guard.resume(&reopened.run, &reopened.state.spec.context)?;
        }
        Ok(reopened)
    }
}

/// What the copy of the project is named after: the conversation, where there is one.
fn copied_for(spec: &RunSpec) -> &str {
    spec.session.as_ref().map_or(spec.run.as_str(), |session| session.id.as_str())
}

fn entry(project: &Project, context: &Object) -> Result<ModelEntry, Failure> {
    match json::text(context, CASSETTE) {
        Some(path) => Ok(ModelEntry::Cassette(PathBuf::from(path))),
        None => Ok(project.model(json::text(context, MODEL), None)?.1),
    }
}
