//! `provost run`: starts an agent and shows its work.

use std::path::{Path, PathBuf};

use provost::Request;
use provost_engine::{RunId, Seq};
use provost_project::{
    AgentFile, CASSETTE, GOVERNED, MODEL, ModelEntry, ModelSource, Project, RuntimeOptions, clock,
};
use provost_runtime::port::IdKind;
use serde_json::json;

use super::banner::Banner;
use super::{budget, input};
use crate::args::RunOptions;
use crate::asking::Answers;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::follow::{follow, news};
use crate::identity;
use crate::run_name;
use crate::screen::Screen;
use crate::view::untouched;

pub(crate) async fn run(options: &RunOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let budgets = budget::read(&options.budget)?;
    options.prompt.as_deref().map_or(Ok(()), assert_no_folder)?;
    let project = Project::find(start)?;
    let folder = remembered(&project.folder)?.to_owned();
    let cassette = options.with.cassette.as_ref().map(|path| absolute(path));
    let cassette = cassette.as_deref().map(remembered).transpose()?;
    let mut agent = project.agent(options.agent.as_deref())?;
    agent.head.budgets.extend(budgets);
    let prompt = prompt(options, &project)?;
    let (model, entry) = chosen(options, &project, &agent)?;
    let data = project.data_dir()?;
    let run: RunId = clock::ids(clock::clock())?
        .make(IdKind::Run)
        .parse()
        .map_err(|_| Failure::machine("no name could be made for the run"))?;
    let root = project.workspace(&data, run.as_str())?;
    let attended = screen.can_ask() && !options.with.yes;
    let setup = project.runtime(RuntimeOptions {
        agent: Some(&agent),
        model: ModelSource::Configured { entry: entry.clone(), record: options.with.record.clone() },
        root: &root,
        store: data.open()?,
        data: Some(&data),
        attended,
    })?;
    let governed = match &setup.guard {
        Some(guard) => Some(guard.start(&run).await?),
        None => None,
    };
    let request = Request::new(&prompt)
        .agent(&agent.head.name)
        .run(run.clone())
        .workspace(&folder)
        .principal(identity::principal())
        .by(identity::actor())
        .context(MODEL, model.as_str().into())
        .context(CASSETTE, cassette.into())
        .context(GOVERNED, governed.into());
    let name = run_name::typed(&**setup.runtime.store(), &run).await;
    let limits = setup.limits.as_ref().map(untouched).unwrap_or_default();
    let banner = Banner::of_run(&run, &name, &agent.head.name)
        .model(&project, (&model, &entry))?
        .folder(&project, &root)?
        .limits(&limits);
    screen.notes(&banner.lines());
    let work = async {
        let news = news(&setup, &run, Seq(0)).await?;
        let handle = setup.runtime.start(request).await.map_err(|error| Failure::of(Code::Run, &error))?;
        // The run is stored: a program that reads the line can cancel it at once.
        if screen.is_json() {
            screen.document(
                &json!({ "type": "run", "run": run.as_str(), "agent": agent.head.name, "model": model }),
            );
        }
        follow(&setup, handle, news, Answers::of(options.with.yes), *screen).await
    };
    setup.closing(work).await
}

/// Rejects a project folder given as the task: it would be sent to the model.
fn assert_no_folder(prompt: &str) -> Result<(), Failure> {
    if !Path::new(prompt).join("provost.toml").is_file() {
        return Ok(());
    }
    let message = format!("`{prompt}` is the folder of a project, and not something to do");
    Err(Failure::new(Code::Project, message).hint(format!("provost run --project {prompt}")))
}

/// Returns the task from the command line, standard input or the project.
fn prompt(options: &RunOptions, project: &Project) -> Result<String, Failure> {
    let nothing =
        || Failure::new(Code::Project, "no task given").hint("pass one: provost run \"fix the tests\"");
    let prompt = match options.prompt.as_deref() {
        Some("-") => input::read(Path::new("-"))?,
        Some(prompt) => prompt.to_owned(),
        None => project.file.defaults.prompt.clone().ok_or_else(nothing)?,
    };
    if prompt.trim().is_empty() {
        return Err(Failure::new(Code::Project, "no task given: it is empty")
            .hint("say what to do: provost run \"fix the tests\""));
    }
    Ok(prompt)
}

fn chosen(
    options: &RunOptions,
    project: &Project,
    agent: &AgentFile,
) -> Result<(String, ModelEntry), Failure> {
    match &options.with.cassette {
        Some(path) => Ok(("cassette".to_owned(), ModelEntry::Cassette(absolute(path)))),
        None => project.model(options.with.model.as_deref(), Some(agent)),
    }
}

/// Returns a path as text for the run's journal; a path that is not UTF-8 could not be found again on resume.
pub(super) fn remembered(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| {
        let message = format!("the path {} is not UTF-8, and a run could not find it again", path.display());
        Failure::new(Code::Project, message).hint("rename the folder or file, or name it by another path")
    })
}

pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
