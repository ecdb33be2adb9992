//! `provost verify`: whether journals are what was written.

use provost_runtime::engine::Chain;
use provost_runtime::port::{Cursor, RunFilter, RunRow, Stores};
use serde_json::json;

use crate::cli::args::VerifyOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::journal;
use crate::cli::place::{self, Place};
use crate::cli::screen::Screen;

const PAGE: usize = 100;

pub(in crate::cli) async fn run(options: &VerifyOptions, screen: &Screen) -> Result<Exit, Failure> {
    let stores = Place::here()?.look()?;
    let rows = match &options.run {
        Some(word) => vec![place::find(&stores, word).await?],
        None => all(&stores).await?,
    };
    let mut broken = 0_usize;
    for row in &rows {
        let records = journal::records(&stores, &row.run).await?;
        let checked = Chain::start(&row.run).verify(&row.run, &records);
        let problem = checked.err().map(|error| error.to_string());
        broken += usize::from(problem.is_some());
        let document = json!({ "run": row.run.as_str(), "records": records.len(), "problem": problem });
        screen.show(&document, || match &problem {
            None => format!("{}: {} records, unbroken", row.run, records.len()),
            Some(problem) => format!("{}: BROKEN, {problem}", row.run),
        });
    }
    match broken {
        0 => Ok(Exit::Done),
        _ => Err(Failure::new(
            Code::Journal,
            format!("{broken} of {} journals are not what was written", rows.len()),
        )),
    }
}

async fn all(stores: &Stores) -> Result<Vec<RunRow>, Failure> {
    let mut rows = Vec::new();
    let mut after = None::<Cursor>;
    loop {
        let page = stores.runs.list(&RunFilter::default(), PAGE, after.as_ref()).await;
        let page = page.map_err(|fault| Failure::storage(&fault))?;
        rows.extend(page.rows);
        after = page.next;
        if after.is_none() {
            return Ok(rows);
        }
    }
}
