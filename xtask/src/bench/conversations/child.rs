//! The measured process: some conversations at once, and what they took.

use std::path::PathBuf;
use std::sync::Arc;

use provost::{Agent, Request, RunId, Runtime};
use tokio::runtime;
use tokio::task::JoinSet;

use super::fake::Fake;
use super::process::Usage;
use super::{idle, reference};
use crate::Failure;
use crate::bench::measure::timed;

const WARM_TURNS: u64 = 3;
const WARM_RUNS: u64 = 16;

/// What a measured process does.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Job {
    /// How many turns call a tool; one more ends the conversation
    #[arg(long, default_value_t = 1)]
    pub(super) turns: u64,
    /// How many conversations go on at once
    #[arg(long, default_value_t = 1)]
    pub(super) conversations: u64,
    /// How long the model takes
    #[arg(long, default_value_t = 0)]
    pub(super) pause_ms: u64,
    /// Where every step is made durable [default: in memory]
    #[arg(long)]
    pub(super) database: Option<PathBuf>,
    /// Where every step that is really done leaves a line
    #[arg(long)]
    pub(super) effects: Option<PathBuf>,
    /// Go on with the conversation of a process that died
    #[arg(long)]
    pub(super) resume: bool,
    /// Append the bytes of the steps to a plain SQLite table instead
    #[arg(long)]
    pub(super) reference: bool,
    /// Let many runs wait and do nothing
    #[arg(long)]
    pub(super) idle: bool,
}

/// Does the job and prints what it took.
pub(crate) fn run_child(job: &Job) -> Result<(), Failure> {
    if job.idle {
        return idle::child(job);
    }
    let fake = Fake::new(job)?;
    if let (true, Some(path)) = (job.reference, &job.database) {
        let before = Usage::now()?;
        let seconds = reference::append(path, &fake, job.turns)?;
        println!("{}", before.told(seconds, 0.0)?);
        return Ok(());
    }
    let threads = runtime_for(job.conversations)?;
    // The worker is started inside the threads, as in a program of a user.
    let _inside = threads.enter();
    if job.turns > WARM_TURNS && job.effects.is_none() {
        // The first run of a process pays for what no later one pays for, and so does the first of a thread.
        let warm = Fake::new(&Job { turns: WARM_TURNS, ..job.clone() })?;
        let warm = Arc::new(Work { runtime: build(job, &warm)?, fake: warm, resume: false });
        threads.block_on(converse_all(&warm, "warm", job.conversations.min(WARM_RUNS)))?;
        threads.block_on(warm.runtime.drain());
    }
    let work = Arc::new(Work { runtime: build(job, &fake)?, fake, resume: job.resume });
    let before = Usage::now()?;
    let (done, seconds) = timed(|| threads.block_on(converse_all(&work, "run", job.conversations)));
    let told = before.told(seconds, work.fake.read_seconds())?;
    done?;
    println!("{told}");
    Ok(())
}

/// A runtime in which the fake is model, tool and policy.
fn build(job: &Job, fake: &Arc<Fake>) -> Result<Runtime, Failure> {
    let conversations = usize::try_from(job.conversations)?;
    let mut builder = Runtime::builder()
        .model(fake.clone() as Arc<dyn provost::Model>)
        .executor(Fake::declarations(), fake.clone())
        .policy(fake.clone())
        .agent(Agent::new("reader").max_turns(fake.turns + 1))
        .runs_max(conversations.max(provost::Builder::RUNS_MAX));
    if let Some(path) = &job.database {
        builder = builder.sqlite(path);
    }
    Ok(builder.build()?)
}

/// One conversation needs one thread; many take what the machine has.
fn runtime_for(conversations: u64) -> std::io::Result<runtime::Runtime> {
    let mut builder = if conversations > 1 {
        runtime::Builder::new_multi_thread()
    } else {
        runtime::Builder::new_current_thread()
    };
    builder.enable_time().build()
}

async fn converse_all(work: &Arc<Work>, name: &str, conversations: u64) -> Result<(), Failure> {
    if conversations == 1 {
        return Ok(work.clone().converse(format!("{name}_0")).await?);
    }
    let mut all = JoinSet::new();
    for number in 0..conversations {
        all.spawn(work.clone().converse(format!("{name}_{number}")));
    }
    while let Some(done) = all.join_next().await {
        done??;
    }
    Ok(())
}

fn sentence(error: impl std::error::Error) -> String {
    error.to_string()
}

struct Work {
    runtime: Runtime,
    fake: Arc<Fake>,
    resume: bool,
}

impl Work {
    async fn converse(self: Arc<Self>, run: String) -> Result<(), String> {
        let run: RunId = run.parse().map_err(sentence)?;
        let handle = if self.resume {
            self.runtime.resume(&run).await.map_err(sentence)?
        } else {
            self.runtime.start(Request::new("hi").run(run)).await.map_err(sentence)?
        };
        self.fake.check(&handle.outcome().await.map_err(sentence)?)
    }
}
