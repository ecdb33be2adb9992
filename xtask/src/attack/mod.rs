//! `cargo xtask attack`: plays attacks on what the documentation promises, with the real program.

mod data;
mod model;
mod play;
mod wait;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;

use self::data::{Attack, Way};
use self::play::{Part, Played, Player, play};
use crate::Failure;

/// The user that root plays beside itself: nobody, who owns nothing.
const OTHER_USER: u32 = 65_534;
/// Attacks that may be open at once.
const OPEN_MAX: usize = 8;

#[derive(Args, Debug, Default)]
pub(crate) struct Options {
    /// Only attacks whose name or file contains one of these words
    words: Vec<String>,
    /// Play each attack one way and as one user
    #[arg(long)]
    quick: bool,
    /// Print what was said in every play
    #[arg(long)]
    show: bool,
}

impl Options {
    pub(crate) fn quick() -> Self {
        Self { quick: true, ..Self::default() }
    }
}

/// One play of the list.
struct Job<'a> {
    attack: &'a Attack,
    player: Player,
    part: Part,
}

/// Plays everything, and fails if an attack gets through, a control is without effect, or an open attack is stopped.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut attacks = data::read(&crate::workspace_root().join("attacks"))?;
    let named = |attack: &Attack, word: &String| attack.name.contains(word) || attack.file.contains(word);
    attacks.retain(|attack| options.words.is_empty() || options.words.iter().any(|word| named(attack, word)));
    let folder = tempfile::tempdir()?;
    let program = program(folder.path())?;
    let jobs = jobs(&attacks, options.quick);
    let outcomes = played(&program, &jobs);
    let mut failures = Vec::new();
    for (job, outcome) in jobs.iter().zip(&outcomes) {
        if options.show {
            println!(
                "=== {}\n{}",
                job.name(),
                outcome.as_ref().map_or_else(Clone::clone, |played| played.log.clone())
            );
        }
        failures.extend(job.failure(outcome));
    }
    // Open attacks race with what would stop them: one play does not tell.
    if !options.quick {
        failures.extend(attacks.iter().filter_map(|attack| stopped_open(attack, &jobs, &outcomes)));
    }
    report(&attacks, &jobs, &failures)
}

fn jobs(attacks: &[Attack], quick: bool) -> Vec<Job<'_>> {
    let mut players = vec![Player { uid: None }];
    if rustix::process::geteuid().is_root() {
        players.push(Player { uid: Some(OTHER_USER) });
    }
    if quick {
        players.drain(..players.len() - 1);
    }
    let mut jobs = Vec::new();
    for attack in attacks {
        // The strongest way alone, when there is little time.
        let ways = attack.ways.iter().filter(|way| !quick || attack.ways.len() == 1 || **way == Way::Allowed);
        let parts: Vec<Part> = ways.map(|way| Part::Way(*way)).chain([Part::Control]).collect();
        for player in &players {
            jobs.extend(parts.iter().map(|part| Job { attack, player: *player, part: *part }));
        }
    }
    jobs
}

/// Builds the program, and puts it where every user can reach it.
fn program(folder: &Path) -> Result<PathBuf, Failure> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "provost-cli", "--bin", "provost"]);
    if !cargo.current_dir(crate::workspace_root()).status()?.success() {
        return Err("the program does not build".into());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    let program = folder.join("provost");
    fs::copy(target_folder().join("debug/provost"), &program)?;
    Ok(program)
}

/// The folder that cargo builds into: this very command lies in it.
fn target_folder() -> PathBuf {
    let own = std::env::current_exe().ok();
    own.and_then(|own| Some(own.parent()?.parent()?.to_owned()))
        .unwrap_or_else(|| crate::workspace_root().join("target"))
}

