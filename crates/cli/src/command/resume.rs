//! `provost resume`: continues a run.

use std::collections::BTreeMap;
use std::path::Path;

use provost::{Resume, RunHandle};

use super::banner::Banner;
use super::budget;
use super::reopened::Reopened;
use crate::args::ResumeOptions;
use crate::asking::Answers;
use crate::exit::Exit;
use crate::failure::{Code, Failure, unworked};
use crate::follow::{follow, news};
use crate::identity;
use crate::run_name;
use crate::screen::Screen;

pub(crate) async fn run(options: &ResumeOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let budgets = budget::read(&options.budget)?;
    let reopened = Reopened::to_go_on(start, &options.of.run, screen.can_ask() && !options.yes).await?;
    let name = run_name::typed(&**reopened.setup.runtime.store(), &reopened.run).await;
    screen.notes(&Banner::of_run(&reopened.run, &name, &reopened.state.spec.agent).lines());
    let work = async {
        let news = news(&reopened.setup, &reopened.run, reopened.head).await?;
        let handle = taken_up(&reopened, budgets).await?;
        follow(&reopened.setup, handle, news, Answers::of(options.yes), *screen).await
    };
    reopened.setup.closing(work).await
}

/// Reopens a run that stopped; a run that is active, or final, is only watched.
async fn taken_up(reopened: &Reopened, budgets: BTreeMap<String, u64>) -> Result<RunHandle, Failure> {
    let (runtime, run) = (&reopened.setup.runtime, &reopened.run);
    let taken_up = match reopened.state.ended {
        Some(ended) if ended.is_resumable() => {
            let (by, reason) = (Some(identity::actor()), String::new());
            runtime.reopen(run, Resume { budgets, reason, by }).await
        }
        _ if budgets.is_empty() => runtime.resume(run).await,
        Some(ended) => {
            let message = format!("{run} is {}: its limits cannot be raised", <&str>::from(ended));
            return Err(Failure::new(Code::Run, message).hint("start another run"));
        }
        None => {
            let message = format!("{run} is not over: its limits are raised when one of them has stopped it");
            return Err(Failure::new(Code::Run, message).hint("leave --budget away"));
        }
    };
    taken_up.map_err(|error| unworked(run, &error))
}
