//! A stored run with everything that is needed to continue it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use provost::Script;
use provost_contract::json::{self, Object};
use provost_engine::event::{ModelUse, RunSpec};
use provost_engine::{RunId, RunState, Seq};
use provost_project::runs::is_worked_on;
use provost_project::{
    AgentFile, CASSETTE, DataDir, MODEL, ModelEntry, ModelSource, NO_AGENT, Project, ProjectRuntime,
    RuntimeOptions,
};
use serde_json::json;

use serde_json::Value;

use crate::failure::{Failure, unworked};
use crate::journal;
use crate::run_name;
use crate::screen::Screen;

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
        let agent = match spec.context.get(NO_AGENT) {
            Some(Value::Bool(true)) => AgentFile::without_agent(),
            _ => project.agent(Some(&spec.agent))?,
        };
        let model = match spec.model {
            ModelUse::Asked => {
                ModelSource::Configured { entry: entry(&project, &spec.context)?, record: None }
            }
            ModelUse::None => ModelSource::Given(Arc::new(Script::new())),
        };
        let setup = project.runtime(RuntimeOptions {
            agent: Some(&agent),
            model,
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

    /// Names the run to a program that reads JSON. Returns the other process that works on it, if one does.
    pub(super) async fn announce(&self, screen: Screen) -> Result<Option<String>, Failure> {
        let worker = self.worker().await?;
        if screen.is_json() {
            let (run, agent, watches) = (self.run.as_str(), &self.state.spec.agent, worker.is_some());
            screen.document(&json!({ "type": "run", "run": run, "agent": agent, "watches": watches }));
        }
        Ok(worker)
    }

    /// The other process that works on the run, if one does.
    async fn worker(&self) -> Result<Option<String>, Failure> {
        let store = self.setup.runtime.store();
        let storage = |fault| Failure::storage(&fault);
        let Some(listed) = store.run(self.run.clone()).await.map_err(storage)? else { return Ok(None) };
        if !is_worked_on(&**store, &listed.row).await? {
            return Ok(None);
        }
        let Some(owner) = listed.row.owner else { return Ok(None) };
        let worker = store.worker(owner).await.map_err(storage)?;
        Ok(worker.map(|worker| format!("process {}", worker.about.pid)))
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
