//! `provost db prune`: removes old runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use provost_contract::timestamp;
use provost_engine::{RunId, Time};
use provost_project::{DataDir, Project, anchor_file, clock};
use provost_runtime::store::{Prune, PruneFilter, Pruned, Store};
use provost_runtime::verify::{AnchorFile, AnchorLine};
use serde_json::json;

use super::db_stats::units;
use crate::args::PruneOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::screen::Screen;

/// The number of run trees per transaction: other writers wait for it.
const TREES: usize = 500;
const MS_PER_DAY: i64 = 86_400_000;

pub(crate) async fn run(options: &PruneOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let before = moment(&options.before, clock::clock().now_ms())?;
    let data = DataDir::find(start)?;
    let store = data.open()?;
    let filter =
        PruneFilter { before, workspace: None, sessions: options.sessions, most: usize::MAX, preview: true };
    let going = store.prune(filter.clone()).await.map_err(|fault| Failure::storage(&fault))?;
    if options.dry_run {
        going.runs.iter().for_each(|run| show(run, "would_prune", *screen));
        screen.tell(&format!("{} would go", counted(&going)));
        return Ok(Exit::Done);
    }
    if !options.yes && (!going.runs.is_empty() || going.sessions > 0) {
        confirm(&going, *screen).await?;
    }
    // Collected before the removal: afterwards nothing names the projects of the runs.
    let anchors = Anchors::of(&*store, &data, &going.runs).await?;
    let done = remove(&*store, &filter, &anchors, *screen).await?;
    let database = |data: &DataDir| std::fs::metadata(data.database()).map_or(0, |about| about.len());
    let size = database(&data);
    let compacted = store.compact().await.map_err(|fault| Failure::storage(&fault));
    screen.tell(&format!("{} and {} artifacts were removed", counted(&done), done.artifacts));
    match compacted {
        Ok(()) => {
            screen.tell(&format!("the database went from {} to {}", units(size), units(database(&data))));
        }
        Err(failure) => screen.tell(&format!(
            "warning: the database could not be rewritten, so that its size stays: {}",
            failure.message
        )),
    }
    Ok(Exit::Done)
}

/// Parses a number of days ago, or a date.
fn moment(text: &str, now_ms: i64) -> Result<Time, Failure> {
    let days = text.strip_suffix('d').unwrap_or(text).parse::<u32>().ok();
    let moment = match days {
        Some(days) => Some(now_ms - i64::from(days) * MS_PER_DAY),
        None => timestamp::unix_seconds(text).map(|seconds| seconds.saturating_mul(1_000)),
    };
    let moment = moment.ok_or_else(|| {
        Failure::new(Code::Config, format!("--before must be a number of days or a date, got `{text}`"))
            .hint("such as --before 90 or --before 2026-01-31")
    })?;
    if moment > now_ms {
        return Err(Failure::new(Code::Config, format!("{text} is in the future")).hint("give a past date"));
    }
    Ok(Time(moment))
}

fn counted(prune: &Prune) -> String {
    let noun = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    format!("{} and {}", noun(prune.runs.len(), "run"), noun(prune.sessions, "conversation"))
}

async fn confirm(going: &Prune, screen: Screen) -> Result<(), Failure> {
    let unconfirmed =
        Failure::new(Code::Decision, format!("nothing was removed: {} would go", counted(going)))
            .hint("see them with --dry-run, and remove them with --yes");
    if !screen.can_ask() {
        return Err(unconfirmed);
    }
    for pruned in &going.runs {
        screen.note(&line(pruned));
    }
    let answer = screen.ask(&format!("remove {} for good? [y]es, [n]o: ", counted(going))).await;
    match answer.is_some_and(|answer| matches!(answer.trim(), "y" | "yes")) {
        true => Ok(()),
        false => Err(unconfirmed),
    }
}

/// Removes trees until none is left, and records each in the anchor file.
async fn remove(
    store: &dyn Store,
    filter: &PruneFilter,
    anchors: &Anchors,
    screen: Screen,
) -> Result<Prune, Failure> {
    let mut all = Prune::default();
    loop {
        let filter = PruneFilter { preview: false, most: TREES, ..filter.clone() };
        let done = store.prune(filter).await.map_err(|fault| Failure::storage(&fault))?;
        for pruned in &done.runs {
            anchors.write(pruned)?;
            show(pruned, "pruned", screen);
        }
        all.sessions += done.sessions;
        all.artifacts += done.artifacts;
        let finished = done.runs.is_empty() && done.sessions == 0;
        all.runs.extend(done.runs);
        if finished {
            return Ok(all);
        }
    }
}

fn show(pruned: &Pruned, kind: &str, screen: Screen) {
    let document = json!({
        "type": kind,
        "run": pruned.run.as_str(),
        "records": pruned.head,
        "hash": pruned.hash.to_string(),
    });
    screen.show(&document, || line(pruned));
}

fn line(pruned: &Pruned) -> String {
    format!("{}  {} records  {}", pruned.run, pruned.head, pruned.hash)
}

/// The anchor files of the projects of runs.
struct Anchors {
    here: Option<PathBuf>,
    of_runs: BTreeMap<RunId, PathBuf>,
}

impl Anchors {
    async fn of(store: &dyn Store, data: &DataDir, runs: &[Pruned]) -> Result<Self, Failure> {
        let here = anchor_file(data)?;
        let mut projects: BTreeMap<String, Option<PathBuf>> = BTreeMap::new();
        let mut of_runs = BTreeMap::new();
        for pruned in runs {
            let listed = store.run(pruned.run.clone()).await.map_err(|fault| Failure::storage(&fault))?;
            let Some(folder) = listed.map(|listed| listed.row.workspace) else { continue };
            // A project that is gone or cannot be read names no file; then the file of this folder is used.
            let file = projects.entry(folder).or_insert_with_key(|folder| {
                Project::open(Path::new(folder)).ok().and_then(|project| project.anchor_file())
            });
            of_runs.extend(file.clone().map(|file| (pruned.run.clone(), file)));
        }
        Ok(Self { here, of_runs })
    }

    fn write(&self, pruned: &Pruned) -> Result<(), Failure> {
        let Some(file) = self.of_runs.get(&pruned.run).or(self.here.as_ref()) else { return Ok(()) };
        let Pruned { run, head, hash, at } = pruned.clone();
        let line = AnchorLine::Pruned { run, seq: head, hash, at };
        AnchorFile::new(file).append(&line).map_err(|error| {
            let hint =
                format!("{} is pruned; add the line to the file yourself: {}", pruned.run, json!(line));
            Failure::of(Code::File, &error).hint(hint)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_days_ago_or_a_date_and_never_in_the_future() {
        let now = 20_000 * MS_PER_DAY;
        let at = |text| moment(text, now).map(|time| time.0 / MS_PER_DAY).map_err(|failure| failure.message);
        assert_eq!(at("90"), Ok(19_910));
        assert_eq!(at("90d"), Ok(19_910));
        assert_eq!(at("2024-10-03"), Ok(19_999));
        assert_eq!(at("2030-01-01"), Err("2030-01-01 is in the future".to_owned()));
        assert!(at("soon").is_err_and(|message| message.ends_with("got `soon`")));
    }
}
