//! `provost run`: starts an agent, and watches it.

use std::path::{Path, PathBuf};

use provost_engine::{RunId, Seq};
use provost_runtime::port::IdKind;
use serde_json::json;

use super::opening;
use crate::Request;
use crate::cli::args::RunOptions;
use crate::cli::clock;
use crate::cli::config::{ModelEntry, Project};
use crate::cli::copy::copy_folder;
use crate::cli::environment;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::follow::{Answers, follow, news};
use crate::cli::guard::GOVERNED;
use crate::cli::place::{self, Place};
use crate::cli::screen::Screen;
use crate::cli::setup::{Answering, Setup};

/// The key under which a run's context says which model it works with.
pub(in crate::cli) const MODEL: &str = "model_name";
/// The key under which a run's context says which recording plays the model.
pub(in crate::cli) const CASSETTE: &str = "cassette";

pub(in crate::cli) async fn run(options: &RunOptions, screen: &Screen) -> Result<Exit, Failure> {
    let project = Project::read(&options.project)?;
    let folder = remembered(&project.folder)?.to_owned();
    let cassette = options.with.cassette.as_ref().map(|path| absolute(path));
    let cassette = cassette.as_deref().map(remembered).transpose()?;
    let agent = project.agent(options.agent.as_deref())?;
    let prompt =
        options.prompt.clone().or_else(|| project.file.defaults.prompt.clone()).ok_or_else(|| {
            Failure::new(Code::Project, "there is nothing to do").hint("say what with --prompt \"…\"")
        })?;
    let (model, entry) = chosen(options, &project, &agent)?;
    let place = Place::here()?;
    let run: RunId = clock::ids(clock::clock())?
        .make(IdKind::Run)
        .parse()
        .map_err(|_| Failure::machine("no name could be made for the run"))?;
    let root = workspace(&project, &place, run.as_str())?;
    let attended = screen.can_ask() && !options.with.yes;
    let answering = Answering { entry: entry.clone(), record: options.with.record.clone(), attended };
    let setup = Setup::new(&project, Some(&agent), answering, &root, (place.open()?, &place))?;
    let governed = match &setup.guard {
        Some(guard) => Some(guard.start(&run).await?),
        None => None,
    };
    let request = Request::new(&prompt)
        .agent(&agent.head.name)
        .run(run.clone())
        .workspace(&folder)
        .principal(environment::principal())
        .by(environment::actor())
        .context(MODEL, model.as_str().into())
        .context(CASSETTE, cassette.into())
        .context(GOVERNED, governed.into());
    if screen.is_json() {
        screen.document(
            &json!({ "type": "run", "run": run.as_str(), "agent": agent.head.name, "model": model }),
        );
    }
    screen.tell(&format!("run     {run}"));
    screen.tell(&format!("agent   {} of {}", agent.head.name, options.project.display()));
    opening::model(&options.project, &project, (&model, &entry), *screen)?;
    opening::folder(&project, &root, *screen)?;
    let work = async {
        let news = news(&setup, &run, Seq(0)).await?;
        let handle = setup.runtime.start(request).await.map_err(|error| Failure::of(Code::Run, &error))?;
        follow(&setup, handle, news, Answers::of(options.with.yes), *screen).await
    };
    setup.closing(work).await
}

fn chosen(
    options: &RunOptions,
    project: &Project,
    agent: &crate::cli::config::AgentFile,
) -> Result<(String, ModelEntry), Failure> {
    match &options.with.cassette {
        Some(path) => Ok(("cassette".to_owned(), ModelEntry::Cassette(absolute(path)))),
        None => project.model(options.with.model.as_deref(), Some(agent)),
    }
}

/// A path as a run's journal remembers it, in text; another would not be found again when it goes on.
pub(super) fn remembered(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| {
        let message = format!("the path {} is not UTF-8, and a run could not find it again", path.display());
        Failure::new(Code::Project, message).hint("rename the folder or file, or name it by another path")
    })
}

pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The folder a run or a conversation works in: the project's own, or a copy made for it.
pub(super) fn workspace(project: &Project, place: &Place, name: &str) -> Result<PathBuf, Failure> {
    let root = project.root();
    if !project.file.workspace.copy {
        return Ok(root);
    }
    let copy = place.copy_of(name);
    if copy.is_dir() {
        return Ok(copy);
    }
    // The folder of copies is made with the storage, which hides it from git.
    place.open()?;
    // A copy is there as a whole or not at all: a conversation goes on with what it finds.
    let partial = place.copy_of(&format!("{name}.partial"));
    let copies = place.file("work");
    place::for_the_owner(&copies).map_err(|error| Failure::unwritable(&copies, &error))?;
    match copy_folder(&root, &partial).and_then(|()| std::fs::rename(&partial, &copy)) {
        Ok(()) => Ok(copy),
        Err(error) => {
            // Half a copy serves nobody; when it cannot be taken away either, the message says what is wrong.
            drop(std::fs::remove_dir_all(&partial));
            Err(uncopied(&root, &error))
        }
    }
}

fn uncopied(root: &Path, error: &std::io::Error) -> Failure {
    let message = format!("{} cannot be copied: {error}", root.display());
    match error.kind() {
        std::io::ErrorKind::StorageFull => Failure::new(Code::Store, message).hint("free some space"),
        _ => Failure::new(Code::Project, message)
            .hint("make it readable, or set copy = false under [workspace]"),
    }
}
