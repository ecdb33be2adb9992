//! Real processes, killed: a child plays a scenario over a database file and is killed at any moment, until
//! one gets to the end.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use provost_engine::{Digest, Erasure, RunId, Seq, Time};
use provost_runtime::store::{Erase, RunFilter};
use provost_runtime::system::SystemClock;
use provost_store::sqlite::{SqliteOptions, SqliteStore};

use super::compare::differences;
use super::fate::Fate;
use super::ledger::Ledger;
use super::people::ada;
use super::play::{Played, play_as};
use super::points::{undisturbed, whole};
use super::report::Report;
use super::scenario::{Scenario, named};
use super::seen::Seen;
use super::world::World;
use crate::Failure;

/// A play is killed this often at most, so that it comes to an end: three losses of one attempt end it.
const KILLS_A_PLAY: u64 = 2;
/// A child that says nothing for so long is stuck.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// What a child plays, and where.
#[derive(clap::Args)]
pub(crate) struct ChildOptions {
    scenario: String,
    folder: PathBuf,
    /// The part of its worker's id that no other child has.
    name: String,
    /// Erase something at the end, which empties the log
    #[arg(long)]
    empties_log: bool,
}

/// Plays a scenario to its end; a line for each place and each acknowledged commit.
pub(crate) fn child(options: &ChildOptions) -> Result<(), Failure> {
    let scenario = named(&options.scenario)?;
    in_real_time(async {
        let world = open(&scenario, &options.folder, true).await?;
        play_as(&world, &Fate::new(Vec::new()), &options.name).await?;
        if options.empties_log {
            let run = scenario.asks.first().map_or("run-1", |ask| ask.run).parse()?;
            let erasure = Erasure { by: ada(), at: Time(1), reason: "It was a secret.".to_owned() };
            let erase =
                Erase { run, seq: Seq(1), erasure, artifacts: Vec::new(), waits: Vec::new(), summary: None };
            world.store.erase(erase).await?;
        }
        Ok(())
    })
}

fn in_real_time<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(work)
}

/// What outlives the children: a database and a ledger in a folder.
pub(super) async fn open(
    scenario: &Arc<Scenario>,
    folder: &Path,
    speaks: bool,
) -> Result<Arc<World>, Failure> {
    let store = SqliteStore::open(&folder.join("provost.db"), &SqliteOptions::default())?;
    let ledger = Ledger::open(&folder.join("ledger.jsonl"))?;
    Ok(Arc::new(World::new(scenario, Arc::new(store), Arc::new(SystemClock), ledger, speaks)))
}

/// Plays scenarios until so many children were killed.
pub(super) fn kill(
    scenarios: &[Arc<Scenario>],
    seed: u64,
    kills: u64,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut rng = Rng::with_seed(seed);
    let quick: Vec<Arc<Scenario>> = scenarios.iter().filter(|scenario| scenario.is_quick).cloned().collect();
    let mut killed = 0;
    while killed < kills {
        let Some(scenario) = rng.choice(&quick) else { return Ok(()) };
        let whole = whole(&undisturbed(scenario)?);
        let planned = rng.u64(1..=KILLS_A_PLAY);
        let (lost, found) = match one(scenario, &whole, planned, &mut rng) {
            Ok(done) => done,
            Err(error) => (planned, vec![error.to_string()]),
        };
        killed += lost;
        report.tried(scenario.name, &format!("killed {lost} times, seed {seed}"), &found);
    }
    Ok(())
}

fn one(
    scenario: &Arc<Scenario>,
    whole: &Seen,
    kills: u64,
    rng: &mut Rng,
) -> Result<(u64, Vec<String>), Failure> {
    let folder = tempfile::tempdir()?;
    let (mut lost, mut acks) = (0, Vec::new());
    for number in 0..kills {
        let places = 3 * whole.runs.values().map(|run| 4 + 6 * run.actions.len()).sum::<usize>();
        let (after, pause) = (rng.usize(0..places), Duration::from_micros(rng.u64(0..3_000)));
        let child = spawn(scenario, folder.path(), number)?;
        let (ending, mut heard) = child.kill_after(after, pause)?;
        acks.append(&mut heard);
        match ending {
            Ending::Killed => lost += 1,
            Ending::Done => break,
        }
    }
    acks.extend(to_the_end(scenario, folder.path())?);
    let check = Check {
        scenario,
        whole,
        folder: folder.path(),
        lost: usize::try_from(lost).unwrap_or_default(),
        acks: &acks,
    };
    Ok((lost, self::check(&check)?))
}

/// Plays what is left in a child that is not disturbed. Returns what it called durable.
pub(super) fn to_the_end(scenario: &Scenario, folder: &Path) -> Result<Vec<Ack>, Failure> {
    let (_, acks) = spawn(scenario, folder, u64::MAX)?.kill_after(usize::MAX, Duration::ZERO)?;
    Ok(acks)
}

