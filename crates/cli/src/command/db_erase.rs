//! `provost db erase`: erases text of records.

use std::collections::BTreeSet;
use std::path::Path;

use provost_engine::{RunId, Seq, Time};
use provost_project::DataDir;
use provost_project::clock;
use provost_runtime::process::is_gone;
use provost_runtime::store::{RunRow, Store};
use provost_runtime::verify::{EraseFailure, Erased, erase_words, verify_run};
use serde_json::json;

use crate::args::EraseOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::identity;
use crate::run_name;
use crate::screen::Screen;

/// The text shown in place of erased text.
const ERASED: &str = "[erased]";

pub(crate) async fn run(options: &EraseOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    if options.reason.trim().is_empty() {
        return Err(Failure::new(Code::Config, "the reason is empty").hint("say why with --reason \"…\""));
    }
    let data = DataDir::find(start)?;
    let store = data.open()?;
    let row = run_name::find(&*store, &options.run).await?.row;
    not_at_work(&*store, &row).await?;
    let seqs: BTreeSet<Seq> = options.seq.iter().copied().map(Seq).collect();
    if let Some(missing) = seqs.iter().find(|seq| **seq == Seq(0) || **seq > row.head) {
        return Err(unknown(&row.run, *missing, row.head));
    }
    let mut erased = Vec::new();
    for seq in &seqs {
        rename_session(&*store, &row, *seq).await?;
        let why = (identity::actor(), Time(clock::clock().now_ms()), options.reason.clone());
        let done = erase_words(&*store, &row.run, *seq, why).await;
        erased.push(done.map_err(|error| refused(&row, *seq, &error))?);
    }
    // Also after a repeated erasure: the first one may have been interrupted here.
    store.compact().await.map_err(|fault| left_behind(&Failure::storage(&fault)))?;
    for done in &mut erased {
        done.repeated.retain(|(seq, _)| !seqs.contains(seq));
        show(&row.run, done, *screen);
    }
    tell_rest(&*store, &data, &row, *screen).await?;
    Ok(Exit::Done)
}

/// Rejects a run that a worker works on: it has the text in memory, and would record it again.
async fn not_at_work(store: &dyn Store, row: &RunRow) -> Result<(), Failure> {
    let Some(owner) = &row.owner else { return Ok(()) };
    let worker = store.worker(owner.clone()).await.map_err(|fault| Failure::storage(&fault))?;
    let now = Time(clock::clock().now_ms());
    let lives = worker.filter(|worker| !worker.dead && worker.until >= now && !is_gone(&worker.about));
    let Some(worker) = lives else { return Ok(()) };
    let message = format!(
        "{} is being worked on by process {}, which has the text in memory and would record it again",
        row.run, worker.about.pid
    );
    let hint = format!("wait until it waits or ends, or stop it with provost cancel {}", row.run);
    Err(Failure::new(Code::Busy, message).hint(hint))
}

fn unknown(run: &RunId, seq: Seq, head: Seq) -> Failure {
    let message = format!("{run} has no record {seq}: its last one is {head}");
    Failure::new(Code::UnknownRun, message).hint(format!("provost db records {run} lists them"))
}

fn refused(row: &RunRow, seq: Seq, error: &EraseFailure) -> Failure {
    match error {
        EraseFailure::Missing { .. } => unknown(&row.run, seq, row.head),
        EraseFailure::Refused(_) | EraseFailure::Storage(_) => Failure::of(Code::Store, error),
    }
}

/// The text is gone from its records, but copies of it may remain.
fn left_behind(failure: &Failure) -> Failure {
    let message = format!(
        "the text is erased, but the file could not be rewritten and may hold copies of it: {}",
        failure.message
    );
    Failure::new(Code::Store, message).hint(
        "end other programs that use the database, make room for a second copy of it, and repeat the command",
    )
}

/// The title of a conversation is its first message: if that is erased, so is the title.
async fn rename_session(store: &dyn Store, row: &RunRow, seq: Seq) -> Result<(), Failure> {
    let storage = |fault| Failure::storage(&fault);
    let Some(session) = &row.session else { return Ok(()) };
    let Some(found) = store.session(session.clone()).await.map_err(storage)? else { return Ok(()) };
    let before = Seq(seq.0.saturating_sub(1));
    let records = store.journal(row.run.clone(), before, 1).await.map_err(storage)?;
    let words = records.first().and_then(|record| record.words.as_deref()).unwrap_or_default();
    let Some(title) = found.about.title.as_deref().map(|title| title.trim_end_matches('…')) else {
        return Ok(());
    };
    let escaped = json!(title).to_string();
    if title.is_empty() || !words.contains(escaped.trim_matches('"')) {
        return Ok(());
    }
    let renamed = store.rename_session(session.clone(), Some(ERASED.to_owned())).await;
    renamed.map_err(|error| Failure::of(Code::Store, &error))
}

fn show(run: &RunId, erased: &Erased, screen: Screen) {
    let texts =
        |digests: &[provost_engine::Digest]| digests.iter().map(ToString::to_string).collect::<Vec<String>>();
    let waits: Vec<String> = erased.waits.iter().map(ToString::to_string).collect();
    let repeated: Vec<_> =
        erased.repeated.iter().map(|(seq, kind)| json!({ "seq": seq, "kind": kind })).collect();
    let document = json!({
        "type": "erased",
        "run": run.as_str(),
        "seq": erased.seq,
        "kind": erased.kind,
        "already": erased.before.is_some(),
        "artifacts": texts(&erased.artifacts),
        "shared_artifacts": texts(&erased.shared),
        "waits": waits,
        "repeated": repeated,
    });
    screen.show(&document, || lines(run, erased));
}

fn lines(run: &RunId, erased: &Erased) -> String {
    let mut lines = vec![match &erased.before {
        None => format!("{run}: erased the text of record {} ({})", erased.seq, erased.kind),
        Some(before) => {
            format!("{run}: record {} was erased before, by {}", erased.seq, before.by.name())
        }
    }];
    lines.extend(erased.artifacts.iter().map(|digest| format!("  removed artifact {digest}")));
    lines.extend(erased.waits.iter().map(|wait| format!("  erased question and answer of wait {wait}")));
    let shared = |digest| format!("  left: artifact {digest}, which another run uses");
    lines.extend(erased.shared.iter().map(shared));
    if !erased.repeated.is_empty() {
        let named = erased.repeated.iter().map(|(seq, kind)| format!("{seq} ({kind})"));
        let named: Vec<String> = named.collect();
        lines.push(format!("  left: records that repeat something of it: {}", named.join(", ")));
    }
    lines.join("\n")
}

/// Prints whether the chain is intact, and which copies exist outside the journal.
async fn tell_rest(store: &dyn Store, data: &DataDir, row: &RunRow, screen: Screen) -> Result<(), Failure> {
    let report = verify_run(store, &row.run).await.map_err(|fault| Failure::storage(&fault))?;
    match report.problems.first() {
        None => screen.tell(&format!(
            "hashes stay: {} records, chain intact, the text of {} erased",
            report.head, report.erased
        )),
        Some(problem) => screen.tell(&format!("warning: the journal was broken before: {problem}")),
    }
    let history = data.file("chat_history");
    if row.session.is_some() && history.exists() {
        screen.tell(&format!("{} has what was typed in chats", history.display()));
    }
    let copy = data.copy_of(row.session.as_ref().map_or(row.run.as_str(), |session| session.as_str()));
    if copy.exists() {
        screen.tell(&format!("{} has the files that it worked on", copy.display()));
    }
    Ok(())
}
