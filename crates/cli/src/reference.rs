//! docs/cli.md, made of the words of the command line.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};

use crate::args::Cli;
use crate::exit::Exit;

/// The reference of every command, as Markdown.
pub(crate) fn reference() -> String {
    let mut command = Cli::command();
    command.build();
    let mut text = String::from(
        "# The command line\n\nMade by `cargo xtask generate` from the program; do not edit.\n\n\
         Data goes to standard output, everything else to standard error. `--json` prints one JSON document \
         or event per line ([json.md](json.md)).\n\n\
         On a terminal each line begins with a mark: `✓` completed, `✗` failed, `⊖` denied or declined, `◆` a person \
         must answer, `◆?` in doubt, `◇` waits, `■` stopped, `┃` the model's words, `│` what a program printed. Below \
         the lines, `run` redraws what runs and what was used. Without a UTF-8 locale the marks are ASCII. `--plain`, \
         `ACCESSIBLE` or `TERM=dumb` append lines that begin with their subject, without marks, columns and colours; \
         so does a stream that is not a terminal.\n\n\
         Colours follow `--color auto|always|never`, then `NO_COLOR`, `CLICOLOR_FORCE` or `FORCE_COLOR`, `CLICOLOR=0`, \
         then whether the stream is a terminal.\n\n\
         A run is named by the beginning of its id, with or without the time in it, or by `last`, the run started \
         last. The project is found upwards from the folder you are in; `--project FOLDER` begins elsewhere.\n",
    );
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        section(&mut text, "provost", command);
    }
    text.push_str("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n");
    for (exit, meaning) in Exit::MEANINGS {
        let _ = writeln!(text, "| {} | {meaning} |", exit.number());
    }
    text.push_str("\nErrors have a code such as `PV0002`; `provost explain PV0002` prints its page of `docs/errors/`.\n");
    text
}

/// A command that only gathers others is told by those.
fn section(text: &mut String, before: &str, command: &Command) {
    let name = format!("{before} {}", command.get_name());
    if command.has_subcommands() {
        return command.get_subcommands().for_each(|command| section(text, &name, command));
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(text, "\n## {name}\n\n{about}.\n\n");
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        if !matches!(argument.get_id().as_str(), "help" | "json" | "plain" | "color" | "project") {
            let _ = writeln!(text, "- `{}`: {}", self::name(argument), meaning(argument));
        }
    }
}

fn name(argument: &Arg) -> String {
    let value =
        argument.get_value_names().into_iter().flatten().map(|name| name.as_str()).collect::<Vec<_>>();
    let takes = argument.get_action().takes_values();
    match (argument.get_long(), argument.get_short()) {
        (Some(long), short) => {
            let short = short.map(|short| format!("-{short}, ")).unwrap_or_default();
            let value = if takes { format!(" <{}>", value.join(" ")) } else { String::new() };
            format!("{short}--{long}{value}")
        }
        (None, _) => format!("<{}>", value.join(" ")),
    }
}

fn meaning(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let default: Vec<_> = argument.get_default_values().iter().filter_map(|value| value.to_str()).collect();
    match default.join(" ") {
        empty if empty.is_empty() || !argument.get_action().takes_values() => help,
        default => format!("{help} (default `{default}`)"),
    }
}
