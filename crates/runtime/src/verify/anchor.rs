//! A witness outside the database: a file with a line for every run that ended.
//!
//! It may lag. Checking looks up each anchored position in its chain: one that is missing or differs fails;
//! runs that are not anchored yet, and events appended after an anchored end, are reported.

use std::collections::BTreeMap;
use std::io::{BufRead as _, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::Mutex;

use provost_engine::{Digest, RunId, Seq, Time};
use serde::{Deserialize, Serialize};

use crate::port::Fault;
use crate::store::{RunCursor, RunFilter, Store};

const PAGE: usize = 1_000;

/// A line of an anchor file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum AnchorLine {
    /// A run ended with this record.
    Ended {
        /// The run.
        run: RunId,
        /// Its last record.
        seq: Seq,
        /// The hash of that.
        hash: Digest,
        /// When the line was written.
        at: Time,
    },
    /// A run was pruned; its last record was this one.
    Pruned {
        /// The run.
        run: RunId,
        /// Its last record.
        seq: Seq,
        /// The hash of that.
        hash: Digest,
        /// When.
        at: Time,
    },
}

/// Where the ends of runs are witnessed.
pub trait Anchor: Send + Sync {
    /// Witnesses the end of a run.
    ///
    /// # Errors
    /// If the line could not be written. It is then missing, which checking reports too.
    fn ended(&self, run: &RunId, seq: Seq, hash: Digest, at: Time) -> Result<(), AnchorError>;
}

/// Why an anchor file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AnchorError {
    /// It cannot be read or written.
    #[error("cannot use the anchor file {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] Fault),
}

/// An anchor file: JSON lines, only ever appended to.
#[derive(Debug)]
pub struct AnchorFile {
    path: PathBuf,
    one_at_a_time: Mutex<()>,
}

impl AnchorFile {
    /// Names an anchor file. It is made with the first line.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), one_at_a_time: Mutex::new(()) }
    }

    /// Appends a line and syncs it. A line that cannot be written whole is taken back, so that the next one stands
    /// alone; processes that share the file wait for one another.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&self, line: &AnchorLine) -> Result<(), AnchorError> {
        let failed = |source| AnchorError::File { path: self.path.clone(), source };
        let _one = self.one_at_a_time.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(true).read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path).map_err(failed)?;
        file.lock().map_err(failed)?;
        let before = file.metadata().map_err(failed)?.len();
        let json = serde_json::to_string(line).map_err(|error| failed(error.into()))?;
        let apart = if ends_with_a_line(&mut file, before).map_err(failed)? { "" } else { "\n" };
        let text = format!("{apart}{json}\n");
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|error| {
            // What cannot be taken back either is a line that cannot be read, and is reported as one.
            let _ = file.set_len(before);
            failed(error)
        })
    }

    /// Reads the lines; none while there is no file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn lines(&self) -> Result<AnchorLines, AnchorError> {
        let failed = |source| AnchorError::File { path: self.path.clone(), source };
        let file = match std::fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(AnchorLines::default()),
            Err(error) => return Err(failed(error)),
        };
        let mut lines = AnchorLines::default();
        for (index, line) in std::io::BufReader::new(file).split(b'\n').enumerate() {
            match serde_json::from_slice(&line.map_err(failed)?) {
                Ok(line) => lines.read.push(line),
                Err(_) => lines.unreadable.push(index + 1),
            }
        }
        Ok(lines)
    }
}

/// The lines of an anchor file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnchorLines {
    /// What they say.
    pub read: Vec<AnchorLine>,
    /// The numbers of lines that cannot be read, such as one that a power loss cut. They witness nothing.
    pub unreadable: Vec<usize>,
}

fn ends_with_a_line(file: &mut std::fs::File, bytes: u64) -> std::io::Result<bool> {
    let Some(last) = bytes.checked_sub(1) else { return Ok(true) };
    let mut end = [0];
    file.seek(SeekFrom::Start(last))?;
    file.read_exact(&mut end)?;
    Ok(end == *b"\n")
}

