//! The help of the program: its commands by what they are for, with examples.

use std::fmt::Write as _;

use clap::Command;

const WORK: [&str; 5] = ["run", "chat", "exec", "resume", "cancel"];
const DECIDE: [&str; 4] = ["approvals", "approve", "reject", "answer"];
const LOOK: [&str; 6] = ["runs", "show", "explain", "replay", "verify", "stats"];
const SET_UP: [&str; 6] = ["init", "doctor", "agents", "tools", "policy", "config"];

const EXAMPLES: [(&str, &str); 5] = [
    ("provost run \"fix the tests\"", "the project's default agent"),
    ("git diff | provost run - -a reviewer", "the task from standard input"),
    ("provost run \"tidy up\" --budget usd=0.50", "stops when half a dollar is spent"),
    ("provost show last", "the run started last"),
    ("provost doctor", "what is missing, and where"),
];

/// The help of the whole program.
pub(crate) fn help(program: &Command) -> String {
    let mut text = String::from(
        "Provost runs agents under rules: it decides, asks, does, records, and survives.\n\n\
         Usage  provost COMMAND [OPTIONS]\n",
    );
    let groups: [(&str, &[&str]); 4] =
        [("Work", &WORK), ("Decide", &DECIDE), ("Look", &LOOK), ("Set up", &SET_UP)];
    for (title, names) in groups {
        let _ = writeln!(text, "\n{title}");
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            row(&mut text, command);
        }
    }
    let is_named = |name: &str| groups.iter().any(|(_, names)| names.contains(&name));
    text.push_str("\nMore\n");
    let others = program.get_subcommands().filter(|command| !command.is_hide_set());
    others.filter(|command| !is_named(command.get_name())).for_each(|command| row(&mut text, command));
    text.push_str("\nExamples\n");
    for (command, meaning) in EXAMPLES {
        let _ = writeln!(text, "   {command:<41} {meaning}");
    }
    text.push_str(
        "\nEverywhere  --json  --plain  --color WHEN  -C, --project FOLDER  -h  -V\n\
         Exit codes  0 done   1 failed   2 nothing was done   3 waits for a person\n            \
         4 a limit stopped it   130 cancelled\n\n\
         provost COMMAND --help says more\n",
    );
    text
}

fn row(text: &mut String, command: &Command) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = writeln!(text, "   {:<12}{about}", command.get_name());
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_command_stands_in_the_help_once_and_every_line_fits() {
        let mut program = Cli::command();
        program.build();
        let text = help(&program);
        let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
        for command in shown.map(Command::get_name) {
            let begins = format!("   {command} ");
            assert_eq!(text.lines().filter(|line| line.starts_with(&begins)).count(), 1, "{command}");
        }
        for name in [&WORK[..], &DECIDE, &LOOK, &SET_UP].concat() {
            assert!(program.find_subcommand(name).is_some(), "there is no command {name}");
        }
        for line in text.lines() {
            assert!(line.chars().count() < 80, "{line}");
        }
    }
}
