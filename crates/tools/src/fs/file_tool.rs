//! What the file tools have in common: typed parameters, and work that blocks.

use std::marker::PhantomData;
use std::time::Duration;

use provost_contract::Result;
use provost_contract::json::Object;
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::{Boxed, Recalled, ToolAction};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::blocking::{self, Stop};
use crate::declare::Described;
use crate::schema::{read, schema_of};
use crate::{Preview, Refusal, Reply, Tool, Workspace};

/// A tool that works on the files of a workspace and on nothing else.
pub(crate) trait FileTool: 'static {
    type Parameters: DeserializeOwned + JsonSchema + Send + 'static;

    const DESCRIBED: Described<'static>;

    /// Does it.
    fn work(workspace: &Workspace, asked: Self::Parameters, stop: &Stop) -> Result<Reply, Refusal>;

    /// What it would change; a tool that only reads would change nothing.
    fn preview(_workspace: &Workspace, _asked: Self::Parameters) -> Result<Option<Preview>, Refusal> {
        Ok(None)
    }

    /// What became of work that was begun before the process died, as far as the files show it.
    fn recall(_workspace: &Workspace, _asked: Self::Parameters) -> Result<Recalled, Refusal> {
        Ok(Recalled::Unknown)
    }
}

/// A file tool bound to a workspace.
pub(crate) struct OnFiles<T> {
    declaration: ToolDeclaration,
    workspace: Workspace,
    tool: PhantomData<fn() -> T>,
}

impl<T: FileTool> OnFiles<T> {
    pub(crate) fn new(workspace: &Workspace) -> Result<Self> {
        let ms_max = workspace.limits().files.ms_max;
        let declaration = T::DESCRIBED.declare(schema_of::<T::Parameters>(), ms_max)?;
        Ok(Self { declaration, workspace: workspace.clone(), tool: PhantomData })
    }

    /// Reads the parameters here, does the rest on a thread that may block.
    async fn blocking<R: Send + 'static>(
        &self,
        parameters: &Object,
        work: fn(&Workspace, T::Parameters, &Stop) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        let asked = read::<T::Parameters>(parameters)?;
        let workspace = self.workspace.clone();
        let limit = Duration::from_millis(workspace.limits().files.ms_max);
        blocking::run(limit, move |stop| work(&workspace, asked, stop)).await
    }
}

impl<T: FileTool> Tool for OnFiles<T> {
    fn declaration(&self) -> &ToolDeclaration {
        &self.declaration
    }

    fn run<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Reply, Refusal>> {
        Box::pin(self.blocking(&action.call.parameters, T::work))
    }

    fn preview<'a>(&'a self, parameters: &'a Object) -> Boxed<'a, Option<Preview>> {
        Box::pin(async move {
            let shown = self.blocking(parameters, |workspace, asked, _| T::preview(workspace, asked)).await;
            shown.unwrap_or_else(|refusal| Some(refusal.into()))
        })
    }

    fn recall<'a>(&'a self, parameters: &'a Object) -> Boxed<'a, Recalled> {
        Box::pin(async move {
            let seen = self.blocking(parameters, |workspace, asked, _| T::recall(workspace, asked)).await;
            seen.unwrap_or(Recalled::Unknown)
        })
    }
}