/// What is looked at when every child has ended.
pub(super) struct Check<'a> {
    pub(super) scenario: &'a Arc<Scenario>,
    pub(super) whole: &'a Seen,
    pub(super) folder: &'a Path,
    pub(super) lost: usize,
    pub(super) acks: &'a [Ack],
}

/// Says how what is left differs from an undisturbed play.
pub(super) fn check(check: &Check<'_>) -> Result<Vec<String>, Failure> {
    let mut found = integrity(check.folder)?;
    in_real_time(async {
        let world = open(check.scenario, check.folder, false).await?;
        let seen = Seen::of(&world).await?;
        let played = Played { places: Vec::new(), operations: 0, lost: check.lost, seen };
        found.extend(differences(check.scenario, check.whole, &played));
        found.extend(unheard(&world, check.acks).await?);
        Ok(found)
    })
}

/// Says what is wrong with files in which a play broke off: chains, rows, and what was acknowledged.
pub(super) fn check_files(scenario: &str, folder: &Path, acks: &[Ack]) -> Result<Vec<String>, Failure> {
    let scenario = named(scenario)?;
    let found = in_real_time(async {
        let world = open(&scenario, folder, false).await?;
        let mut found = unheard(&world, acks).await?;
        for problem in world.store.verify_rows().await? {
            found.push(format!("row of {}: {:?}", problem.run, problem.problem));
        }
        for run in world.store.runs(RunFilter::default(), None, 1_000).await?.items {
            if let Err(error) = super::journal::read(&world, &run.row).await {
                found.push(format!("journal of {}: {error}", run.row.run));
            }
        }
        Ok(found)
    })?;
    Ok(found.into_iter().chain(integrity(folder)?).collect())
}

/// Says what SQLite finds wrong with the file.
#[expect(clippy::disallowed_methods, reason = "the file is looked at without the store")]
fn integrity(folder: &Path) -> Result<Vec<String>, Failure> {
    let file = rusqlite::Connection::open(folder.join("provost.db"))?;
    let found: String = file.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    Ok(if found == "ok" { Vec::new() } else { vec![format!("the file is damaged: {found}")] })
}

/// A commit that a child called durable.
pub(super) type Ack = (RunId, Seq, Digest);

/// Reads a line that a child wrote about a commit.
pub(super) fn ack(line: &str) -> Option<Ack> {
    let mut words = line.strip_prefix("ack ")?.split(' ');
    let run = words.next()?.parse().ok()?;
    let seq = words.next()?.parse().ok()?;
    Some((run, Seq(seq), words.next()?.parse().ok()?))
}

/// Says which acknowledged commits are not in the journal.
pub(super) async fn unheard(world: &World, acks: &[Ack]) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for (run, seq, hash) in acks {
        let before = Seq(seq.0.saturating_sub(1));
        let stored = world.store.journal(run.clone(), before, 1).await?;
        if stored.first().map(|record| record.hash) != Some(*hash) {
            found.push(format!("record {seq} of {run} was acknowledged and is not there"));
        }
    }
    Ok(found)
}

/// How a child ended.
enum Ending {
    Killed,
    Done,
}

/// A child, and the lines it writes.
struct Actor {
    child: Child,
    lines: mpsc::Receiver<String>,
}

fn spawn(scenario: &Scenario, folder: &Path, number: u64) -> Result<Actor, Failure> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("crash-child")
        .arg(scenario.name)
        .arg(folder)
        .arg(format!("process{number}"))
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().ok_or("the child has no output")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
    });
    Ok(Actor { child, lines })
}

impl Actor {
    /// Kills the child a moment after it wrote so many lines, unless it is done before. Returns what it called
    /// durable.
    fn kill_after(mut self, lines: usize, pause: Duration) -> Result<(Ending, Vec<Ack>), Failure> {
        let mut acks = Vec::new();
        for _ in 0..lines {
            match self.lines.recv_timeout(SILENCE_MAX) {
                Ok(line) => acks.extend(ack(&line)),
                Err(mpsc::RecvTimeoutError::Disconnected) => return self.ended(acks),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.child.kill()?;
                    self.child.wait()?;
                    return Err("the child is stuck".into());
                }
            }
        }
        match self.lines.recv_timeout(pause) {
            Ok(line) => acks.extend(ack(&line)),
            Err(mpsc::RecvTimeoutError::Disconnected) => return self.ended(acks),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        self.child.kill()?;
        self.child.wait()?;
        // What it wrote before it died counts.
        acks.extend(self.lines.iter().filter_map(|line| ack(&line)));
        Ok((Ending::Killed, acks))
    }

    fn ended(mut self, acks: Vec<Ack>) -> Result<(Ending, Vec<Ack>), Failure> {
        let status = self.child.wait()?;
        if status.success() {
            Ok((Ending::Done, acks))
        } else {
            Err(format!("the child failed: {status}").into())
        }
    }
}
