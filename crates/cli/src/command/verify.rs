//! `provost verify`: checks that journals, rows and waits are unchanged.

use std::path::Path;

use provost_project::{DataDir, anchor_file};
use provost_runtime::store::Store;
use provost_runtime::verify::{
    AnchorFile, AnchorFinding, RunReport, check_anchors, verify_run, verify_store,
};
use serde_json::json;

use crate::args::VerifyOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::journal;
use crate::run_name;
use crate::screen::Screen;

pub(crate) async fn run(options: &VerifyOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let data = DataDir::find(start)?;
    let anchor = match &options.anchor {
        None => None,
        Some(Some(file)) => Some(file.clone()),
        Some(None) => Some(anchor_file(&data)?.ok_or_else(unconfigured)?),
    };
    let store = data.look()?;
    let broken = match &options.run {
        Some(word) => one(&*store, word, *screen).await?,
        None => all(&*store, *screen).await?,
    };
    if let Some(file) = &anchor {
        anchors(&*store, file, *screen).await?;
    }
    broken.map_or(Ok(Exit::Done), Err)
}

fn unconfigured() -> Failure {
    Failure::new(Code::Config, "no anchor file is configured").hint(
        "name it with --anchor FILE, with `anchor` in [storage] of provost.toml, or with PROVOST_ANCHOR_FILE",
    )
}

async fn one(store: &dyn Store, word: &str, screen: Screen) -> Result<Option<Failure>, Failure> {
    let run = run_name::find(store, word).await?.row.run;
    let report = verify_run(store, &run).await.map_err(|fault| Failure::storage(&fault))?;
    show(&report, screen);
    Ok(journal::broken(&report))
}

async fn all(store: &dyn Store, screen: Screen) -> Result<Option<Failure>, Failure> {
    let verified = verify_store(store, |report| show(report, screen)).await;
    let verified = verified.map_err(|fault| Failure::storage(&fault))?;
    let message =
        format!("{} of {} runs were changed after they were written", verified.broken, verified.runs);
    let failure = Failure::new(Code::Journal, message).hint("restore the database from a backup");
    Ok((verified.broken > 0).then_some(failure))
}

fn show(report: &RunReport, screen: Screen) {
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    let problem = (!problems.is_empty()).then(|| problems.join("; "));
    let document = json!({
        "run": report.run.as_str(),
        "records": report.head,
        "hash": report.hash.to_string(),
        "erased": report.erased,
        "problem": problem,
    });
    screen.show(&document, || {
        let erased = match report.erased {
            0 => String::new(),
            erased => format!(", the text of {erased} erased"),
        };
        match &problem {
            None => format!("{}: {} records, unbroken{erased}", report.run, report.head),
            Some(problem) => format!("{}: BROKEN, {problem}", report.run),
        }
    });
}

/// Compares with the anchor file.
async fn anchors(store: &dyn Store, file: &Path, screen: Screen) -> Result<(), Failure> {
    if !file.exists() {
        let message = format!("there is no anchor file {}", file.display());
        return Err(Failure::new(Code::File, message).hint("without it nothing can be compared"));
    }
    let lines = AnchorFile::new(file).lines().map_err(|error| Failure::of(Code::File, &error))?;
    let report = check_anchors(store, &lines.read).await.map_err(|fault| Failure::storage(&fault))?;
    for line in &lines.unreadable {
        let document = json!({ "type": "anchor", "line": line, "finding": "unreadable" });
        screen
            .show(&document, || format!("line {line} of {} cannot be read and was skipped", file.display()));
    }
    for (run, finding) in &report.findings {
        let (word, says) = match finding {
            AnchorFinding::Missing => ("missing", "BROKEN, it is anchored and gone".to_owned()),
            AnchorFinding::RecordMissing(seq) => {
                ("record_missing", format!("BROKEN, the anchored record {seq} is gone"))
            }
            AnchorFinding::Differs(seq) => {
                ("differs", format!("BROKEN, record {seq} is not the anchored one"))
            }
            AnchorFinding::Appended { anchored, head } => {
                ("appended", format!("anchored up to record {anchored}, resumed since (record {head})"))
            }
            AnchorFinding::Unanchored => ("unanchored", "ended, and not anchored yet".to_owned()),
        };
        let document = json!({ "type": "anchor", "run": run.as_str(), "finding": word });
        screen.show(&document, || format!("{run}: {says}"));
    }
    screen.tell(&format!("{} anchored records are in their chains", report.confirmed));
    if report.is_failure() {
        return Err(Failure::new(Code::Journal, "anchored records are missing or differ")
            .hint("restore the database from a backup that has it"));
    }
    Ok(())
}
