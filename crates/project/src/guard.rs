//! Stops a run whose governing files changed while it worked or waited, until a person confirms the change.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use provost_contract::json::{self, Object};
use provost_contract::timestamp;
use provost_engine::event::{Event, EventKind, Signal};
use provost_engine::{Actor, ActorKind, RunId, Seq, SignalPost};
use provost_policy::{ActionPolicy, Decision};
use provost_runtime::store::{RunFilter, Store};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::clock;
use crate::config::Project;
use crate::data_dir::DataDir;
use crate::failure::{Code, Failure};
use crate::governed::{Digests, Governed, changed};

/// The key of the digests in a run's context.
pub const GOVERNED: &str = "governed_files";
/// The number of interrupted runs to check when another one starts.
const INTERRUPTED_MAX: usize = 100;
/// The actor that stops a run whose files changed.
const ACTOR: &str = "runtime:provost";

/// The governing files of a project, and their known changes.
pub struct Guard {
    pub files: Governed,
    log: PathBuf,
    store: Option<Arc<dyn Store>>,
    found: Mutex<Vec<String>>,
}

/// Detected and confirmed changes: `.provost/governed.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Log {
    #[serde(default)]
    found: Vec<Change>,
    #[serde(default)]
    confirmed: Vec<Change>,
}

/// A file and its digest. No digest means that the file was missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub file: String,
    sha256: Option<String>,
    /// The run in which it was detected, or the person who confirmed it.
    pub by: String,
    pub at: String,
}

impl Guard {
    pub fn new(project: &Project, root: &Path, data: &DataDir) -> Self {
        let log = data.file("governed.json");
        Self { files: Governed::new(project, root), log, store: None, found: Mutex::default() }
    }

    /// Sets the store of the runs to stop.
    pub fn stopping(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Returns the digests for the context of a new run. Fails while a change is unconfirmed.
    pub async fn start(&self, run: &RunId) -> Result<Value, Failure> {
        for (run, names) in self.interrupted().await? {
            self.note(&names, run.as_str())?;
        }
        let open = self.unconfirmed()?;
        match open.first() {
            Some(change) => Err(self.refusal(std::slice::from_ref(&change.file), &change.by)),
            None => Ok(json!({ "run": run.as_str(), "files": recorded(&self.files.digests()) })),
        }
    }

    /// Checks whether [`start`](Self::start) would succeed; records nothing.
    ///
    /// # Errors
    /// The first reason for which it would fail, or why that cannot be determined.
    pub async fn check_start(&self) -> Result<(), Failure> {
        match (self.unconfirmed()?.first(), self.interrupted().await?.first()) {
            (Some(change), _) => Err(self.refusal(std::slice::from_ref(&change.file), &change.by)),
            (None, Some((run, names))) => Err(self.refusal(names, run.as_str())),
            (None, None) => Ok(()),
        }
    }

    /// Returns the changes that a person can confirm: those that were found, and those that a run would find when it
    /// continues.
    ///
    /// # Errors
    /// If the log or the store cannot be read.
    pub async fn to_confirm(&self) -> Result<Vec<Change>, Failure> {
        let (mut changes, now_at, digests) = (self.unconfirmed()?, now(), self.files.digests());
        for status in ["running", "waiting"] {
            for (run, names) in self.differing(status).await? {
                for file in names {
                    let (sha256, by) = (digests.get(&file).cloned(), run.to_string());
                    let change = Change { file, sha256, by, at: now_at.clone() };
                    if !changes.iter().any(|known| known.is_same(&change)) {
                        changes.push(change);
                    }
                }
            }
        }
        Ok(changes)
    }

    /// Returns changes since the start of runs whose process died while they were active: the change may have
    /// killed it.
    async fn interrupted(&self) -> Result<Vec<(RunId, Vec<String>)>, Failure> {
        self.differing("running").await
    }

    /// Returns unconfirmed changes since the start of runs with a status.
    async fn differing(&self, status: &str) -> Result<Vec<(RunId, Vec<String>)>, Failure> {
        let mut found = Vec::new();
        let Some(store) = &self.store else { return Ok(found) };
        let storage = |fault| Failure::storage(&fault);
        let filter = RunFilter {
            workspace: Some(self.files.workspace()),
            status: Some(status.to_owned()),
            ..RunFilter::default()
        };
        let page = store.runs(filter, None, INTERRUPTED_MAX).await.map_err(storage)?;
        for listed in page.items {
            let run = listed.row.run;
            let first = store.journal(run.clone(), Seq(0), 1).await.map_err(storage)?;
            let accepted = first.first().and_then(|record| Event::from_record(record).ok());
            if let Some(EventKind::RunAccepted(accepted)) = accepted.map(|event| event.kind) {
                let names = self.differences(&accepted.spec.context)?;
                if !names.is_empty() {
                    found.push((run, names));
                }
            }
        }
        Ok(found)
    }

    /// Rejects a run whose files differ from its start.
    pub fn resume(&self, run: &RunId, context: &Object) -> Result<(), Failure> {
        let names = self.differences(context)?;
        if names.is_empty() {
            return Ok(());
        }
        self.note(&names, run.as_str())?;
        Err(self.refusal(&names, run.as_str()))
    }

    /// Checks whether the files changed, and stops the run if they did. Returns which.
    pub async fn check(&self, context: &Object) -> Option<String> {
        let run = json::object(context, GOVERNED).and_then(|start| json::text(start, "run"))?;
        let names = match self.differences(context) {
            Ok(names) if names.is_empty() => return None,
            Ok(names) => names,
            // A log that cannot be read confirms nothing.
            Err(failure) => vec![failure.message],
        };
        // The run stops even if the log cannot be written; the next start then detects the difference again.
        drop(self.note(&names, run));
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&names);
        let listed = names.join(", ");
        if let (Some(store), Ok(run)) = (&self.store, run.parse::<RunId>()) {
            let reason = format!("{listed} changed while the run worked");
            let (key, from) = (Some(format!("governed-{listed}")), Actor::new(ActorKind::Runtime, ACTOR));
            let body = serde_json::to_value(Signal::Cancel { actions: None, reason }).unwrap_or_default();
            // If the signal cannot be posted, the run does not stop, but the policy rejects every call.
            drop(store.post(SignalPost { run, key, from, body }).await);
        }
        Some(listed)
    }

