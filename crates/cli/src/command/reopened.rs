//! A stored run with everything that is needed to continue it.

use std::path::{Path, PathBuf};

use provost_contract::json::{self, Object};
use provost_engine::event::RunSpec;
use provost_engine::{RunId, RunState, Seq};
use provost_project::{
    CASSETTE, DataDir, MODEL, ModelEntry, ModelSource, Project, ProjectRuntime, RuntimeOptions,
};

use crate::failure::{Failure, unworked};
use crate::journal;
use crate::run_name;

/// A run that can be continued.
pub(super) struct Reopened {
    pub(super) run: RunId,
    pub(super) setup: ProjectRuntime,
    /// The end of its journal when it was loaded.
    pub(super) head: Seq,
    pub(super) state: RunState,
}

impl Reopened {
    /// Finds a run and sets up its project with the settings in its journal. `attended` is
    /// whether a person can be asked about exactly one call.
    pub(super) async fn find(start: &Path, word: &str, attended: bool) -> Result<Self, Failure> {
        let data = DataDir::find(start)?;
        let store = data.open()?;
        let run = run_name::find(&*store, word).await?.row.run;
        let state = journal::read(&*store, &run).await?.state;
        let spec = &state.spec;
        let project = Project::open(Path::new(&spec.workspace))?;
        let root = if project.file.workspace.copy { data.copy_of(copied_for(spec)) } else { project.root() };
        // Its file may be stricter now; current denials apply.
        let agent = project.agent(Some(&spec.agent))?;
        let setup = project.runtime(RuntimeOptions {
            agent: Some(&agent),
            model: ModelSource::Configured { entry: entry(&project, &spec.context)?, record: None },
            root: &root,
            store,
            data: Some(&data),
            attended,
        })?;
        Ok(Self { run, setup, head: state.seq, state })
    }

    /// The same, to continue it: fails if the files that govern it changed, until a person confirms that. A run that
    /// ended for good does not work any more: nothing about it is checked or recorded.
    pub(super) async fn to_go_on(start: &Path, word: &str, attended: bool) -> Result<Self, Failure> {
        let reopened = Self::find(start, word, attended).await?;
        match reopened.state.ended {
            Some(ended) if !ended.is_resumable() => Ok(reopened),
            Some(_) | None => reopened.checked().await,
        }
    }

    /// The same, to answer what it asks. A run that ended asks nothing.
    pub(super) async fn to_answer(start: &Path, word: &str, attended: bool) -> Result<Self, Failure> {
        let reopened = Self::find(start, word, attended).await?;
        if reopened.state.ended.is_some() { Ok(reopened) } else { reopened.checked().await }
    }

    /// Checks the files that govern the run. Questions of a run that waits are asked again if the policy changed, so
    /// that the ones that are shown are the ones that an answer counts for.
    async fn checked(self) -> Result<Self, Failure> {
        if let Some(guard) = &self.setup.guard {
            guard.resume(&self.run, &self.state.spec.context)?;
        }
        self.setup.runtime.review(&self.run).await.map_err(|error| unworked(&self.run, &error))?;
        Ok(self)
    }
}

/// The name of the project's copy: the conversation's, if there is one.
fn copied_for(spec: &RunSpec) -> &str {
    spec.session.as_ref().map_or(spec.run.as_str(), |session| session.id.as_str())
}

fn entry(project: &Project, context: &Object) -> Result<ModelEntry, Failure> {
    match json::text(context, CASSETTE) {
        Some(path) => Ok(ModelEntry::Cassette(PathBuf::from(path))),
        None => Ok(project.model(json::text(context, MODEL), None)?.1),
    }
}
