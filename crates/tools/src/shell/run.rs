//! The tool that runs a program.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use provost_contract::Result;
use provost_contract::action::{Idempotency, SideEffect};
use provost_contract::json::Object;
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::Boxed;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::command_line;
use crate::declare::Described;
use crate::process::{self, Ending, Environment, Finished, Job};
use crate::schema::{read, schema_of, wrong};
use crate::workspace::WorkspacePath;
use crate::{Preview, Refusal, Reply, Tool, Workspace, blocking};

const DESCRIBED: Described<'static> = Described {
    name: "shell/run",
    description: "Runs a program in a folder of the workspace and gives its exit code and output. No shell \
                  reads the arguments; for pipes and variables run `sh -c`. What it leaves running is killed.",
    effects: &[SideEffect::Execute],
    idempotency: Idempotency::None,
    categories: &["shell", "write", "destructive"],
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// The program and its arguments, one by one.
    #[schemars(length(min = 1))]
    argv: Vec<String>,
    /// The folder to run in, from the root of the workspace; the root itself when left out.
    cwd: Option<String>,
    /// How long it may run before it is killed.
    #[schemars(range(min = 1))]
    timeout_ms: Option<u64>,
}

/// What was asked for, checked.
struct Asked {
    argv: Vec<String>,
    cwd: WorkspacePath,
    timeout_ms: u64,
}

pub(crate) struct Run {
    declaration: ToolDeclaration,
    workspace: Workspace,
    environment: Environment,
}

impl Run {
    pub(crate) fn new(workspace: Workspace, environment: Environment) -> Result<Self> {
        Ok(Self { declaration: DESCRIBED.declare(schema_of::<Parameters>())?, workspace, environment })
    }

    fn asked(&self, parameters: &Object) -> Result<Asked, Refusal> {
        let Parameters { argv, cwd, timeout_ms } = read(parameters)?;
        if argv.is_empty() || argv.iter().any(|argument| argument.contains('\0')) {
            return Err(wrong("argv must name a program, and no argument may hold a NUL"));
        }
        let limits = self.workspace.limits().processes;
        Ok(Asked {
            argv,
            cwd: cwd.as_deref().unwrap_or_default().parse()?,
            timeout_ms: timeout_ms.unwrap_or(limits.ms_default).min(limits.ms_max),
        })
    }

    async fn carry_out(&self, asked: Asked) -> Result<Reply, Refusal> {
        let limits = *self.workspace.limits();
        let (workspace, cwd) = (self.workspace.clone(), asked.cwd.clone());
        let files_limit = Duration::from_millis(limits.files.ms_max);
        // The program itself may go anywhere; that it starts inside is all that is promised.
        blocking::run(files_limit, move |_| Ok(workspace.folder(&cwd).map(drop)?)).await?;
        let finished = process::run(Job {
            argv: &asked.argv,
            folder: self.workspace.path().join(asked.cwd.to_path_buf()),
            environment: &self.environment,
            input: &[],
            limit: Duration::from_millis(asked.timeout_ms),
            output_bytes_max: limits.processes.output_bytes_max,
        });
        reply(&asked, &finished.await?)
    }
}

fn reply(asked: &Asked, finished: &Finished) -> Result<Reply, Refusal> {
    let (stdout, stderr) = (finished.stdout.text(), finished.stderr.text());
    let status = match finished.ending {
        Ending::Exited(status) => status,
        Ending::TimedOut => {
            let message = format!("killed after {} ms; it had printed:\n{stdout}{stderr}", asked.timeout_ms);
            return Err(Refusal::new("timed_out", message));
        }
    };
    let program = asked.argv.first().map_or("", String::as_str);
    let result = json!({
        "exit_code": status.code(),
        "signal": status.signal(),
        "stdout": stdout,
        "stderr": stderr,
    });
    let result = provost_contract::json::without_nulls(&result);
    Ok(Reply::done(format!("{program}: {status}"), result))
}

impl Tool for Run {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    fn run<'a>(&'a self, parameters: &'a Object) -> Boxed<'a, Result<Reply, Refusal>> {
        Box::pin(async move { self.carry_out(self.asked(parameters)?).await })
    }

    fn preview<'a>(&'a self, parameters: &'a Object) -> Boxed<'a, Option<Preview>> {
        let preview = self.asked(parameters).map_or_else(Preview::from, |asked| Preview::Command {
            line: command_line(&asked.argv),
            cwd: asked.cwd.to_string(),
            timeout_ms: asked.timeout_ms,
            input: None,
        });
        Box::pin(std::future::ready(Some(preview)))
    }
}
