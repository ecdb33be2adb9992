//! `provost chat`: a conversation with an agent.

use std::path::{Path, PathBuf};

use provost_contract::json;
use provost_project::{
    AgentFile, CASSETTE, DataDir, MODEL, ModelEntry, ModelSource, Project, ProjectRuntime, RuntimeOptions,
    clock,
};
use provost_runtime::port::IdKind;
use provost_runtime::store::{SessionRow, Store};
use serde_json::json;

use super::banner::Banner;
use super::run::{absolute, remembered};
use crate::args::ChatOptions;
use crate::asking::Answers;
use crate::chat::{Conversation, Input, Opening, Talk, find, newest};
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::journal;
use crate::screen::{Screen, Stream};
use crate::text::{Line, Span, counted};

const HISTORY: &str = "chat_history";

pub(crate) async fn run(options: &ChatOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let data = DataDir::find(start)?;
    let store = data.open()?;
    let (project, session) = begun(options, start, &*store).await?;
    let agent = project.agent(spoken_with(options, session.as_ref())?)?;
    let (model, entry, cassette) = model(options, &project, &agent, &*store, session.as_ref()).await?;
    let id = match &session {
        Some(session) => session.about.session.to_string(),
        None => clock::ids(clock::clock())?.make(IdKind::Session),
    };
    let root = project.workspace(&data, &id)?;
    let attended = screen.can_ask() && !options.with.yes;
    let setup = project.runtime(RuntimeOptions {
        agent: Some(&agent),
        model: ModelSource::Configured { entry, record: options.with.record.clone() },
        root: &root,
        store,
        data: Some(&data),
        attended,
    })?;
    let said = match &session {
        Some(session) => said(&setup, session).await?,
        None => None,
    };
    opening(*screen, &id, said.as_deref(), (&agent.head.name, &model));
    remembered(&project.folder)?;
    let cassette = cassette.as_deref().map(remembered).transpose()?.map(str::to_owned);
    let folder = project.folder.clone();
    let opening = Opening { session, folder, agent: agent.head.name.clone(), model, cassette };
    let talk = Talk {
        conversation: Conversation::new(setup, id, opening)?,
        input: input(*screen, &data, &root),
        answers: Answers::of(options.with.yes),
        screen: *screen,
        seen: None,
    };
    talk.until_left().await
}

/// Returns the project, and the session to continue. A session knows its project.
async fn begun(
    options: &ChatOptions,
    start: &Path,
    store: &dyn Store,
) -> Result<(Project, Option<SessionRow>), Failure> {
    let project = Project::find(start)?;
    let Some(word) = &options.session else { return Ok((project, None)) };
    let session = find(store, word, &project.folder).await?;
    let folder = Path::new(&session.about.workspace);
    let project = if folder == project.folder { project } else { Project::open(folder)? };
    Ok((project, Some(session)))
}

/// Returns the agent: the one on the command line, else the one of the session.
fn spoken_with<'a>(
    options: &'a ChatOptions,
    session: Option<&'a SessionRow>,
) -> Result<Option<&'a str>, Failure> {
    let of_session = session.map(|session| session.about.agent.as_str()).filter(|agent| !agent.is_empty());
    match (options.agent.as_deref(), of_session) {
        (Some(asked), Some(agent)) if asked != agent => {
            let message = format!("the conversation is with `{agent}`, not with `{asked}`");
            Err(Failure::new(Code::UnknownAgent, message).hint("begin another: leave out --session"))
        }
        (asked, of_session) => Ok(asked.or(of_session)),
    }
}

/// Returns the model of the conversation.
async fn model(
    options: &ChatOptions,
    project: &Project,
    agent: &AgentFile,
    store: &dyn Store,
    session: Option<&SessionRow>,
) -> Result<(String, ModelEntry, Option<PathBuf>), Failure> {
    let (mut cassette, mut name) =
        (options.with.cassette.as_ref().map(|path| absolute(path)), options.with.model.clone());
    if let (None, None, Some(session)) = (&cassette, &name, session)
        && let Some(row) = newest(store, session.about.session.as_str()).await?
    {
        let context = journal::read(store, &row.run).await?.state.spec.context.clone();
        cassette = json::text(&context, CASSETTE).map(PathBuf::from);
        name = json::text(&context, MODEL).map(str::to_owned);
    }
    if let Some(path) = cassette {
        return Ok(("cassette".to_owned(), ModelEntry::Cassette(path.clone()), Some(path)));
    }
    let (name, entry) = project.model(name.as_deref(), Some(agent))?;
    Ok((name, entry, None))
}

fn input(screen: Screen, data: &DataDir, folder: &Path) -> Input {
    let is_person = screen.can_ask() && screen.is_terminal(Stream::Data);
    if is_person { Input::terminal(screen, &data.file(HISTORY), folder) } else { Input::Lines }
}

/// Returns the title of a conversation, and its number of messages.
async fn said(setup: &ProjectRuntime, session: &SessionRow) -> Result<Option<String>, Failure> {
    let unread = |error: provost::SayError| Failure::of(Code::UnknownSession, &error);
    let stored = setup.runtime.session(session.about.session.as_str()).await.map_err(unread)?;
    let messages = stored.history(None).await.map_err(unread)?.len();
    let title = session.about.title.as_deref().unwrap_or("untitled");
    Ok(Some(format!("{title}, {}", counted(messages as u64, "message", "messages"))))
}

fn opening(screen: Screen, id: &str, said: Option<&str>, (agent, model): (&str, &str)) {
    if screen.is_json() {
        let goes_on = said.is_some();
        return screen.document(
            &json!({ "type": "session", "session": id, "agent": agent, "model": model, "goes_on": goes_on }),
        );
    }
    let mut lines = Banner::of_chat(agent, id).lines();
    let facts = [
        Some(format!("model {model}")),
        said.map(str::to_owned),
        Some("/help lists the commands".to_owned()),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    lines.insert(1, Line::note("chat", vec![Span::quiet(facts.join("   "))]).gutter(3));
    screen.notes(&lines);
}