    /// Returns the changes that this process detected.
    pub fn found(&self) -> Option<Failure> {
        let names = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (!names.is_empty()).then(|| self.refusal(&names, "this run"))
    }

    /// Returns the unconfirmed changes that are still present.
    pub fn unconfirmed(&self) -> Result<Vec<Change>, Failure> {
        let (log, now) = (self.read()?, self.files.digests());
        let is_now = |change: &&Change| now.get(&change.file) == change.sha256.as_ref();
        let is_open = |change: &&Change| !log.confirmed.iter().any(|known| known.is_same(change));
        Ok(log.found.iter().filter(is_now).filter(is_open).cloned().collect())
    }

    /// Records that a person confirmed changes.
    pub fn confirm(&self, changes: &[Change], by: &str) -> Result<(), Failure> {
        let mut log = self.read()?;
        let at = now();
        log.found.retain(|change| !changes.iter().any(|confirmed| confirmed.is_same(change)));
        let confirmed = |change: &Change| Change { by: by.to_owned(), at: at.clone(), ..change.clone() };
        log.confirmed.extend(changes.iter().map(confirmed));
        self.write(&log)
    }

    /// Returns the files that differ from the start of the run and are unconfirmed.
    fn differences(&self, context: &Object) -> Result<Vec<String>, Failure> {
        let Some(start) = json::object(context, GOVERNED) else { return Ok(Vec::new()) };
        // Without recorded digests nothing proves that the files are unchanged.
        let before = digests(start).unwrap_or_default();
        let now = self.files.digests();
        let mut names = changed(&before, &now);
        if !names.is_empty() {
            let log = self.read()?;
            names.retain(|name| {
                let newest = log.confirmed.iter().rev().find(|change| change.file == *name);
                newest.is_none_or(|change| change.sha256.as_ref() != now.get(name))
            });
        }
        Ok(names)
    }

    fn note(&self, names: &[String], run: &str) -> Result<(), Failure> {
        let (mut log, digests) = (self.read()?, self.files.digests());
        for name in names {
            let change = Change {
                file: name.clone(),
                sha256: digests.get(name).cloned(),
                by: run.to_owned(),
                at: now(),
            };
            log.confirmed.retain(|known| !known.is_same(&change));
            if !log.found.iter().any(|known| known.is_same(&change)) {
                log.found.push(change);
            }
        }
        self.write(&log)
    }

    fn refusal(&self, names: &[String], run: &str) -> Failure {
        let message = format!("{} changed while an agent worked or waited ({run})", names.join(", "));
        Failure::new(Code::Governed, message).hint("read the change; provost policy confirm accepts it")
    }

    fn read(&self) -> Result<Log, Failure> {
        match fs::read_to_string(&self.log) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| self.unusable(&error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Log::default()),
            Err(error) => Err(self.unusable(&error)),
        }
    }

    /// Written to a new file and renamed: a crash leaves the old log or the new one.
    fn write(&self, log: &Log) -> Result<(), Failure> {
        let draft = self.log.with_extension("json.new");
        let write = || {
            let mut options = fs::OpenOptions::new();
            let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
            file.write_all(format!("{:#}\n", json!(log)).as_bytes())?;
            file.sync_all()?;
            fs::rename(&draft, &self.log)
        };
        write().map_err(|error: std::io::Error| self.unusable(&error))
    }

    fn unusable(&self, error: &dyn std::error::Error) -> Failure {
        Failure::new(Code::Governed, format!("{} cannot be used: {error}", self.log.display()))
            .hint("it lists changes of governing files that wait for a person; repair or remove it by hand")
    }
}

impl Change {
    fn is_same(&self, other: &Self) -> bool {
        self.file == other.file && self.sha256 == other.sha256
    }
}

/// The decision about every call after a governing file changed.
pub(crate) fn stopped(files: &str) -> Decision<ActionPolicy> {
    let reason = format!("{files} changed while the run worked, and a person has not confirmed it");
    Decision::new(ActionPolicy::Forbidden, "control_plane", "governing_files_changed", reason)
}

/// Converts digests to their recorded form. File names are values: as keys, words such as `token` in them
/// would cause their digests to be redacted.
fn recorded(digests: &Digests) -> Value {
    digests.iter().map(|(file, sha256)| json!({ "file": file, "sha256": sha256 })).collect()
}

fn digests(start: &Object) -> Option<Digests> {
    let text = |file: &Value, key: &str| file.get(key)?.as_str().map(str::to_owned);
    let files = json::list(start, "files")?;
    files.iter().map(|file| Some((text(file, "file")?, text(file, "sha256")?))).collect()
}

fn now() -> String {
    timestamp::iso8601(clock::clock().now_ms().div_euclid(1_000))
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Guard").field("files", &self.files).finish_non_exhaustive()
    }
}
