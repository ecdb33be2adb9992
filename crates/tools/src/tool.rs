//! What every tool is.

use provost_contract::json::Object;
use provost_contract::tool::ToolDeclaration;
use provost_runtime::port::{Boxed, Recalled, ToolAction};

use crate::{Preview, Refusal, Reply};

/// One tool: what it says of itself, what it does, and what it would do.
pub trait Tool: Send + Sync {
    /// What models, policies and the engine are told.
    fn declaration(&self) -> &ToolDeclaration;

    /// Does it.
    ///
    /// # Cancel safety
    /// A dropped future stops the work: nothing of it goes on for long, no process outlives it, and no
    /// file is left half written. Whether the work was done by then is open.
    fn run<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Reply, Refusal>>;

    /// Starts the process that will do it, waiting, and names it, so that its name is recorded before anything
    /// is done. None when the tool starts no process.
    fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        let _ = action;
        None
    }

    /// Ends what was prepared for a run and never did anything.
    fn release(&self, run: &str) {
        let _ = run;
    }

    /// What doing it would change, without doing anything; none when there is nothing worth showing.
    fn preview<'a>(&'a self, parameters: &'a Object) -> Boxed<'a, Option<Preview>> {
        let _ = parameters;
        Box::pin(std::future::ready(None))
    }

    /// What became of a call that was begun before the process died, as far as the world shows it.
    fn recall<'a>(&'a self, parameters: &'a Object) -> Boxed<'a, Recalled> {
        let _ = parameters;
        Box::pin(std::future::ready(Recalled::Unknown))
    }
}
