//! The tool a configuration makes.

use provost_contract::Result;
use provost_contract::json::{self, Object};
use provost_contract::tool::ToolDeclaration;
use provost_protocol::ArgumentSchema;
use provost_runtime::port::{Boxed, ToolAction};
use serde_json::Value;

use super::CommandSpec;
use crate::declare::Described;
use crate::process::{Ending, Finished, Launch, Launcher};
use crate::schema::wrong;
use crate::{Preview, Refusal, Reply, Tool};

pub(crate) struct CommandTool {
    declaration: ToolDeclaration,
    schema: ArgumentSchema,
    launch: Launch,
    launcher: Launcher,
}

impl CommandTool {
    pub(crate) fn new(spec: CommandSpec, launcher: Launcher) -> Result<Self> {
        let categories: Vec<&str> = spec.categories.iter().map(String::as_str).collect();
        let described = Described {
            name: &spec.name,
            description: &spec.description,
            effects: &spec.effects,
            idempotency: spec.idempotency,
            categories: &categories,
        };
        let schema = ArgumentSchema::compile(&Value::Object(spec.parameters))?;
        let timeout_ms = launcher.timeout_ms(spec.timeout_ms);
        let declaration = described.declare(schema.raw().clone(), timeout_ms)?;
        let launch = Launch { argv: spec.argv, cwd: spec.cwd, timeout_ms };
        Ok(Self { declaration, schema, launch, launcher })
    }

    /// The parameters as the program reads them, if they fit its schema.
    fn input(&self, parameters: &Object) -> Result<String, Refusal> {
        let parameters = Value::Object(parameters.clone());
        let faults = self.schema.faults(&parameters);
        if faults.is_empty() {
            return Ok(parameters.to_string());
        }
        let told: Vec<String> =
            faults.into_iter().map(|fault| format!("{} {}", fault.pointer, fault.message)).collect();
        Err(wrong(told.join("; ").trim()))
    }

    async fn carry_out(&self, action: ToolAction<'_>) -> Result<Reply, Refusal> {
        let input = self.input(&action.call.parameters)?;
        let finished = self.launcher.launch(&self.launch, action, input.as_bytes()).await?;
        let output = self.output(&finished)?;
        Ok(Reply::Printed { output })
    }

    fn output(&self, finished: &Finished) -> Result<Value, Refusal> {
        let (stdout, stderr) = (finished.stdout.text(), finished.stderr.text());
        match finished.ending {
            Ending::TimedOut => return Err(self.launch.timed_out(&stderr)),
            Ending::Exited(status) if !status.success() => {
                return Err(Refusal::new("command_failed", format!("{status}: {stderr}")));
            }
            Ending::Exited(_) => {}
        }
        let left_out = finished.stdout.left_out();
        if left_out > 0 {
            return Err(Refusal::new("too_large", format!("the result is {left_out} bytes too large")));
        }
        json::parse_text(&stdout)
            .map_err(|error| Refusal::new("invalid_result", format!("the program printed no JSON: {error}")))
    }
}

impl Tool for CommandTool {
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
        let preview = self
            .input(parameters)
            .map_or_else(Preview::from, |input| self.launcher.preview(&self.launch, Some(input)));
        Box::pin(std::future::ready(Some(preview)))
    }
}
