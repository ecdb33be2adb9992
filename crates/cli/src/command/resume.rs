//! `provost resume`: continues a run.

use std::collections::BTreeMap;
use std::path::Path;

use provost::{Resume, RunHandle};
use provost_engine::event::EndStatus;

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
use crate::text::{Line, Mark, Span};

pub(crate) async fn run(options: &ResumeOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let budgets = budget::read(&options.budget)?;
    let reopened = Reopened::to_go_on(start, &options.of.run, screen.can_ask() && !options.yes).await?;
    let name = run_name::typed(&**reopened.setup.runtime.store(), &reopened.run).await;
    let agent = &reopened.state.spec.agent;
    let worker = reopened.announce(*screen).await?;
    let mut lines = Banner::of_run(&reopened.run, &name, agent).lines();
    lines.extend(worker.map(|worker| watching(&worker)));
    lines.extend(reopened.state.ended.filter(|ended| !ended.is_resumable()).map(had_ended));
    screen.notes(&lines);
    let work = async {
        let news = news(&reopened.setup, &reopened.run, reopened.head).await?;
        let handle = taken_up(&reopened, budgets).await?;
        follow(&reopened.setup, handle, news, Answers::of(options.yes), *screen).await
    };
    reopened.setup.closing(work).await
}

/// Says whose run it is, and what Ctrl-C does to it.
fn watching(worker: &str) -> Line {
    let text = format!(
        "{worker} works on this run; this process only watches. Ctrl-C cancels the run; a second Ctrl-C only exits."
    );
    Line::new(Mark::Waits, "watches", vec![Span::text(text)])
}

/// Says that nothing is continued: what follows is the result that was there.
fn had_ended(status: EndStatus) -> Line {
    let text = format!("this run had already ended as {}; its result is shown again", <&str>::from(status));
    Line::note("ended", vec![Span::text(text)])
}

/// A run that stopped is taken up again; one that is not over, or ended for good, is only watched.
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
            let message = format!("{run} has not ended: limits can be raised only after one stopped it");
            return Err(Failure::new(Code::Run, message).hint("omit --budget"));
        }
    };
    taken_up.map_err(|error| unworked(run, &error))
}