fn played(program: &Path, jobs: &[Job<'_>]) -> Vec<Result<Played, String>> {
    let next = AtomicUsize::new(0);
    let outcomes: Vec<Mutex<Option<Result<Played, String>>>> =
        jobs.iter().map(|_| Mutex::new(None)).collect();
    let threads = std::thread::available_parallelism().map_or(2, usize::from) + 1;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((job, outcome)) = {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(place).zip(outcomes.get(place))
                } {
                    let result =
                        play(program, job.player, job.attack, job.part).map_err(|error| error.to_string());
                    if let Ok(mut outcome) = outcome.lock() {
                        *outcome = Some(result);
                    }
                }
            });
        }
    });
    let unplayed = || Err("it was not played".to_owned());
    outcomes.into_iter().map(|outcome| outcome.into_inner().ok().flatten().unwrap_or_else(unplayed)).collect()
}

impl Job<'_> {
    fn name(&self) -> String {
        let part: &'static str = match self.part {
            Part::Way(way) => way.into(),
            Part::Control => "control",
        };
        format!("{}/{} ({part}, {})", self.attack.file, self.attack.name, self.player.name())
    }

    /// Why this play speaks against the promise, or proves nothing.
    fn failure(&self, outcome: &Result<Played, String>) -> Option<String> {
        let played = match outcome {
            Ok(played) => played,
            Err(error) => return Some(format!("{}: {error}", self.name())),
        };
        let (happened, log) = (played.happened.join(", "), tail(&played.log));
        match self.part {
            Part::Control if played.happened.len() < played.wanted => {
                Some(format!("{}: the control is without effect, only [{happened}]\n{log}", self.name()))
            }
            Part::Control => None,
            Part::Way(_) if self.attack.open.is_some() => None,
            Part::Way(_) if !played.happened.is_empty() => {
                Some(format!("{}: got through: {happened}\n{log}", self.name()))
            }
            Part::Way(_) if !played.unsaid.is_empty() => {
                Some(format!("{}: nothing says {:?}\n{log}", self.name(), played.unsaid))
            }
            Part::Way(_) => None,
        }
    }
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    let skipped = lines.len().saturating_sub(40);
    lines
        .iter()
        .skip(skipped)
        .map(|line| format!("      {}\n", line.chars().take(240).collect::<String>()))
        .collect()
}

/// An attack that is listed as open and gets through no more must leave the list.
fn stopped_open(attack: &Attack, jobs: &[Job<'_>], outcomes: &[Result<Played, String>]) -> Option<String> {
    attack.open.as_ref()?;
    let mut plays = jobs.iter().zip(outcomes).filter(|(job, _)| std::ptr::eq(job.attack, attack));
    let through = plays.any(|(job, outcome)| {
        matches!(job.part, Part::Way(_)) && outcome.as_ref().is_ok_and(|played| !played.happened.is_empty())
    });
    (!through).then(|| {
        format!("{}/{}: is listed as open, and is stopped: take `open` away", attack.file, attack.name)
    })
}

fn report(attacks: &[Attack], jobs: &[Job<'_>], failures: &[String]) -> Result<(), Failure> {
    for failure in failures {
        println!("FAILED {failure}");
    }
    let open: Vec<&Attack> = attacks.iter().filter(|attack| attack.open.is_some()).collect();
    for attack in &open {
        println!("open   {}/{}: {}", attack.file, attack.name, attack.open.as_deref().unwrap_or_default());
    }
    let promises: BTreeSet<&str> = attacks.iter().map(|attack| attack.promise.as_str()).collect();
    let controls = jobs.iter().filter(|job| matches!(job.part, Part::Control)).count();
    println!(
        "{} attacks on {} promises, {} open; {} plays and {controls} controls",
        attacks.len(),
        promises.len(),
        open.len(),
        jobs.len() - controls
    );
    println!("attack: {} passed, {} failed", jobs.len().saturating_sub(failures.len()), failures.len());
    if open.len() > OPEN_MAX {
        return Err(format!("{} attacks are open, and {OPEN_MAX} may be", open.len()).into());
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("{} plays failed", failures.len()).into()) }
}
