//! Tool sources: several tools with one executor.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_runtime::port::{Boxed, ExecutorError, Recalled, ToolAction, ToolExecutor};
use serde_json::Value;

/// Several tools with the executor that runs them. Sources, executors and single tools can be combined; a
/// duplicate name is rejected by [`Builder::build`](crate::Builder::build).
///
/// ```
/// # #[cfg(feature = "tools")] {
/// use provost::tools::{Limits, Tools, Workspace};
/// use provost::{Runtime, Script};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let workspace = Workspace::open(".", Limits::default())?;
/// let runtime = Runtime::builder().model(Script::new()).tools(Tools::files(&workspace)?).build()?;
/// # drop(runtime);
/// # Ok(())
/// # }
/// # main().unwrap();
/// # }
/// ```
pub trait ToolSource {
    /// Returns the declarations as an object keyed by tool name, and the executor.
    fn into_parts(self) -> (Value, Arc<dyn ToolExecutor>);
}

/// Declarations and their executor.
impl<E: ToolExecutor + 'static> ToolSource for (Value, E) {
    fn into_parts(self) -> (Value, Arc<dyn ToolExecutor>) {
        (self.0, Arc::new(self.1))
    }
}

#[cfg(feature = "tools")]
impl ToolSource for provost_tools::Tools {
    fn into_parts(self) -> (Value, Arc<dyn ToolExecutor>) {
        (self.offered(), Arc::new(self))
    }
}

/// All tools of a runtime: each call goes to the executor of its tool.
#[derive(Clone, Default)]
pub(crate) struct Toolbox {
    executors: Vec<Arc<dyn ToolExecutor>>,
    /// The index of the executor of each tool.
    owners: BTreeMap<String, usize>,
}

impl Toolbox {
    /// Adds the tools of an executor. Returns a name that is taken, if there is one.
    pub(crate) fn add<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n String>,
        executor: Arc<dyn ToolExecutor>,
    ) -> Option<String> {
        let index = self.executors.len();
        self.executors.push(executor);
        names.into_iter().find(|name| self.owners.insert((*name).clone(), index).is_some()).cloned()
    }

    fn of(&self, action: ToolAction<'_>) -> Option<&Arc<dyn ToolExecutor>> {
        self.executors.get(*self.owners.get(action.call.tool_name())?)
    }
}

impl ToolExecutor for Toolbox {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        match self.of(action) {
            Some(executor) => executor.execute(action),
            None => Box::pin(async { Err(ExecutorError::TargetUnavailable) }),
        }
    }

    fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        self.of(action)?.prepare(action)
    }

    fn release(&self, run: &str) {
        self.executors.iter().for_each(|executor| executor.release(run));
    }

    /// A process name does not identify its executor, so every executor is asked; one that started no
    /// processes does nothing.
    fn end_earlier<'a>(&'a self, process: &'a str) -> Boxed<'a, Result<(), String>> {
        Box::pin(async move {
            for executor in &self.executors {
                executor.end_earlier(process).await?;
            }
            Ok(())
        })
    }

    fn preview<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Option<Value>> {
        match self.of(action) {
            Some(executor) => executor.preview(action),
            None => Box::pin(async { None }),
        }
    }

    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        match self.of(action) {
            Some(executor) => executor.recall(action),
            None => Box::pin(async { Recalled::Unknown }),
        }
    }
}
