//! The words of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::text::ColorChoice;

/// Provost runs agents under rules: it decides, asks, does, records, and survives
#[derive(Parser)]
#[command(name = "provost", version, propagate_version = false, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// Print JSON, one document or event per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Append only: no redraw, no marks, no columns, no colours
    #[arg(long, global = true)]
    pub(crate) plain: bool,
    /// The folder of the project, or one below it
    #[arg(long, short = 'C', global = true, value_name = "FOLDER", default_value = ".")]
    pub(crate) project: PathBuf,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run an agent on a task, live
    Run(RunOptions),
    /// Talk with an agent; every message is a run of its own
    Chat(ChatOptions),
    /// List runs, newest first
    Runs(RunsOptions),
    /// Show a run: the conversation, its calls, what they printed
    Show(ShowOptions),
    /// Say why: every decision of a run, or what an error code means
    Explain(ExplainOptions),
    /// Fold a journal again and compare; runs nothing
    Replay(OneRun),
    /// Allow what a run asks for, and go on with it
    Approve(ApproveOptions),
    /// Refuse what a run asks for, and go on with it
    Reject(DecideOptions),
    /// List standing approvals and who granted them
    Remembered,
    /// Revoke a standing approval
    Forget(ForgetOptions),
    /// Answer what an agent asks, and go on with the run
    Answer(AnswerOptions),
    /// Stop a run; every call gets a result that says what happened
    Cancel(CancelOptions),
    /// Go on with a run: after a crash, an answer, or a stop
    Resume(ResumeOptions),
    /// List the agents of a project
    Agents(ProjectOption),
    /// List the tools an agent sees and how they may run
    Tools(ToolsOptions),
    /// Ask the policy of a project
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Show the configuration of a project
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check that runs are what was written: journal, list, waits
    Verify(VerifyOptions),
    /// Show, erase and prune what the database holds
    #[command(subcommand)]
    Db(DbCommand),
    /// Check a file with a declaration of the Agent Protocol
    Validate(ValidateOptions),
    /// Read, check and repair a transcript of another program
    Import(ImportOptions),
    /// Write a run's transcript for a provider
    Export(ExportOptions),
    /// Make a project: provost.toml and a first agent
    Init(InitOptions),
    /// Check everything a run needs, the models included
    Doctor(DoctorOptions),
    /// Print completions for a shell
    Completions(CompletionsOptions),
    /// Print docs/cli.md
    #[command(hide = true)]
    Reference,
}

#[derive(Args)]
pub(crate) struct RunOptions {
    /// What to do; `-` reads it from standard input. The project's own prompt when left out
    pub(crate) prompt: Option<String>,
    /// The agent
    #[arg(long, short)]
    pub(crate) agent: Option<String>,
    /// A limit for this run, such as turns=20, tokens=50000 or usd=0.50; may be given several times
    #[arg(long, value_name = "NAME=NUMBER")]
    pub(crate) budget: Vec<String>,
    #[command(flatten)]
    pub(crate) with: ModelOptions,
}

#[derive(Args)]
pub(crate) struct ChatOptions {
    /// The agent; the session's, or the project's own, when left out
    pub(crate) agent: Option<String>,
    /// Go on with a conversation: its id, or `last` for the last used
    #[arg(long, short, value_name = "ID")]
    pub(crate) session: Option<String>,
    #[command(flatten)]
    pub(crate) with: ModelOptions,
}

