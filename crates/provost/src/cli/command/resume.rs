//! `provost resume`: goes on with a run.

use std::collections::BTreeMap;

use super::reopened::Reopened;
use crate::cli::args::ResumeOptions;
use crate::cli::config::known_budget;
use crate::cli::environment;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::follow::{Answers, follow, news, unworked};
use crate::cli::screen::Screen;
use crate::{Resume, RunHandle};

pub(in crate::cli) async fn run(options: &ResumeOptions, screen: &Screen) -> Result<Exit, Failure> {
    let budgets: Result<BTreeMap<String, u64>, Failure> =
        options.budget.iter().map(|text| budget(text)).collect();
    let budgets = budgets?;
    let reopened = Reopened::to_go_on(&options.of.run, screen.can_ask() && !options.yes).await?;
    screen.tell(&format!("run     {}", reopened.run));
    let work = async {
        let news = news(&reopened.setup, &reopened.run, reopened.head).await?;
        let handle = taken_up(&reopened, budgets).await?;
        follow(&reopened.setup, handle, news, Answers::of(options.yes), *screen).await
    };
    reopened.setup.closing(work).await
}

/// A run that stopped is taken up again; one that is not over, or ended for good, is only watched.
async fn taken_up(reopened: &Reopened, budgets: BTreeMap<String, u64>) -> Result<RunHandle, Failure> {
    let (runtime, run) = (&reopened.setup.runtime, &reopened.run);
    let taken_up = match reopened.state.ended {
        Some(ended) if ended.is_resumable() => {
            let (by, reason) = (Some(environment::actor()), String::new());
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

fn budget(text: &str) -> Result<(String, u64), Failure> {
    let refused = || {
        Failure::new(Code::Config, format!("`{text}` is no limit"))
            .hint("say it as NAME=NUMBER, such as turns=20")
    };
    let (name, ceiling) = text.split_once('=').ok_or_else(refused)?;
    let ceiling: u32 = ceiling.parse().map_err(|_| refused())?;
    known_budget(name, ceiling.into())?;
    Ok((name.to_owned(), ceiling.into()))
}
