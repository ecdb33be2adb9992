//! `provost db records`: lists the records of a run with the numbers that `db erase` takes.

use std::io::Read as _;
use std::path::Path;

use provost_contract::timestamp;
use provost_engine::{Digest, Record, Seq};
use provost_project::DataDir;
use provost_runtime::store::Store;
use serde_json::json;

use super::db_stats::units;
use crate::args::RecordsOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::run_name;
use crate::screen::Screen;

/// The page size for reading records.
const PAGE: usize = 1_000;
/// The prefix of a digest in the text of a record.
const DIGEST: &str = "sha256:";

pub(crate) async fn run(options: &RecordsOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let wanted = options.find.as_deref().map(wanted).transpose()?;
    let store = DataDir::find(start)?.look()?;
    let run = run_name::find(&*store, &options.of.run).await?.row.run;
    let (mut after, mut shown) = (Seq(0), 0);
    loop {
        let page = store.journal(run.clone(), after, PAGE).await.map_err(|fault| Failure::storage(&fault))?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for record in &page {
            if match &wanted {
                Some(text) => has(&*store, record, text).await?,
                None => true,
            } {
                shown += 1;
                show(record, *screen);
            }
        }
    }
    if shown == 0 {
        screen.tell("no record has this text");
    }
    Ok(Exit::Done)
}

/// Returns the text to find. Read from standard input, it is in no shell history.
fn wanted(word: &str) -> Result<String, Failure> {
    let mut text = word.to_owned();
    if word == "-" {
        text.clear();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Failure::new(Code::File, format!("standard input cannot be read: {error}")))?;
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    if text.is_empty() {
        return Err(
            Failure::new(Code::Config, "there is no text to look for").hint("say it with --find TEXT")
        );
    }
    Ok(text)
}

/// Returns whether a text is in the words of a record, or in an artifact that they name.
async fn has(store: &dyn Store, record: &Record, text: &str) -> Result<bool, Failure> {
    let Some(words) = record.words.as_deref() else { return Ok(false) };
    // Stored words are JSON, which escapes some characters.
    let escaped = json!(text).to_string();
    let escaped = escaped.trim_matches('"').as_bytes();
    let is_in = |bytes: &[u8]| bytes.windows(escaped.len()).any(|part| part == escaped);
    if is_in(words.as_bytes()) {
        return Ok(true);
    }
    for digest in digests(words) {
        let bytes = store.artifact(digest).await.map_err(|fault| Failure::storage(&fault))?;
        if bytes.is_some_and(|bytes| is_in(&bytes)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the digests that words contain.
fn digests(words: &str) -> impl Iterator<Item = Digest> {
    let named = words.match_indices(DIGEST).filter_map(|(at, _)| words.get(at..at + DIGEST.len() + 64));
    named.filter_map(|digest| digest.parse().ok())
}

fn show(record: &Record, screen: Screen) {
    let bytes = record.words.as_ref().map_or(0, |words| words.len());
    let document = json!({
        "seq": record.seq,
        "at": timestamp::iso8601(record.at.0.div_euclid(1_000)),
        "kind": record.kind,
        "words_bytes": bytes,
        "erased": record.erased,
    });
    screen.show(&document, || {
        let at = timestamp::date_time(record.at.0.div_euclid(1_000));
        let words = match &record.erased {
            Some(erased) => format!("erased by {}: {}", erased.by.name(), erased.reason),
            None => units(bytes as u64),
        };
        format!("{:>5}  {at}  {:<20} {words}", record.seq.0, record.kind)
    });
}
