//! `provost resume`: goes on with a run.

use provost_runtime::driver::{Reopen, Resume};
use provost_runtime::engine::BudgetSpec;

use super::reopened::Reopened;
use crate::cli::args::ResumeOptions;
use crate::cli::config::known_budget;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::follow::{Answers, follow};
use crate::cli::screen::Screen;

pub(in crate::cli) async fn run(options: &ResumeOptions, screen: &Screen) -> Result<Exit, Failure> {
    let budgets: Result<Vec<BudgetSpec>, Failure> = options.budget.iter().map(|text| budget(text)).collect();
    let resume = Resume { context: None, reopen: Reopen::Yes, budgets: budgets? };
    let reopened = Reopened::to_go_on(&options.of.run, screen.can_ask() && !options.yes).await?;
    screen.tell(&format!("run     {}", reopened.run));
    let handle = reopened.setup.runtime.resume_with(reopened.run.clone(), resume);
    follow(&reopened.setup, handle, Answers::of(options.yes), *screen).await
}

fn budget(text: &str) -> Result<BudgetSpec, Failure> {
    let refused = || {
        Failure::new(Code::Config, format!("`{text}` is no limit"))
            .hint("say it as NAME=NUMBER, such as turns=20")
    };
    let (name, ceiling) = text.split_once('=').ok_or_else(refused)?;
    let ceiling: u32 = ceiling.parse().map_err(|_| refused())?;
    known_budget(name, ceiling.into())?;
    Ok(BudgetSpec { name: name.to_owned(), ceiling: ceiling.into(), current: 0 })
}
