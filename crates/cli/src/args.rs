//! Command-line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use provost::Remember;

use crate::standing::lasting;
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
    /// Explain every decision of a run, or an error code
    Explain(ExplainOptions),
    /// Rebuild a run from its journal and compare; runs nothing
    Replay(OneRun),
    /// Allow a waiting call, and continue the run
    Approve(ApproveOptions),
    /// Decline a waiting call, and continue the run
    Reject(DecideOptions),
    /// List what waits, and standing approvals; revoke one
    Approvals(ApprovalsOptions),
    /// Answer a question of an agent, and continue the run
    Answer(AnswerOptions),
    /// Stop a run; every call gets a result that says what happened
    Cancel(CancelOptions),
    /// Continue a run after a crash, an answer or a stop
    Resume(ResumeOptions),
    /// List the agents of a project
    Agents(ProjectOption),
    /// List the tools an agent sees and how they may run
    Tools(ToolsOptions),
    /// Test calls against the policy, or confirm changed files
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Show the configuration of a project
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Verify the hash chain of runs, and the tables beside it
    Verify(VerifyOptions),
    /// Show, erase and prune what the database holds
    #[command(subcommand)]
    Db(DbCommand),
    /// Check a file with a declaration of the Agent Protocol
    Validate(ValidateOptions),
    /// Count how well models speak the Agent Protocol
    Stats,
    /// Run a declaration of the Agent Protocol; no model is asked
    Exec(ExecOptions),
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
    /// The task; `-` reads it from standard input [default: the project's own prompt]
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
    /// The agent [default: the session's, or the project's own]
    pub(crate) agent: Option<String>,
    /// Continue a conversation: its id, or `last` for the one used last
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
    /// Allow every call that needs approval; a call that a crash left in doubt is still asked about
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Play this recording instead of asking a model
    #[arg(long, value_name = "FILE")]
    pub(crate) cassette: Option<PathBuf>,
    /// Record the model; with --cassette, play its answers and record today's requests
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct RunsOptions {
    /// How many
    #[arg(long, short = 'n', default_value_t = 20, value_parser = at_least_one)]
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
    /// One call, by its number in the run, with its whole output and result
    pub(crate) call: Option<u32>,
}

#[derive(Args)]
pub(crate) struct ExplainOptions {
    /// The run (the beginning of its id, or `last`), or an error code such as PV0002
    #[arg(default_value = "last")]
    pub(crate) what: String,
    /// Only this tool, or this call by its number
    pub(crate) action: Option<String>,
}

#[derive(Args)]
pub(crate) struct DecideOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// The call, by its id; may be repeated. Required to allow one of several waiting calls
    #[arg(long, value_name = "ID")]
    pub(crate) action: Vec<String>,
    /// Why
    #[arg(long, default_value = "")]
    pub(crate) reason: String,
    /// Only record the decision; do not continue the run
    #[arg(long)]
    pub(crate) only: bool,
}

#[derive(Args)]
pub(crate) struct AnswerOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// The answer, or the number of an option [default: asked for on a terminal]
    #[arg(long, short)]
    pub(crate) text: Option<String>,
    /// The action, by its name, its id or the id of its question
    #[arg(long, value_name = "ID")]
    pub(crate) action: Option<String>,
    /// Run a call again whose outcome is unknown
    #[arg(long, conflicts_with_all = ["leave", "happened", "text"])]
    pub(crate) again: bool,
    /// Leave a call as it is whose outcome is unknown; it is not run again
    #[arg(long, conflicts_with_all = ["happened", "text"])]
    pub(crate) leave: bool,
    /// Record what a call came to whose outcome is unknown, as JSON; it is not run again
    #[arg(long, value_name = "JSON", conflicts_with = "text")]
    pub(crate) happened: Option<String>,
    /// Why
    #[arg(long, default_value = "")]
    pub(crate) reason: String,
    /// Only record the answer; do not continue the run
    #[arg(long)]
    pub(crate) only: bool,
}

#[derive(Args)]
pub(crate) struct ApproveOptions {
    #[command(flatten)]
    pub(crate) decide: DecideOptions,
    /// Grant a standing approval too, so that the same rule does not ask again: about this `call`, about a file or
    /// folder of the workspace, or about every call of the `tool`
    #[arg(long, value_name = "call|PATH|tool", requires = "for_", conflicts_with = "only")]
    pub(crate) stop_asking: Option<String>,
    /// How long the standing approval holds: `run`, a time such as 45m, 8h or 30d, or `always`
    #[arg(long = "for", id = "for_", value_name = "TIME", requires = "stop_asking", value_parser = lasting)]
    pub(crate) how_long: Option<Remember>,
    /// Record that a call whose outcome was unknown did happen, with its result. It is not run again
    #[arg(long, value_name = "RESULT", conflicts_with = "stop_asking")]
    pub(crate) happened: Option<String>,
}

