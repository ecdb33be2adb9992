//! From the command line to an exit code.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};
use provost_tools::supervise;
use serde_json::{Value, json};

use crate::args::{
    ApprovalsCommand, ApprovalsOptions, Cli, Command, ConfigCommand, DbCommand, PolicyCommand,
};
use crate::command;
use crate::exit::Exit;
use crate::failure::{Code, Failure, exit_code};
use crate::help::help;
use crate::reference::reference;
use crate::screen::Screen;
use crate::text::ColorChoice;
use crate::threads::{deciding, waiting, working};

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    supervise::if_asked();
    close_memory();
    let command = Cli::command();
    let help = help(&command);
    let parsed = command.override_help(help).try_get_matches();
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are asked for; the rest is a mistake of the caller.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            if exit == Exit::Usage && wants_json(std::env::args_os()) {
                let screen = Screen::new(true, false, ColorChoice::default());
                screen.document(&json!({ "type": "error", "error": usage(&error) }));
                return exit.into();
            }
            return match error.print() {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Exit::Failed.into(),
                _ => exit.into(),
            };
        }
    };
    let screen = Screen::new(cli.json, cli.plain, cli.color);
    let done = perform(cli.command, &cli.project, &screen).and_then(|exit| Screen::written().map(|()| exit));
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            screen.failure(&failure);
            if screen.is_json() && failure.code == Code::Output {
                // Standard output failed, so use standard error.
                screen.note(&format!("error[{}]: {}", failure.code.word(), failure.message));
            }
            exit_code(&failure).into()
        }
    }
}

/// Whether documents are asked for, in a command line that cannot be read.
fn wants_json(words: impl Iterator<Item = OsString>) -> bool {
    words.take_while(|word| word != "--").any(|word| word == "--json")
}

/// A wrong command line, as machines read it. It has no code: codes are for what a command finds.
fn usage(error: &clap::Error) -> Value {
    let text = error.render().to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let hint = rest.lines().map(str::trim).find_map(|line| line.strip_prefix("tip: "));
    let message = message.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
    json!({ "code": "usage", "message": message, "hint": hint.unwrap_or("provost COMMAND --help says more") })
}

/// Closes memory and environment of this process, and so its keys, to other processes of the user. Taking a
/// variable out of the environment would not help: `/proc` shows the one the process was started with.
fn close_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Where the system refuses, everything else still holds.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Runs a command. Only async commands get a runtime.
fn perform(asked: Command, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    match asked {
        Command::Init(options) => command::init::run(&options, screen),
        Command::Doctor(options) => waiting(command::doctor::run(&options, start, screen)),
        Command::Agents(options) => command::agents::run(&options, start, screen),
        Command::Tools(options) => command::tools::run(&options, start, screen),
        Command::Config(ConfigCommand::Show(options)) => command::config_show::run(&options, start, screen),
        Command::Policy(PolicyCommand::Test(options)) => command::policy_test::run(&options, start, screen),
        Command::Policy(PolicyCommand::Confirm(options)) => {
            deciding(command::policy_confirm::run(&options, start, screen))
        }
        Command::Validate(options) => command::validate::run(&options, start, screen),
        Command::Exec(options) if options.yes || options.no => {
            deciding(command::exec::run(&options, start, screen))
        }
        Command::Exec(options) => working(command::exec::run(&options, start, screen)),
        Command::Import(options) => command::import::run(&options, screen),
        Command::Completions(options) => Ok(command::completions::run(&options, screen)),
        Command::Reference => {
            screen.data(&reference());
            Ok(Exit::Done)
        }
        // `--yes` decides, and a program of a run decides nothing.
        Command::Run(options) if options.with.yes => deciding(command::run::run(&options, start, screen)),
        Command::Run(options) => working(command::run::run(&options, start, screen)),
        Command::Chat(options) => deciding(command::chat::run(&options, start, screen)),
        Command::Runs(options) => waiting(command::runs::run(&options, start, screen)),
        Command::Show(options) => waiting(command::show::run(&options, start, screen)),
        Command::Explain(options) => command::explain::run(&options, start, screen),
        Command::Replay(options) => waiting(command::replay::run(&options, start, screen)),
        Command::Verify(options) => waiting(command::verify::run(&options, start, screen)),
        Command::Stats => waiting(command::stats::run(start, screen)),
        Command::Db(DbCommand::Stats) => waiting(command::db_stats::run(start, screen)),
        Command::Db(DbCommand::Records(options)) => {
            waiting(command::db_records::run(&options, start, screen))
        }
        Command::Db(DbCommand::Erase(options)) => deciding(command::db_erase::run(&options, start, screen)),
        Command::Db(DbCommand::Prune(options)) => deciding(command::db_prune::run(&options, start, screen)),
        Command::Export(options) => waiting(command::export::run(&options, start, screen)),
        Command::Approve(options) => deciding(command::approve::run(&options, start, screen)),
        Command::Reject(options) => deciding(command::reject::run(&options, start, screen)),
        Command::Answer(options) => deciding(command::answer::run(&options, start, screen)),
        Command::Approvals(ApprovalsOptions { command: None }) => {
            waiting(command::approvals::run(start, screen))
        }
        Command::Approvals(ApprovalsOptions { command: Some(ApprovalsCommand::Revoke(options)) }) => {
            deciding(command::approvals::revoke(&options, start, screen))
        }
        Command::Cancel(options) => deciding(command::cancel::run(&options, start, screen)),
        Command::Resume(options) => deciding(command::resume::run(&options, start, screen)),
    }
}