impl Anchor for AnchorFile {
    fn ended(&self, run: &RunId, seq: Seq, hash: Digest, at: Time) -> Result<(), AnchorError> {
        self.append(&AnchorLine::Ended { run: run.clone(), seq, hash, at })
    }
}

/// What checking one run against its anchors found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchorFinding {
    /// The run is gone, and no line says that it was pruned.
    Missing,
    /// The anchored record is gone.
    RecordMissing(Seq),
    /// The anchored record is another one.
    Differs(Seq),
    /// Events were appended after the anchored end: a resume. Not a failure.
    Appended {
        /// The anchored end.
        anchored: Seq,
        /// The end now.
        head: Seq,
    },
    /// The run ended and has no line yet. Not a failure.
    Unanchored,
}

/// What checking the anchors found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnchorReport {
    /// How many lines were looked up and found.
    pub confirmed: usize,
    /// What was found, by run.
    pub findings: Vec<(RunId, AnchorFinding)>,
}

impl AnchorReport {
    /// Returns whether something that was witnessed is missing or differs.
    pub fn is_failure(&self) -> bool {
        self.findings.iter().any(|(_, finding)| match finding {
            AnchorFinding::Missing | AnchorFinding::RecordMissing(_) | AnchorFinding::Differs(_) => true,
            AnchorFinding::Appended { .. } | AnchorFinding::Unanchored => false,
        })
    }
}

/// Looks up every anchored position in its chain.
///
/// # Errors
/// If the store fails.
pub async fn check_anchors(store: &dyn Store, lines: &[AnchorLine]) -> Result<AnchorReport, Fault> {
    let mut report = AnchorReport::default();
    let mut last: BTreeMap<&RunId, Seq> = BTreeMap::new();
    let pruned: BTreeMap<&RunId, Seq> = lines
        .iter()
        .filter_map(|line| match line {
            AnchorLine::Pruned { run, seq, .. } => Some((run, *seq)),
            AnchorLine::Ended { .. } => None,
        })
        .collect();
    for line in lines {
        let AnchorLine::Ended { run, seq, hash, .. } = line else { continue };
        let anchored = last.entry(run).or_default();
        *anchored = (*anchored).max(*seq);
        match record_hash(store, run, *seq).await? {
            Some(found) if found == *hash => report.confirmed += 1,
            Some(_) => report.findings.push((run.clone(), AnchorFinding::Differs(*seq))),
            None if pruned.contains_key(run) => report.confirmed += 1,
            None => {
                let listed = store.run(run.clone()).await?.is_some();
                let finding =
                    if listed { AnchorFinding::RecordMissing(*seq) } else { AnchorFinding::Missing };
                report.findings.push((run.clone(), finding));
            }
        }
    }
    add_unanchored(store, &last, &mut report).await?;
    Ok(report)
}

async fn record_hash(store: &dyn Store, run: &RunId, seq: Seq) -> Result<Option<Digest>, Fault> {
    let before = Seq(seq.0.saturating_sub(1));
    let records = store.journal(run.clone(), before, 1).await?;
    Ok(records.first().filter(|record| record.seq == seq).map(|record| record.hash))
}

async fn add_unanchored(
    store: &dyn Store,
    last: &BTreeMap<&RunId, Seq>,
    report: &mut AnchorReport,
) -> Result<(), Fault> {
    let mut after: Option<RunCursor> = None;
    loop {
        let page = store.runs(RunFilter::default(), after, PAGE).await?;
        for listed in page.items {
            let row = listed.row;
            match last.get(&row.run) {
                Some(anchored) if row.head > *anchored => {
                    let finding = AnchorFinding::Appended { anchored: *anchored, head: row.head };
                    report.findings.push((row.run, finding));
                }
                Some(_) => {}
                None if row.ended.is_some() => report.findings.push((row.run, AnchorFinding::Unanchored)),
                None => {}
            }
        }
        let Some(next) = page.next else { return Ok(()) };
        after = Some(next);
    }
}