#[derive(Args)]
pub(crate) struct ApprovalsOptions {
    #[command(subcommand)]
    pub(crate) command: Option<ApprovalsCommand>,
}

#[derive(Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// Revoke a standing approval: its calls are asked about again, also in active runs
    Revoke(RevokeOptions),
}

#[derive(Args)]
pub(crate) struct RevokeOptions {
    /// The approval, by the beginning of its id; `all` means every one
    pub(crate) approval: String,
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
    /// Allow every call that needs approval; a call that a crash left in doubt is still asked about
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// A new limit, such as turns=20
    #[arg(long, value_name = "NAME=NUMBER")]
    pub(crate) budget: Vec<String>,
}

#[derive(Args)]
pub(crate) struct ProjectOption {
    /// The folder of the project, or one below it [default: `--project`, or the current folder]
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
    /// The folder of the project, or one below it [default: `--project`, or the current folder]
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
    /// Print the effective configuration; keys are shown only as set or not set
    Show(ConfigShowOptions),
}

#[derive(Args)]
pub(crate) struct ConfigShowOptions {
    /// Show the origin of each value: a file and its line, an environment variable, or a default
    #[arg(long)]
    pub(crate) origin: bool,
}

#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show how a call may run and which rules apply; without a call, check every example of every rule
    Test(PolicyTestOptions),
    /// Confirm changed governing files, so that runs start and continue with them
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
    /// The agent whose own policy applies too [default: the default or only agent]
    #[arg(long, short)]
    pub(crate) agent: Option<String>,
    /// Fail unless the answer is this one: allow, ask, deny or unclear
    #[arg(long, value_name = "DECISION", requires = "tool")]
    pub(crate) expect: Option<String>,
}

#[derive(Args)]
pub(crate) struct VerifyOptions {
    /// The run [default: every run]
    pub(crate) run: Option<String>,
    /// Also check every line of an anchor file [default: the configured one]
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub(crate) anchor: Option<Option<PathBuf>>,
}

#[derive(Subcommand)]
pub(crate) enum DbCommand {
    /// Show the size of the database and of its parts
    Stats,
    /// List the records of a run: number, time, kind, and size of their text
    Records(RecordsOptions),
    /// Erase the text of records: messages, arguments, results; facts, hashes and the chain stay
    Erase(EraseOptions),
    /// Remove runs that ended long ago, and artifacts that no run uses
    Prune(PruneOptions),
}

#[derive(Args)]
pub(crate) struct RecordsOptions {
    #[command(flatten)]
    pub(crate) of: OneRun,
    /// Only records whose text or artifacts contain this; `-` reads it from standard input
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
    /// Also remove conversations that did not change since, with their runs; else runs of conversations stay
    #[arg(long)]
    pub(crate) sessions: bool,
    /// Only list what would be removed
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
pub(crate) struct ExecOptions {
    /// A declaration: the flat form or the envelope as JSON, or a message with one fenced block; `-` reads standard
    /// input
    pub(crate) file: PathBuf,
    /// The agent whose tools, policy and budgets hold [default: the project's policy and all its tools]
    #[arg(long, short)]
    pub(crate) agent: Option<String>,
    /// What the work is for; the declaration reads it as `input:user.goal`
    #[arg(long)]
    pub(crate) goal: Option<String>,
    /// What this run completed counts as completed earlier
    #[arg(long, value_name = "RUN")]
    pub(crate) after: Option<String>,
    /// Allow every call that needs approval; a call that a crash left in doubt is still asked about
    #[arg(long, short, conflicts_with = "no")]
    pub(crate) yes: bool,
    /// Decline every call that needs approval
    #[arg(long)]
    pub(crate) no: bool,
    /// Answer a question of a person's action, by its id
    #[arg(long, value_name = "ID=TEXT")]
    pub(crate) answer: Vec<String>,
    /// Check and price the declaration; run nothing
    #[arg(long)]
    pub(crate) plan: bool,
}

#[derive(Args)]
pub(crate) struct ImportOptions {
    /// A request body, a list of messages, or a session file of Claude Code or Codex CLI; `-` reads standard
    /// input
    pub(crate) file: PathBuf,
    /// The format: anthropic, openai_chat, openai_responses, gemini, claude_code, codex or messages (Provost's own)
    /// [default: detected]
    #[arg(long)]
    pub(crate) from: Option<String>,
    /// Only report what the provider would reject; fails if there is anything
    #[arg(long, conflicts_with_all = ["repair", "to"])]
    pub(crate) check: bool,
    /// Print the repaired transcript in the format of a provider; unreadable lines of a session file are skipped
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
    /// The provider: anthropic, openai_chat, openai_responses or gemini
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

fn at_least_one(word: &str) -> Result<usize, String> {
    match word.parse() {
        Ok(0) | Err(_) => Err("a number from 1".to_owned()),
        Ok(number) => Ok(number),
    }
}
