//! Real processes, killed: a child plays a scenario over a database file and is killed at any moment, until
//! it gets to the end.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use fastrand::Rng;

use super::compare::differences;
use super::disk::SqliteFile;
use super::ledger::Ledger;
use super::play::{Played, play};
use super::points::undisturbed;
use super::report::Report;
use super::scenario::{Scenario, named};
use super::world::World;
use crate::Failure;

/// A play is killed this often at most, so that it comes to an end.
const KILLS_A_PLAY: u64 = 6;
/// A child that says nothing for so long is stuck.
const SILENCE_MAX: Duration = Duration::from_secs(60);

/// What a child plays, and where.
#[derive(clap::Args)]
pub(crate) struct ChildOptions {
    scenario: String,
    folder: PathBuf,
}

/// Plays a scenario to its end; a line for each point.
pub(crate) fn child(options: &ChildOptions) -> Result<(), Failure> {
    let scenario = named(&options.scenario)?;
    let world = world(&scenario, &options.folder)?;
    super::command::block_on(async {
        super::fate::tell_points();
        play(&world, Vec::new()).await.map(|_| ())
    })
}

/// What outlives the children: a database and a ledger in a folder.
fn world(scenario: &Arc<Scenario>, folder: &Path) -> Result<Arc<World>, Failure> {
    let disk = Arc::new(SqliteFile(folder.join("provost.db")));
    let ledger = Ledger::open(&folder.join("ledger.jsonl"))?;
    Ok(Arc::new(World::with_ledger(scenario, disk, 0, ledger)?))
}

/// Plays scenarios until so many children were killed.
pub(super) async fn kill(
    scenarios: &[Arc<Scenario>],
    seed: u64,
    kills: u64,
    report: &mut Report,
) -> Result<(), Failure> {
    let mut rng = Rng::with_seed(seed);
    let mut killed = 0;
    while killed < kills {
        let Some(scenario) = rng.choice(scenarios) else { return Ok(()) };
        let whole = undisturbed(scenario, 0).await?;
        let planned = rng.u64(1..=KILLS_A_PLAY);
        let (lost, found) = match one(scenario, &whole, planned, &mut rng).await {
            Ok((lost, found)) => (lost, found),
            Err(error) => (planned, vec![error.to_string()]),
        };
        killed += lost;
        report.tried(scenario, &format!("killed {lost} times, seed {seed}"), &found);
    }
    Ok(())
}

async fn one(
    scenario: &Arc<Scenario>,
    whole: &Played,
    kills: u64,
    rng: &mut Rng,
) -> Result<(u64, Vec<String>), Failure> {
    let folder = tempfile::tempdir()?;
    let mut lost = 0;
    for _ in 0..kills {
        let after = rng.usize(0..whole.points.len());
        let pause = Duration::from_micros(rng.u64(0..3_000));
        match spawn(scenario, folder.path())?.kill_after(after, pause)? {
            Ending::Killed => lost += 1,
            Ending::Done => break,
        }
    }
    spawn(scenario, folder.path())?.kill_after(usize::MAX, Duration::ZERO)?;
    // The run is over: going on with it only tells what came of it.
    let told = play(&world(scenario, folder.path())?, Vec::new()).await?;
    let played = Played { lost: usize::try_from(lost).unwrap_or(usize::MAX), ..told };
    Ok((lost, differences(scenario, whole, &played)))
}

/// How a child ended.
enum Ending {
    Killed,
    Done,
}

/// A child, and the lines it writes.
struct Actor {
    child: Child,
    lines: mpsc::Receiver<()>,
}

fn spawn(scenario: &Scenario, folder: &Path) -> Result<Actor, Failure> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("crash-child")
        .arg(&scenario.name)
        .arg(folder)
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().ok_or("the child has no output")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).all(|_| sender.send(()).is_ok())
    });
    Ok(Actor { child, lines })
}

impl Actor {
    /// Kills the child a moment after it passed so many points, unless it is done before.
    fn kill_after(mut self, points: usize, pause: Duration) -> Result<Ending, Failure> {
        for _ in 0..points {
            match self.lines.recv_timeout(SILENCE_MAX) {
                Ok(()) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return self.ended(),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.child.kill()?;
                    return Err("the child is stuck".into());
                }
            }
        }
        let end = self.lines.recv_timeout(pause);
        if end == Err(mpsc::RecvTimeoutError::Disconnected) {
            return self.ended();
        }
        self.child.kill()?;
        self.child.wait()?;
        Ok(Ending::Killed)
    }

    fn ended(mut self) -> Result<Ending, Failure> {
        let status = self.child.wait()?;
        if status.success() { Ok(Ending::Done) } else { Err(format!("the child failed: {status}").into()) }
    }
}