// Which model answers, and who answers its questions. No doc comment: it would become the text of the command.
#[derive(Args)]
pub(crate) struct ModelOptions {
    /// The model, by its name in provost.toml
    #[arg(long, short)]
    pub(crate) model: Option<String>,
    /// Allow whatever is asked for; what may have happened before a crash is still asked
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Play this recording instead of asking a model
    #[arg(long, value_name = "FILE")]
    pub(crate) cassette: Option<PathBuf>,
    /// Record the model; with --cassette, record its answers anew with today's requests
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct RunsOptions {
    /// How many
    #[arg(long, short = 'n', default_value_t = 20)]
    pub(crate) limit: usize,
    /// Only runs in this state, such as completed or waiting
    #[arg(long)]
    pub(crate) status: Option<String>,
}

#[derive(Args)]
pub(crate) struct OneRun {
    /// The run: the beginning of its id, or `last` for the one started last
    #[arg(default_value = "last")]
    pub(crate) run: String,
}

#[derive(Args)]
pub(crate) struct ShowOptions {
    /// The run: the beginning of its id, or `last` for the one started last
    #[arg(default_value = "last")]
    pub(crate) run: String,
    /// All that this call printed and gave, by its number in the run
    pub(crate) call: Option<u32>,
}

#[derive(Args)]
pub(crate) struct ExplainOptions {
    /// The run (the beginning of its id, or `last`), or an error code such as PV0002
    #[arg(default_value = "last")]
    pub(crate) what: String,
    /// Only this tool or this call
    pub(crate) action: Option<String>,
}

#[derive(Args)]
pub(crate) struct DecideOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// The call that is meant, by its id; may be given several times. Needed when several calls wait and may run
    #[arg(long, value_name = "ID")]
    pub(crate) action: Vec<String>,
    /// Why
    #[arg(long, default_value = "")]
    pub(crate) reason: String,
    /// Decide only; do not go on with the run
    #[arg(long)]
    pub(crate) only: bool,
}

#[derive(Args)]
pub(crate) struct AnswerOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// The answer, or the number of one to choose; asked for on a terminal when left out
    #[arg(long, short)]
    pub(crate) text: Option<String>,
    /// Answer only; do not go on with the run
    #[arg(long)]
    pub(crate) only: bool,
}

#[derive(Args)]
pub(crate) struct ApproveOptions {
    #[command(flatten)]
    pub(crate) decide: DecideOptions,
    /// Do not ask again when the same rule asks about the same tool, whatever its arguments, in this run and in
    /// later ones of the agent here; provost forget takes it back
    #[arg(long)]
    pub(crate) remember: bool,
    /// The same for the rest of this run only
    #[arg(long, conflicts_with = "remember")]
    pub(crate) remember_in_run: bool,
    /// The call whose outcome was unknown did happen: this came of it. It is not run again
    #[arg(long, value_name = "RESULT", conflicts_with_all = ["remember", "remember_in_run"])]
    pub(crate) happened: Option<String>,
}

#[derive(Args)]
pub(crate) struct ForgetOptions {
    /// The question, as provost remembered names it; every one of them when it is `all`
    pub(crate) question: String,
}

#[derive(Args)]
pub(crate) struct CancelOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// Why
    #[arg(long, default_value = "")]
    pub(crate) reason: String,
}

#[derive(Args)]
pub(crate) struct ResumeOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// Allow whatever is asked for; what may have happened before a crash is still asked
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// A new limit, such as turns=20
    #[arg(long, value_name = "NAME=NUMBER")]
    pub(crate) budget: Vec<String>,
}

#[derive(Args)]
pub(crate) struct ProjectOption {
    /// The folder of the project, or one below it; `--project`, or the one you are in, when left out
    #[arg(value_name = "PROJECT")]
    pub(crate) folder: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct DoctorOptions {
    #[command(flatten)]
    pub(crate) of: ProjectOption,
    /// Ask no model
    #[arg(long)]
    pub(crate) offline: bool,
}

#[derive(Args)]
pub(crate) struct ToolsOptions {
    /// The folder of the project, or one below it; `--project`, or the one you are in, when left out
    #[arg(value_name = "PROJECT")]
    pub(crate) folder: Option<PathBuf>,
    /// The agent
    #[arg(long, short)]
    pub(crate) agent: Option<String>,
    /// Say which rule decides how each tool may run
    #[arg(long)]
    pub(crate) why: bool,
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the effective configuration; of keys only whether they are set
    Show(ConfigShowOptions),
}

#[derive(Args)]
pub(crate) struct ConfigShowOptions {
    /// Say where each value comes from: a file and its line, a variable of the environment, or a default
    #[arg(long)]
    pub(crate) origin: bool,
}

#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say how a call may run and which rules apply; without a call, check every example of every rule
    Test(PolicyTestOptions),
    /// Confirm the changes of governing files that stopped a run, so that runs start and go on with them
    Confirm(PolicyConfirmOptions),
}

