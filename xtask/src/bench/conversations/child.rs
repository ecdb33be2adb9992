//! The measured process: some conversations at once, and what they took.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use provost_runtime::RunId;
use provost_runtime::driver::{Finished, Host, Resume, Run, Start};
use provost_runtime::memory::Storage;
use provost_runtime::port::{Epoch, Journal};
use provost_store::sqlite::{Database, Options};
use serde_json::json;
use tokio::runtime::{self, Runtime};
use tokio::task::JoinSet;

use super::fake::Fake;
use super::process::Usage;
use super::reference;
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
}

/// Does the job and prints what it took.
pub(crate) fn run_child(job: &Job) -> Result<(), Failure> {
    let fake = Fake::new(job)?;
    if let (true, Some(path)) = (job.reference, &job.database) {
        let before = Usage::now()?;
        let seconds = reference::append(path, &fake, job.turns)?;
        println!("{}", before.told(seconds)?);
        return Ok(());
    }
    let journal: Arc<dyn Journal> = match &job.database {
        Some(path) => open(path)?,
        None => Storage::new(),
    };
    let runtime = runtime_for(job.conversations)?;
    if job.turns > WARM_TURNS && job.effects.is_none() {
        // The first run of a process pays for what no later one pays for, and so does the first of a thread.
        let warm = Fake::new(&Job { turns: WARM_TURNS, ..job.clone() })?;
        let warm = Work { host: warm.host(), fake: warm, journal: journal.clone(), resume: false };
        runtime.block_on(converse_all(&Arc::new(warm), "warm", job.conversations.min(WARM_RUNS)))?;
    }
    let work = Arc::new(Work { host: fake.host(), fake, journal, resume: job.resume });
    let before = Usage::now()?;
    let (done, seconds) = timed(|| runtime.block_on(converse_all(&work, "run", job.conversations)));
    let told = before.told(seconds)?;
    done?.iter().try_for_each(|finished| work.fake.check(finished))?;
    println!("{told}");
    Ok(())
}

fn open(path: &Path) -> Result<Arc<Database>, Failure> {
    Ok(Database::open(path, &Options::default())?)
}

/// One conversation needs one thread; many take what the machine has.
fn runtime_for(conversations: u64) -> std::io::Result<Runtime> {
    let mut builder = if conversations > 1 {
        runtime::Builder::new_multi_thread()
    } else {
        runtime::Builder::new_current_thread()
    };
    builder.enable_time().build()
}

async fn converse_all(work: &Arc<Work>, name: &str, conversations: u64) -> Result<Vec<Finished>, Failure> {
    if conversations == 1 {
        return Ok(vec![work.clone().converse(format!("{name}_0")).await?]);
    }
    let mut all = JoinSet::new();
    for number in 0..conversations {
        all.spawn(work.clone().converse(format!("{name}_{number}")));
    }
    let mut finished = Vec::new();
    while let Some(done) = all.join_next().await {
        finished.push(done??);
    }
    Ok(finished)
}

fn told(error: impl std::error::Error) -> String {
    error.to_string()
}

struct Work {
    host: Host,
    fake: Arc<Fake>,
    journal: Arc<dyn Journal>,
    resume: bool,
}

impl Work {
    async fn converse(self: Arc<Self>, run: String) -> Result<Finished, String> {
        let run: RunId = run.parse().map_err(told)?;
        let finished = if self.resume {
            Run::resume(&self.host, &*self.journal, run, Epoch::NONE, Resume::default()).await
        } else {
            Run::drive(&self.host, &*self.journal, run, Epoch::NONE, self.start()?).await
        };
        finished.map_err(told)
    }

    fn start(&self) -> Result<Start, String> {
        let options = self.fake.options();
        let options = options.as_object().ok_or("options are an object")?;
        let user = json!({ "role": "user", "content": "hi" });
        Start::read(&[user], options, &self.host).map_err(told)
    }
}
