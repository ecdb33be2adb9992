//! `cargo xtask conformance`: runs JSON vectors against the public functions of the crates.
//!
//! An area's adapter only translates a case's input into a call and the answer back into JSON. There
//! is no second implementation of a rule here.

mod areas;
mod compare;
mod compare_page;
mod differences;
mod not_yet;
mod report;
mod scripted;
mod vectors;

use std::path::PathBuf;

use serde_json::Value;

use crate::Failure;
use differences::Differences;
use report::{Report, Verdict};
use vectors::{Case, Vectors};

/// What to run.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Files or folders of vectors [default: conformance]
    paths: Vec<PathBuf>,
    /// Only this area
    #[arg(long)]
    area: Option<String>,
    /// Only this case
    #[arg(long)]
    case: Option<String>,
}

/// Runs every case and prints each difference; fails when a case does.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let home = crate::workspace_root().join("conformance");
    let differences = Differences::read(&home.join("DIFFERENCES.md"))?;
    let paths = if options.paths.is_empty() { vec![home] } else { options.paths.clone() };
    let mut report = Report::default();
    for file in vectors::load(&paths)? {
        if options.area.as_ref().is_some_and(|area| *area != file.area) {
            continue;
        }
        for case in
            file.cases.iter().filter(|case| options.case.as_ref().is_none_or(|name| *name == case.name))
        {
            report.add(&file.area, case, judge(&file, case, &differences));
        }
    }
    report.finish(&differences)
}

/// An operation of an area and an input it takes.
pub(crate) struct Target {
    pub(crate) area: String,
    pub(crate) op: String,
    pub(crate) input: Value,
    pub(crate) run: fn(&str, &Value) -> Result<Value, Value>,
}

/// Every case of our own vectors whose code is here, as something to call.
pub(crate) fn targets() -> Result<Vec<Target>, Failure> {
    let mut targets = Vec::new();
    for file in vectors::load(&[crate::workspace_root().join("conformance")])? {
        let Some(area) = areas::find(&file.area) else { continue };
        for case in file.cases.into_iter().filter(|case| !not_yet::covers(&file.area, &case.op)) {
            targets.push(Target { area: file.area.clone(), op: case.op, input: case.input, run: area.run });
        }
    }
    Ok(targets)
}

fn judge(file: &Vectors, case: &Case, differences: &Differences) -> Verdict {
    if not_yet::covers(&file.area, &case.op) {
        return Verdict::NotYet;
    }
    let Some(area) = areas::find(&file.area) else {
        return Verdict::Failed(vec![format!("no adapter runs the area {}", file.area)]);
    };
    let answer = (area.run)(&case.op, &case.input);
    let found = (area.compare)(&case.op, &case.expect, &answer);
    match (found.is_empty(), differences.covers(&file.area, &case.name)) {
        (true, false) => Verdict::Passed,
        (false, false) => Verdict::Failed(found),
        (false, true) => Verdict::DecidedOtherwise,
        (true, true) => Verdict::Failed(vec!["listed in DIFFERENCES.md, but it does not differ".to_owned()]),
    }
}
