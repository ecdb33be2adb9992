//! Tools that come together: a source with an executor of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_runtime::port::{Boxed, ExecutorError, Recalled, ToolAction, ToolExecutor};
use serde_json::Value;

/// Tools that come together with what carries them out. Sources, executors and single tools are used side by side; a
/// name that two of them have is refused by [`Builder::build`](crate::Builder::build).
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
    /// Returns the declarations as an object, by the names of the tools, and what carries the tools out.
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

/// All tools of a runtime: each call goes to the executor that brought its tool.
#[derive(Clone, Default)]
pub(crate) struct Toolbox {
    executors: Vec<Arc<dyn ToolExecutor>>,
    /// The index of the executor of each tool.
    owners: BTreeMap<String, usize>,
}

impl Toolbox {
    /// Adds the tools of an executor. Returns the name that is taken, if one is.
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

    /// The name of a process does not say whose it is: one that started no processes has nothing to end.
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
