//! One program from start to end.

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use provost_runtime::port::Report;
use strum::IntoStaticStr;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;

use super::Capture;
use super::group::Group;
use super::lines::{Lines, Pipe};
use crate::pipes::Pipes;
use crate::supervise::{Keeper, Start};
use crate::{Environment, Refusal};

/// How long pipes are read on after the group is dead: a process that left it may hold them open.
const DRAIN: Duration = Duration::from_millis(200);
const CHUNK_BYTES: usize = 8 * 1024;

/// A program to run.
pub(crate) struct Job<'a> {
    /// The program and its arguments; no shell reads them.
    pub(crate) argv: &'a [String],
    pub(crate) folder: PathBuf,
    pub(crate) environment: &'a Environment,
    /// What it reads on its standard input.
    pub(crate) input: &'a [u8],
    pub(crate) limit: Duration,
    pub(crate) output_bytes_max: usize,
    /// The process that supervises it; none where nothing can.
    pub(crate) keeper: Option<Keeper>,
    /// Where what it prints goes while it runs.
    pub(crate) report: &'a Report,
}

/// A program that runs, in either way. Dropped, it is killed.
enum Running {
    /// Under a supervising process: nothing it starts gets away.
    Supervised(Box<Keeper>),
    /// By itself: what leaves its process group gets away.
    Alone(Group),
}

impl Running {
    async fn start(keeper: Option<Keeper>, start: Start<'_>) -> io::Result<(Self, Pipes)> {
        if let Some(mut keeper) = keeper {
            let pipes = keeper.start(start).await?;
            return Ok((Self::Supervised(Box::new(keeper)), pipes));
        }
        let (program, arguments) = start.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(start.folder).env_clear().envs(start.environment.variables());
        let (group, pipes) = Group::spawn(&mut command)?;
        Ok((Self::Alone(group), pipes))
    }

    async fn ended(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        match self {
            Self::Supervised(keeper) => keeper.ended(limit).await,
            Self::Alone(group) => group.ended(limit).await,
        }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself or by a signal.
    Exited(ExitStatus),
    /// Its time was up, and it was killed.
    TimedOut,
}

/// A program that ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) ending: Ending,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
}

/// Why a program did not run.
#[derive(Debug, thiserror::Error, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum ProcessError {
    #[error("argv is empty: it names no program")]
    NoProgram,
    #[error("{program} could not be started")]
    NotStarted { program: String, source: io::Error },
    #[error("{program} could not be waited for")]
    Lost { program: String, source: io::Error },
}

impl From<ProcessError> for Refusal {
    fn from(error: ProcessError) -> Self {
        Self::of(&error)
    }
}

/// Runs a program. When this returns, the program and what it started are dead: all of it under a supervising
/// process, else its process group.
///
/// # Cancel safety
/// When the future is dropped the same is killed.
pub(crate) async fn run(job: Job<'_>) -> Result<Finished, ProcessError> {
    let Some(program) = job.argv.first() else { return Err(ProcessError::NoProgram) };
    let start = Start { argv: job.argv, folder: &job.folder, environment: job.environment };
    let (mut running, pipes) =
        Running::start(job.keeper, start).await.map_err(|source| match source.kind() {
            io::ErrorKind::BrokenPipe => ProcessError::Lost { program: program.clone(), source },
            _ => ProcessError::NotStarted { program: program.clone(), source },
        })?;
    let mut stdout = Capture::new(job.output_bytes_max);
    let mut stderr = Capture::new(job.output_bytes_max);
    let lines = Lines::new(job.report);
    let (dead, is_dead) = tokio::sync::oneshot::channel::<()>();
    let ended = async {
        let ended = running.ended(job.limit).await;
        drop(dead);
        ended
    };
    let pumped = async {
        tokio::select! {
            () = pump(pipes, job.input, &lines, (&mut stdout, &mut stderr)) => {}
            () = lines.send_on() => {}
            () = async { let _ = is_dead.await; tokio::time::sleep(DRAIN).await } => {}
        }
    };
    let (ended, ()) = tokio::join!(ended, pumped);
    lines.send();
    let ended = ended.map_err(|source| ProcessError::Lost { program: program.clone(), source })?;
    let ending = ended.map_or(Ending::TimedOut, Ending::Exited);
    Ok(Finished { ending, stdout, stderr })
}

/// All three pipes at once: a program that waits for one of them must not wait for another.
async fn pump(pipes: Pipes, input: &[u8], lines: &Lines<'_>, (stdout, stderr): (&mut Capture, &mut Capture)) {
    let (printed, complained) = (lines.pipe(), lines.pipe());
    tokio::join!(
        feed(pipes.stdin, input),
        drain(pipes.stdout, stdout, printed),
        drain(pipes.stderr, stderr, complained)
    );
}

/// A program need not read what it is given.
async fn feed(mut stdin: ChildStdin, input: &[u8]) {
    let _ = stdin.write_all(input).await;
}

/// A flood is read to its end, so that the program is not held up, and mostly forgotten.
async fn drain(mut pipe: impl AsyncRead + Unpin, capture: &mut Capture, mut lines: Pipe<'_, '_>) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(read @ 1..) = pipe.read(&mut chunk).await {
        let bytes = chunk.get(..read).unwrap_or_default();
        capture.push(bytes);
        lines.push(bytes);
    }
}
