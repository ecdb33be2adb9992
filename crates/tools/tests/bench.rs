//! A workbench: a workspace in a temporary folder, with something outside it.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use provost_contract::tool::{RuntimeMetadata, ToolCall};
use provost_runtime::port::{DeclaredExecutor, Report, ToolAction, ToolExecutor};
use provost_tools::{Environment, Limits, Preview, Tools, Workspace};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What the outside says, so that a leak is seen.
pub(crate) const SECRET: &str = "the secret of the house";

pub(crate) struct Bench {
    pub(crate) tools: Tools,
    pub(crate) workspace: Workspace,
    home: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(Limits::default())
    }

    /// `home/work` is the workspace, `home/outside/secret.txt` is not in it.
    pub(crate) fn with(limits: Limits) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("work")).unwrap();
        fs::create_dir(home.path().join("outside")).unwrap();
        fs::write(home.path().join("outside/secret.txt"), SECRET).unwrap();
        let workspace = Workspace::open(home.path().join("work"), limits).unwrap();
        let tools = Tools::files(&workspace).unwrap().with_shell(&workspace, &environment()).unwrap();
        Self { tools, workspace, home }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.home.path().join("work").join(path)
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.home.path().join("outside")
    }

    /// Puts a file into the workspace.
    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// The reply to a call.
    pub(crate) async fn call(&self, tool: &str, parameters: Value) -> Value {
        call(&self.tools, tool, parameters).await
    }

    /// The same, with a report of what it prints meanwhile.
    pub(crate) async fn reported(&self, tool: &str, parameters: Value, report: &Report) -> Value {
        let call = tool_call(tool, parameters);
        let (runtime, context) = Default::default();
        let action = ToolAction { report, ..action(&call, &runtime, &context) };
        self.tools.execute(action).await.unwrap()
    }

    /// What the model reads: the result, or the error after its code.
    pub(crate) async fn read(&self, tool: &str, parameters: Value) -> String {
        let reply = self.call(tool, parameters).await;
        match reply["success"].as_bool() {
            Some(true) => serde_json::to_string(&reply["result"]).unwrap(),
            _ => format!(
                "{}: {}",
                reply["metadata"]["error_type"].as_str().unwrap(),
                reply["error"].as_str().unwrap()
            ),
        }
    }

    /// The code of the refusal; `ok` when there was none.
    pub(crate) async fn code(&self, tool: &str, parameters: Value) -> String {
        code_of(&self.call(tool, parameters).await)
    }

    pub(crate) async fn preview(&self, tool: &str, parameters: Value) -> Option<Preview> {
        preview(&self.tools, tool, parameters).await
    }
}

/// The code of a refusal; `ok` when it is none.
pub(crate) fn code_of(reply: &Value) -> String {
    reply["metadata"]["error_type"].as_str().unwrap_or("ok").to_owned()
}

pub(crate) async fn call(tools: &Tools, tool: &str, parameters: Value) -> Value {
    let call = tool_call(tool, parameters);
    let (runtime, context) = Default::default();
    tools.execute(action(&call, &runtime, &context)).await.unwrap()
}

pub(crate) async fn preview(tools: &Tools, tool: &str, parameters: Value) -> Option<Preview> {
    let call = tool_call(tool, parameters);
    tools.preview(&call).await
}

fn tool_call(tool: &str, parameters: Value) -> ToolCall {
    ToolCall::parse(&json!({ "tool_name": tool, "parameters": parameters })).unwrap()
}

fn action<'a>(
    call: &'a ToolCall,
    runtime: &'a RuntimeMetadata,
    context: &'a provost_contract::json::Object,
) -> ToolAction<'a> {
    ToolAction {
        call,
        executor: DeclaredExecutor::Host,
        runtime,
        context,
        run: "run-1",
        action: "1.0",
        key: "key-1",
        report: Report::unheard(),
    }
}

/// A host's environment, of which a program sees only what is listed.
pub(crate) fn environment() -> Environment {
    let host = [("PATH", "/usr/bin:/bin"), ("LANG", "C"), ("HOST_API_TOKEN", SECRET)];
    let host = host.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    Environment::allow(host, &Environment::COMMON)
}
