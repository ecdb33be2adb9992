//! The words of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A governed agent runtime: declare, decide, do, journal, survive
#[derive(Parser)]
#[command(name = "provost", version, propagate_version = false, disable_help_subcommand = true)]
pub(super) struct Cli {
    /// Print one JSON document or event a line
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Only add lines; draw nothing anew
    #[arg(long, global = true)]
    pub(super) plain: bool,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Run an agent of a project, live
    Run(RunOptions),
    /// Talk with an agent; every message is a run of its own
    Chat(ChatOptions),
    /// List runs, newest first
    Runs(RunsOptions),
    /// Show what a run did
    Show(OneRun),
    /// Say why: every decision of a run, or what an error code means
    Explain(ExplainOptions),
    /// Fold a journal again, call nothing outside, and compare with what is stored beside it
    Replay(OneRun),
    /// Allow what a run asks for, and go on with it
    Approve(ApproveOptions),
    /// Refuse what a run asks for, and go on with it
    Reject(DecideOptions),
    /// List the questions that are not asked again, and whose word that is
    Remembered,
    /// Have a question asked again that somebody said to remember
    Forget(ForgetOptions),
    /// Answer what an agent asks, and go on with the run
    Answer(AnswerOptions),
    /// Stop a run; every call gets an honest result
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
    /// Check that a run, or every run, is what was written: journal, list, waits
    Verify(VerifyOptions),
    /// Show, erase and prune what the database holds
    #[command(subcommand)]
    Db(DbCommand),
    /// Check a file with a declaration of the Agent Protocol
    Validate(ValidateOptions),
    /// Read a provider's transcript or another program's session, say what is wrong with it, and repair it
    Import(ImportOptions),
    /// Write a run's transcript for a provider
    Export(ExportOptions),
    /// Make a project: provost.toml and a first agent
    Init(InitOptions),
    /// Look whether everything a project needs is there
    Doctor(ProjectOption),
    /// Print completions for a shell
    Completions(CompletionsOptions),
    /// Print docs/cli.md
    #[command(hide = true)]
    Reference,
}

#[derive(Args)]
pub(super) struct RunOptions {
    /// The folder of the project
    #[arg(default_value = ".")]
    pub(super) project: PathBuf,
    /// What to do; the project's own prompt when left out
    #[arg(long, short)]
    pub(super) prompt: Option<String>,
    /// The agent
    #[arg(long, short)]
    pub(super) agent: Option<String>,
    #[command(flatten)]
    pub(super) with: ModelOptions,
}

#[derive(Args)]
pub(super) struct ChatOptions {
    /// The agent; the session's, or the project's own, when left out
    pub(super) agent: Option<String>,
    /// Go on with a conversation: its id, or `last` for the last used
    #[arg(long, short, value_name = "ID")]
    pub(super) session: Option<String>,
    /// The folder of the project
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    pub(super) project: PathBuf,
    #[command(flatten)]
    pub(super) with: ModelOptions,
}

