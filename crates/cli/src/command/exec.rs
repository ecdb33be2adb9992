//! `provost exec`: carries out a declaration of the Agent Protocol.

use std::path::Path;
use std::sync::Arc;

use provost::{ExecuteError, Executed, Plan, Request, RunHandle, Script};
use provost_engine::{RunId, Seq};
use provost_project::{
    AgentFile, GOVERNED, ModelSource, NO_AGENT, Project, ProjectRuntime, RuntimeOptions, clock,
};
use provost_runtime::host::RefusedDeclaration;
use provost_runtime::port::IdKind;
use serde_json::{Value, json};

use super::input;
use super::run::remembered;
use crate::args::ExecOptions;
use crate::asking::Answers;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::follow::{follow, news};
use crate::identity;
use crate::record;
use crate::run_name;
use crate::screen::Screen;

pub(crate) async fn run(options: &ExecOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    if let Some(answer) = options.answer.first() {
        let message = format!("--answer {answer}: actions of people are not available");
        return Err(Failure::new(Code::Config, message).hint("leave it out"));
    }
    let text = input::read(&options.file)?;
    let project = Project::find(start)?;
    let folder = remembered(&project.folder)?.to_owned();
    let agent = match &options.agent {
        Some(name) => project.agent(Some(name))?,
        None => AgentFile::without_agent(),
    };
    let data = project.data_dir()?;
    let run: RunId = clock::ids(clock::clock())?
        .make(IdKind::Run)
        .parse()
        .map_err(|_| Failure::machine("no name could be made for the run"))?;
    let root = if options.plan { project.root() } else { project.workspace(&data, run.as_str())? };
    let attended = screen.can_ask() && !options.yes && !options.no;
    let setup = project.runtime(RuntimeOptions {
        agent: Some(&agent),
        // No model is asked.
        model: ModelSource::Given(Arc::new(Script::new())),
        root: &root,
        store: data.open()?,
        data: Some(&data),
        attended,
    })?;
    let mut request = options.goal.as_deref().map_or_else(Request::default, Request::new);
    request = request
        .agent(&agent.head.name)
        .run(run.clone())
        .workspace(&folder)
        .principal(identity::principal())
        .by(identity::actor())
        .context(NO_AGENT, options.agent.is_none().into());
    if let Some(after) = &options.after {
        let listed = run_name::find(&**setup.runtime.store(), after).await;
        match listed {
            Ok(listed) => request = request.after(listed.row.run),
            Err(failure) => return Ok(refused(screen, &[unknown_run(after, &failure)], &options.file)),
        }
    }
    let work = execute(&setup, (&text, request, &run), options, *screen);
    setup.closing(work).await
}

fn unknown_run(name: &str, failure: &Failure) -> Value {
    json!({ "code": "unknown_run", "message": format!("--after {name}: {}", failure.message), "pointer": null })
}

async fn execute(
    setup: &ProjectRuntime,
    (text, request, run): (&str, Request, &RunId),
    options: &ExecOptions,
    screen: Screen,
) -> Result<Exit, Failure> {
    if options.plan {
        return match setup.runtime.plan(text, request).await {
            Ok(plan) => Ok(planned(&screen, &plan)),
            Err(error) => unaccepted(&screen, error, &options.file),
        };
    }
    let governed = match &setup.guard {
        Some(guard) => Some(guard.start(run).await?),
        None => None,
    };
    let request = request.context(GOVERNED, governed.into());
    let news = news(setup, run, Seq(0)).await?;
    match setup.runtime.execute(text, request).await {
        Ok(Executed::Planned(plan)) => Ok(planned(&screen, &plan)),
        Ok(Executed::Began(handle)) => {
            record::begins(&screen, handle.run());
            let answers = Answers::beforehand(options.yes, options.no);
            follow(setup, handle, news, answers, screen).await
        }
        Ok(Executed::Applied(handle)) => applied(setup, handle, options, screen).await,
        // The command did what it was asked to do.
        Ok(Executed::Cancels(handle)) => match applied(setup, handle, options, screen).await? {
            Exit::Cancelled => Ok(Exit::Done),
            exit => Ok(exit),
        },
        Err(error) => unaccepted(&screen, error, &options.file),
    }
}

/// A declaration about another run: that run goes on, and its record is printed.
async fn applied(
    setup: &ProjectRuntime,
    handle: RunHandle,
    options: &ExecOptions,
    screen: Screen,
) -> Result<Exit, Failure> {
    record::begins(&screen, handle.run());
    let listed = setup.runtime.store().run(handle.run().clone()).await;
    let head = listed.map_err(|fault| Failure::storage(&fault))?.map_or(Seq(0), |listed| listed.row.head);
    let news = news(setup, handle.run(), head).await?;
    follow(setup, handle, news, Answers::beforehand(options.yes, options.no), screen).await
}

fn planned(screen: &Screen, plan: &Plan) -> Exit {
    let price = &plan.price;
    screen.show(&plan.to_record(), || {
        let calls = price.get("calls").and_then(Value::as_u64).unwrap_or_default();
        let effects = price.get("effects").and_then(Value::as_array).into_iter().flatten();
        let effects: Vec<&str> = effects.filter_map(Value::as_str).collect();
        let effects = if effects.is_empty() { "no effects".to_owned() } else { effects.join(", ") };
        format!("plan: {} actions, at most {calls} calls, {effects}; nothing was run", plan.actions.len())
    });
    Exit::Done
}

fn unaccepted(screen: &Screen, error: ExecuteError, file: &Path) -> Result<Exit, Failure> {
    match error {
        ExecuteError::Refused(RefusedDeclaration { findings, .. }) => Ok(refused(screen, &findings, file)),
        ExecuteError::Start(error) => Err(Failure::of(Code::Run, &error)),
        error @ (ExecuteError::Post(_) | ExecuteError::Resume(_)) => {
            let errors = [json!({ "code": "not_acceptable", "message": error.to_string(), "pointer": null })];
            Ok(refused(screen, &errors, file))
        }
    }
}

fn refused(screen: &Screen, findings: &[Value], file: &Path) -> Exit {
    let record = json!({
        "type": "agent.protocol.result",
        "version": "1",
        "run_id": null,
        "status": "refused",
        "actions": [],
        "waits": [],
        "usage": {},
        "errors": findings,
        "answer": null,
        "price": null,
        "next": null,
    });
    screen.show(&record, || {
        let lines = findings.iter().map(|finding| finding_line(&file.display().to_string(), finding));
        lines.chain(["Nothing was run.".to_owned()]).collect::<Vec<_>>().join("\n")
    });
    Exit::Usage
}

fn finding_line(file: &str, finding: &Value) -> String {
    let text = |key: &str| finding.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str| finding.get(key).and_then(Value::as_u64);
    let place = match (number("line"), number("column")) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        _ => String::new(),
    };
    let hint = Some(text("hint")).filter(|hint| !hint.is_empty()).map(|hint| format!(" ({hint})"));
    format!("{file}{place}: {}: {}{}", text("code"), text("message"), hint.unwrap_or_default())
}
