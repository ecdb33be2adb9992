//! The tools of a host, found by their canonical name.

use std::sync::Arc;

use provost_contract::json;
use provost_contract::tool::{ToolCall, ToolDeclaration};
use provost_runtime::port::{Boxed, ExecutorError, Recalled, ToolAction, ToolExecutor};
use serde_json::Value;

use crate::command::{CommandSpec, CommandTool};
use crate::fs::{Edit, List, OnFiles, Read, Search, Write};
use crate::http::{Get, HttpAccess};
use crate::human::Ask;
use crate::process::Launcher;
use crate::shell::ShellRun;
use crate::{Bounds, Environment, Preview, Refusal, RegistryError, Reply, Tool, Workspace};

/// A set of tools, no two of the same name.
///
/// ```
/// use provost_tools::{Environment, HttpAccess, Limits, Tools, Workspace};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let workspace = Workspace::open(".", Limits::default())?;
/// let environment = Environment::allow(std::env::vars_os(), &Environment::COMMON);
/// let access = HttpAccess { hosts: vec!["docs.rs".parse()?], ..HttpAccess::default() };
/// let tools = Tools::files(&workspace)?.with_shell(&workspace, &environment)?.with_http(access)?.with_human()?;
/// let names: Vec<&str> = tools.declarations().map(|tool| tool.name().as_str()).collect();
/// assert_eq!(names.first(), Some(&"fs/list"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Tools(Vec<Arc<dyn Tool>>);

impl Tools {
    /// The tools that read and change the files of a workspace.
    ///
    /// # Errors
    /// When a declaration is refused.
    pub fn files(workspace: &Workspace) -> Result<Self, RegistryError> {
        Self::default()
            .with(OnFiles::<List>::new(workspace)?)?
            .with(OnFiles::<Search>::new(workspace)?)?
            .with(OnFiles::<Read>::new(workspace)?)?
            .with(OnFiles::<Write>::new(workspace)?)?
            .with(OnFiles::<Edit>::new(workspace)?)
    }

    /// Adds the tool that runs programs.
    ///
    /// # Errors
    /// When there is one already.
    pub fn with_shell(self, workspace: &Workspace, environment: &Environment) -> Result<Self, RegistryError> {
        self.with(ShellRun::new(Launcher::new(workspace, environment))?)
    }

    /// Adds a tool that is a program of the host's choosing.
    ///
    /// # Errors
    /// When its name is taken or its schema does not compile.
    pub fn with_command(
        self,
        spec: CommandSpec,
        workspace: &Workspace,
        environment: &Environment,
    ) -> Result<Self, RegistryError> {
        self.with(CommandTool::new(spec, Launcher::new(workspace, environment))?)
    }

    /// Adds the tool that reads addresses.
    ///
    /// # Errors
    /// When there is one already, or no client can be made.
    pub fn with_http(self, access: HttpAccess) -> Result<Self, RegistryError> {
        self.with(Get::new(access, None)?)
    }

    /// The same, with bounds for redirects.
    ///
    /// # Errors
    /// When there is one already, or no client can be made.
    pub fn with_http_within(
        self,
        access: HttpAccess,
        bounds: Arc<dyn Bounds>,
    ) -> Result<Self, RegistryError> {
        self.with(Get::new(access, Some(bounds))?)
    }

    /// Adds the tool that asks a person.
    ///
    /// # Errors
    /// When there is one already.
    pub fn with_human(self) -> Result<Self, RegistryError> {
        self.with(Ask::new()?)
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// When there is one of its name already.
    pub fn with(mut self, tool: impl Tool + 'static) -> Result<Self, RegistryError> {
        let name = tool.declaration().name().as_str();
        if self.get(name).is_some() {
            return Err(RegistryError::Twice(name.to_owned()));
        }
        self.0.push(Arc::new(tool));
        Ok(self)
    }

    /// What is offered, in the order it was added.
    pub fn declarations(&self) -> impl Iterator<Item = &ToolDeclaration> {
        self.0.iter().map(|tool| tool.declaration())
    }

    /// The same by name, as a host offers them to a run: without the scope, by which policies know the tools
    /// that a client brought along.
    pub fn offered(&self) -> Value {
        let own = |tool: &ToolDeclaration| json::without(&json::into_object(tool.to_value()), &["scope"]);
        let named = |tool: &ToolDeclaration| (tool.name().to_string(), Value::Object(own(tool)));
        Value::Object(self.declarations().map(named).collect())
    }

    /// What a call would do, without doing it; none when the tool has nothing to show or is not here.
    pub async fn preview(&self, call: &ToolCall) -> Option<Preview> {
        self.get(call.tool_name())?.preview(&call.parameters).await
    }

    fn get(&self, name: &str) -> Option<&dyn Tool> {
        self.0.iter().map(AsRef::as_ref).find(|tool| tool.declaration().name().as_str() == name)
    }
}

impl ToolExecutor for Tools {
    /// Carries out a call. A refusal is a reply, with its reason under `error_type`.
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        Box::pin(async move {
            let tool = self.get(action.call.tool_name()).ok_or(ExecutorError::TargetUnavailable)?;
            let answer = tool.run(action).await;
            Ok(answer.map_or_else(Refusal::into_value, Reply::into_value))
        })
    }

    fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        self.get(action.call.tool_name())?.prepare(action)
    }

    fn release(&self, run: &str) {
        self.0.iter().for_each(|tool| tool.release(run));
    }

    fn end_earlier<'a>(&'a self, process: &'a str) -> Boxed<'a, Result<(), String>> {
        Box::pin(crate::supervise::end_earlier(process))
    }

    fn preview<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Option<Value>> {
        Box::pin(async move { Some(Self::preview(self, action.call).await?.to_value()) })
    }

    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        Box::pin(async move {
            match self.get(action.call.tool_name()) {
                Some(tool) => tool.recall(&action.call.parameters).await,
                None => Recalled::Unknown,
            }
        })
    }
}
