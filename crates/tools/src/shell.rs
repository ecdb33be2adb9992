//! `shell/run`: a program in a folder of the workspace.

use std::os::unix::process::ExitStatusExt;

use provost_contract::Result;
use provost_contract::action::{Idempotency, SideEffect};
use provost_contract::json::{Object, without_nulls};
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::{Boxed, ToolAction};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::declare::Described;
use crate::process::{Ending, Finished, Launch, Launcher};
use crate::schema::{read, schema_of, wrong};
use crate::{Preview, Refusal, Reply, Tool};

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

pub(crate) struct ShellRun {
    declaration: ToolDeclaration,
    launcher: Launcher,
}

impl ShellRun {
    pub(crate) fn new(launcher: Launcher) -> Result<Self> {
        let declaration = DESCRIBED.declare(schema_of::<Parameters>(), launcher.timeout_ms_max())?;
        Ok(Self { declaration, launcher })
    }

    fn asked(&self, parameters: &Object) -> Result<Launch, Refusal> {
        let Parameters { argv, cwd, timeout_ms } = read(parameters)?;
        if argv.is_empty() || argv.iter().any(|argument| argument.contains('\0')) {
            return Err(wrong("argv must name a program, and no argument may hold a NUL"));
        }
        let cwd = cwd.as_deref().unwrap_or_default().parse()?;
        Ok(Launch { argv, cwd, timeout_ms: self.launcher.timeout_ms(timeout_ms) })
    }

    async fn carry_out(&self, action: ToolAction<'_>) -> Result<Reply, Refusal> {
        let launch = self.asked(&action.call.parameters)?;
        let finished = self.launcher.launch(&launch, action, &[]).await?;
        reply(&launch, &finished)
    }
}

/// A program that failed has run: its exit code is an answer. One that was killed for its time gave none.
fn reply(launch: &Launch, finished: &Finished) -> Result<Reply, Refusal> {
    let (stdout, stderr) = (finished.stdout.text(), finished.stderr.text());
    let status = match finished.ending {
        Ending::Exited(status) => status,
        Ending::TimedOut => return Err(launch.timed_out(&format!("{stdout}{stderr}"))),
    };
    let result = without_nulls(&json!({
        "exit_code": status.code(),
        "signal": status.signal(),
        "stdout": stdout,
        "stderr": stderr,
    }));
    Ok(Reply::done(status.to_string(), result))
}

impl Tool for ShellRun {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    fn run<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Reply, Refusal>> {
        Box::pin(self.carry_out(action))
    }

    fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        self.launcher.prepare(action)
    }

    fn release(&self, run: &str) {
        self.launcher.release(run);
    }

    fn preview<'a>(&'a self, parameters: &'a Object) -> Boxed<'a, Option<Preview>> {
        let preview =
            self.asked(parameters).map_or_else(Preview::from, |launch| self.launcher.preview(&launch, None));
        Box::pin(std::future::ready(Some(preview)))
    }
}