// Which model answers, and who answers its questions. No doc comment: it would become the text of the command.
#[derive(Args)]
pub(super) struct ModelOptions {
    /// The model, by its name in provost.toml
    #[arg(long, short)]
    pub(super) model: Option<String>,
    /// Allow whatever is asked for; what may have happened before a crash is still asked
    #[arg(long, short)]
    pub(super) yes: bool,
    /// Play this recording instead of asking a model
    #[arg(long, value_name = "FILE")]
    pub(super) cassette: Option<PathBuf>,
    /// Record the model; with --cassette, record its answers anew with today's requests
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct RunsOptions {
    /// How many
    #[arg(long, short = 'n', default_value_t = 20)]
    pub(super) limit: usize,
    /// Only runs in this state, such as completed or waiting
    #[arg(long)]
    pub(super) status: Option<String>,
}

#[derive(Args)]
pub(super) struct OneRun {
    /// The run; `last` is the newest
    #[arg(default_value = "last")]
    pub(super) run: String,
}

#[derive(Args)]
pub(super) struct ExplainOptions {
    /// The run (`last` is the newest), or an error code such as PV0002
    #[arg(default_value = "last")]
    pub(super) what: String,
    /// Only this tool or this call
    pub(super) action: Option<String>,
}

#[derive(Args)]
pub(super) struct DecideOptions {
    #[command(flatten)]
    pub(super) of: OneRun,
    /// The call that is meant, by its id; may be given several times. Needed when several calls wait and may run
    #[arg(long, value_name = "ID")]
    pub(super) action: Vec<String>,
    /// Why
    #[arg(long, default_value = "")]
    pub(super) reason: String,
    /// Decide only; do not go on with the run
    #[arg(long)]
    pub(super) only: bool,
}

#[derive(Args)]
pub(super) struct AnswerOptions {
    #[command(flatten)]
    pub(super) of: OneRun,
    /// The answer, or the number of one to choose; asked for on a terminal when left out
    #[arg(long, short)]
    pub(super) text: Option<String>,
    /// Answer only; do not go on with the run
    #[arg(long)]
    pub(super) only: bool,
}

#[derive(Args)]
pub(super) struct ApproveOptions {
    #[command(flatten)]
    pub(super) decide: DecideOptions,
    /// Do not ask again when the same rule asks about the same tool, whatever its arguments, in this run and in
    /// later ones of the agent here; provost forget takes it back
    #[arg(long)]
    pub(super) remember: bool,
    /// The same for the rest of this run only
    #[arg(long, conflicts_with = "remember")]
    pub(super) remember_in_run: bool,
    /// The call whose outcome was unknown did happen: this came of it. It is not run again
    #[arg(long, value_name = "RESULT", conflicts_with_all = ["remember", "remember_in_run"])]
    pub(super) happened: Option<String>,
}

#[derive(Args)]
pub(super) struct ForgetOptions {
    /// The question, as provost remembered names it; every one of them when it is `all`
    pub(super) question: String,
}

#[derive(Args)]
pub(super) struct CancelOptions {
    #[command(flatten)]
    pub(super) of: OneRun,
    /// Why
    #[arg(long, default_value = "")]
    pub(super) reason: String,
}

#[derive(Args)]
pub(super) struct ResumeOptions {
    #[command(flatten)]
    pub(super) of: OneRun,
    /// Allow whatever is asked for; what may have happened before a crash is still asked
    #[arg(long, short)]
    pub(super) yes: bool,
    /// A new limit, such as turns=20
    #[arg(long, value_name = "NAME=NUMBER")]
    pub(super) budget: Vec<String>,
}

#[derive(Args)]
pub(super) struct ProjectOption {
    /// The folder of the project
    #[arg(default_value = ".")]
    pub(super) project: PathBuf,
}

#[derive(Args)]
pub(super) struct ToolsOptions {
    /// The folder of the project
    #[arg(default_value = ".")]
    pub(super) project: PathBuf,
    /// The agent
    #[arg(long, short)]
    pub(super) agent: Option<String>,
    /// Say which rule decides how each tool may run
    #[arg(long)]
    pub(super) why: bool,
}

#[derive(Subcommand)]
pub(super) enum PolicyCommand {
    /// Say how a call may run and which rules apply; without a call, check every example of every rule
    Test(PolicyTestOptions),
    /// Confirm the changes of governing files that stopped a run, so that runs start and go on with them
    Confirm(PolicyConfirmOptions),
}

#[derive(Args)]
pub(super) struct PolicyConfirmOptions {
    /// The folder of the project
    #[arg(long, default_value = ".")]
    pub(super) project: PathBuf,
    /// Confirm without a question
    #[arg(long, short)]
    pub(super) yes: bool,
}

#[derive(Args)]
pub(super) struct PolicyTestOptions {
    /// The tool
    pub(super) tool: Option<String>,
    /// Its arguments as JSON
    #[arg(default_value = "{}")]
    pub(super) arguments: String,
    /// The folder of the project
    #[arg(long, default_value = ".")]
    pub(super) project: PathBuf,
    /// The agent whose own words count too; the default or only one when left out
    #[arg(long, short)]
    pub(super) agent: Option<String>,
    /// Fail unless the answer is this one: direct, preview, forbidden or unclear
    #[arg(long, value_name = "DECISION", requires = "tool")]
    pub(super) expect: Option<String>,
}

#[derive(Args)]
pub(super) struct VerifyOptions {
    /// The run; every run when left out
    pub(super) run: Option<String>,
    /// Also look up every line of an anchor file: of this one, or of the configured one when left out
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub(super) anchor: Option<Option<PathBuf>>,
}

#[derive(Subcommand)]
pub(super) enum DbCommand {
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
pub(super) struct RecordsOptions {
    #[command(flatten)]
    pub(super) of: OneRun,
    /// Only records whose words or artifacts contain this text; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub(super) find: Option<String>,
}

#[derive(Args)]
pub(super) struct EraseOptions {
    /// The run; `last` is the newest
    pub(super) run: String,
    /// The number of a record, as provost db records lists it; may be given several times
    #[arg(long, value_name = "N", required = true)]
    pub(super) seq: Vec<u64>,
    /// Why; it is recorded with your name
    #[arg(long, required = true)]
    pub(super) reason: String,
}

#[derive(Args)]
pub(super) struct PruneOptions {
    /// Only runs that ended before: a number of days ago such as 90, or a date such as 2026-01-31 (UTC)
    #[arg(long, value_name = "DAYS|DATE")]
    pub(super) before: String,
    /// Also conversations that did not change since, with their runs; else a run of a conversation stays
    #[arg(long)]
    pub(super) sessions: bool,
    /// Only list what would go
    #[arg(long, conflicts_with = "yes")]
    pub(super) dry_run: bool,
    /// Remove without a question
    #[arg(long, short)]
    pub(super) yes: bool,
}

#[derive(Args)]
pub(super) struct ValidateOptions {
    /// A message of a model, or a bare declaration as JSON; `-` reads standard input
    pub(super) file: PathBuf,
    /// The project whose tools may be named
    #[arg(long, default_value = ".")]
    pub(super) project: PathBuf,
}

#[derive(Args)]
pub(super) struct ImportOptions {
    /// A request body, a list of messages, or a session file of Claude Code or Codex CLI; `-` reads standard
    /// input
    pub(super) file: PathBuf,
    /// Whose it is: anthropic, openai_chat, openai_responses, gemini, claude_code, codex or messages (our own);
    /// found out when left out
    #[arg(long)]
    pub(super) from: Option<String>,
    /// Only say what the provider would refuse; fails when there is something
    #[arg(long, conflicts_with_all = ["repair", "to"])]
    pub(super) check: bool,
    /// Print the repaired transcript in the shape of a provider; lines of a session file that cannot be read
    /// are left out instead of refused
    #[arg(long)]
    pub(super) repair: bool,
    /// The provider to print the repaired transcript for: anthropic, openai_chat, openai_responses or gemini;
    /// with --repair the one it came from
    #[arg(long)]
    pub(super) to: Option<String>,
}

#[derive(Args)]
pub(super) struct ExportOptions {
    #[command(flatten)]
    pub(super) of: OneRun,
    /// For whom: anthropic, openai_chat, openai_responses or gemini
    #[arg(long, default_value = "anthropic")]
    pub(super) to: String,
}

#[derive(Args)]
pub(super) struct InitOptions {
    /// The folder
    #[arg(default_value = ".")]
    pub(super) folder: PathBuf,
}

#[derive(Args)]
pub(super) struct CompletionsOptions {
    /// The shell
    pub(super) shell: clap_complete::Shell,
}
