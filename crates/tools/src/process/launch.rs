//! Starting programs in a workspace, within its limits.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use provost_runtime::port::ToolAction;

use super::run::ProcessError;
use super::{Finished, Job, run};
use crate::supervise::Keeper;
use crate::workspace::WorkspacePath;
use crate::{Environment, Preview, Refusal, Workspace, blocking};

/// Starts programs in the folders of one workspace, all with the same variables.
#[derive(Clone, Debug)]
pub(crate) struct Launcher {
    workspace: Workspace,
    environment: Environment,
    prepared: Prepared,
}

/// The run and the idempotency key of an action.
type Attempted = (String, String);

fn attempted(action: ToolAction<'_>) -> Attempted {
    (action.run.to_owned(), action.key.to_owned())
}

/// Supervising processes that wait for their program, by the key of its action.
#[derive(Clone, Default)]
struct Prepared(Arc<Mutex<HashMap<Attempted, Keeper>>>);

impl Prepared {
    fn keepers(&self) -> MutexGuard<'_, HashMap<Attempted, Keeper>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.keepers().keys()).finish()
    }
}

/// A program, where it starts, and for how long.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) argv: Vec<String>,
    pub(crate) cwd: WorkspacePath,
    pub(crate) timeout_ms: u64,
}

impl Launcher {
    pub(crate) fn new(workspace: &Workspace, environment: &Environment) -> Self {
        Self { workspace: workspace.clone(), environment: environment.clone(), prepared: Prepared::default() }
    }

    /// The time a program gets that asks for so much, or for none.
    pub(crate) fn timeout_ms(&self, asked: Option<u64>) -> u64 {
        let limits = self.workspace.limits().processes;
        asked.unwrap_or(limits.ms_default).min(limits.ms_max)
    }

    /// The longest time any program gets.
    pub(crate) fn timeout_ms_max(&self) -> u64 {
        self.workspace.limits().processes.ms_max
    }

    /// Starts the process that will supervise the program of an action, and names it; none where nothing
    /// supervises.
    pub(crate) fn prepare(&self, action: ToolAction<'_>) -> Option<String> {
        // What cannot be started now is tried again, and said, when the program is to start.
        let keeper = Keeper::spawn().ok().flatten()?;
        let identity = keeper.identity();
        self.prepared.keepers().insert(attempted(action), keeper);
        Some(identity)
    }

    /// Ends the supervising processes of a run whose programs never started.
    pub(crate) fn release(&self, run: &str) {
        self.prepared.keepers().retain(|(of, _), _| of != run);
    }

    /// Runs a program to its end.
    ///
    /// # Cancel safety
    /// When the future is dropped the program and all it started are killed.
    pub(crate) async fn launch(
        &self,
        launch: &Launch,
        action: ToolAction<'_>,
        input: &[u8],
    ) -> Result<Finished, Refusal> {
        self.check(launch.cwd.clone()).await?;
        let prepared = self.prepared.keepers().remove(&attempted(action));
        let keeper = match prepared {
            Some(keeper) => Some(keeper),
            None => Keeper::spawn().map_err(|source| ProcessError::NotStarted {
                program: "the process that supervises it".to_owned(),
                source,
            })?,
        };
        let job = Job {
            argv: &launch.argv,
            folder: self.workspace.path().join(launch.cwd.to_path_buf()),
            environment: &self.environment.of_action(action),
            input,
            limit: Duration::from_millis(launch.timeout_ms),
            output_bytes_max: self.workspace.limits().processes.output_bytes_max,
            keeper,
        };
        Ok(run(job).await?)
    }

    /// What would run; or that no such program is there, so that no person is asked about it.
    pub(crate) fn preview(&self, launch: &Launch, input: Option<String>) -> Preview {
        let Some(program) = launch.argv.first().filter(|program| self.is_missing(program, &launch.cwd))
        else {
            return launch.preview(input);
        };
        let source = std::io::ErrorKind::NotFound.into();
        Refusal::from(ProcessError::NotStarted { program: program.clone(), source }).into()
    }

    /// Whether a program is certainly not there. Without a `PATH` the system looks where it likes.
    fn is_missing(&self, program: &str, cwd: &WorkspacePath) -> bool {
        let is_nowhere = |path: &Path| {
            std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        if program.contains('/') {
            return is_nowhere(&self.workspace.path().join(cwd.to_path_buf()).join(program));
        }
        let path = self.environment.variables().find(|(name, _)| *name == "PATH").map(|(_, value)| value);
        path.is_some_and(|path| std::env::split_paths(path).all(|folder| is_nowhere(&folder.join(program))))
    }

    /// The program itself may go anywhere; that it starts inside is all that is promised.
    async fn check(&self, cwd: WorkspacePath) -> Result<(), Refusal> {
        let workspace = self.workspace.clone();
        let limit = Duration::from_millis(workspace.limits().files.ms_max);
        blocking::run(limit, move |_| Ok(workspace.folder(&cwd).map(drop)?)).await
    }
}

impl Launch {
    /// The answer of a program whose time was up.
    pub(crate) fn timed_out(&self, printed: &str) -> Refusal {
        let message = format!("killed after {} ms; it had printed:\n{printed}", self.timeout_ms);
        Refusal::new("timed_out", message)
    }

    /// What would run.
    fn preview(&self, input: Option<String>) -> Preview {
        Preview::Command {
            line: super::command_line(&self.argv),
            cwd: self.cwd.to_string(),
            timeout_ms: self.timeout_ms,
            input,
        }
    }
}