#[derive(Args)]
pub(crate) struct PolicyConfirmOptions {
    /// Confirm without a question
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Args)]
pub(crate) struct PolicyTestOptions {
    /// The tool
    pub(crate) tool: Option<String>,
    /// Its arguments as JSON
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
    /// The agent whose own words count too; the default or only one when left out
    #[arg(long, short)]
    pub(crate) agent: Option<String>,
    /// Fail unless the answer is this one: allow, ask, deny or unclear
    #[arg(long, value_name = "DECISION", requires = "tool")]
    pub(crate) expect: Option<String>,
}

#[derive(Args)]
pub(crate) struct VerifyOptions {
    /// The run; every run when left out
    pub(crate) run: Option<String>,
    /// Also look up every line of an anchor file: of this one, or of the configured one when left out
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub(crate) anchor: Option<Option<PathBuf>>,
}

#[derive(Subcommand)]
pub(crate) enum DbCommand {
    /// Say how much the database holds
    Stats,
    /// List the records of a run: number, time, kind, and the size of their words
    Records(RecordsOptions),
    /// Erase the words of records: messages, arguments, results; facts, hashes and the chain stay
    Erase(EraseOptions),
    /// Remove runs that ended long ago, and artifacts that no run uses
    Prune(PruneOptions),
}

#[derive(Args)]
pub(crate) struct RecordsOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// Only records whose words or artifacts contain this text; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub(crate) find: Option<String>,
}

#[derive(Args)]
pub(crate) struct EraseOptions {
    /// The run; `last` is the newest
    pub(crate) run: String,
    /// The number of a record, as provost db records lists it; may be given several times
    #[arg(long, value_name = "N", required = true)]
    pub(crate) seq: Vec<u64>,
    /// Why; it is recorded with your name
    #[arg(long, required = true)]
    pub(crate) reason: String,
}

#[derive(Args)]
pub(crate) struct PruneOptions {
    /// Only runs that ended before: a number of days ago such as 90, or a date such as 2026-01-31 (UTC)
    #[arg(long, value_name = "DAYS|DATE")]
    pub(crate) before: String,
    /// Also conversations that did not change since, with their runs; else a run of a conversation stays
    #[arg(long)]
    pub(crate) sessions: bool,
    /// Only list what would go
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Remove without a question
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Args)]
pub(crate) struct ValidateOptions {
    /// A message of a model, or a bare declaration as JSON; `-` reads standard input
    pub(crate) file: PathBuf,
}

#[derive(Args)]
pub(crate) struct ImportOptions {
    /// A request body, a list of messages, or a session file of Claude Code or Codex CLI; `-` reads standard
    /// input
    pub(crate) file: PathBuf,
    /// Whose it is: anthropic, openai_chat, openai_responses, gemini, claude_code, codex or messages (our own);
    /// found out when left out
    #[arg(long)]
    pub(crate) from: Option<String>,
    /// Only say what the provider would refuse; fails when there is something
    #[arg(long, conflicts_with_all = ["repair", "to"])]
    pub(crate) check: bool,
    /// Print the repaired transcript in the shape of a provider; lines of a session file that cannot be read
    /// are left out instead of refused
    #[arg(long)]
    pub(crate) repair: bool,
    /// The provider to print the repaired transcript for: anthropic, openai_chat, openai_responses or gemini;
    /// with --repair the one it came from
    #[arg(long)]
    pub(crate) to: Option<String>,
}

#[derive(Args)]
pub(crate) struct ExportOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// For whom: anthropic, openai_chat, openai_responses or gemini
    #[arg(long, default_value = "anthropic")]
    pub(crate) to: String,
}

#[derive(Args)]
pub(crate) struct InitOptions {
    /// The folder
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

#[derive(Args)]
pub(crate) struct CompletionsOptions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
