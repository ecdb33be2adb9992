//! The program on a real terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use expectrl::{Eof, Expect as _};
use serde_json::json;

use super::pty::{CTRL_C, CTRL_D, LEFT, PROMPT, Terminal, UP, screen, uncoloured};
use super::script::{call, mend, say};
use super::server::Speaker;
use super::world::World;

/// The question, its answers and the prompt are on the screen together, at the size of a small and of a large
/// terminal.
#[test]
fn a_person_is_asked_and_the_run_goes_on() {
    for size in [(80, 24), (160, 50)] {
        let world = World::new();
        let mut terminal = world.on_terminal(&["run", "-C", "examples/audit"], &[], size);
        let mut written = String::new();
        let asked = |screen: &str| screen.trim_end().ends_with("y n e s w l ? ›");
        let shown = terminal.until_screen(&mut written, size, asked);
        let order = ["fs/edit", "asks because", "set -eu", "+ echo $(($1 + $2))", "y n e s w l ?"];
        let mut rest = shown.as_str();
        for words in order {
            rest = rest.split_once(words).unwrap_or_else(|| panic!("{words} at {size:?}: {shown}")).1;
        }
        assert!(shown.lines().all(|line| line.chars().count() <= usize::from(size.0)), "{shown}");
        terminal.enters("y");
        let (rest, code) = terminal.end();
        assert_eq!(code, 0, "{rest}");
        assert_eq!(rest.matches("Audit of Tally").count(), 1, "said once at {size:?}: {rest}");
    }
}

/// The words are on the screen before the model has said all of them.
#[test]
fn words_arrive_while_the_model_speaks() {
    let world = World::new();
    let speaker = Speaker::new(&["The first words", " and the last."]);
    world.served_by(&speaker);
    let mut chat = world.on_terminal(&["chat", "--project", "talk"], &[], (80, 24));
    chat.until(PROMPT);
    chat.enters("speak");
    chat.until("The first words");
    speaker.go_on();
    chat.until("and the last.");
    chat.until(PROMPT);
    chat.types(CTRL_D);
    assert_eq!(chat.end().1, 0);
    let mut run = world.on_terminal(&["run", "-C", "talk", "speak"], &[], (80, 24));
    run.until("The first words");
    speaker.go_on();
    let (rest, code) = run.end();
    assert_eq!(code, 0, "{rest}");
    let screen = screen(&rest, (80, 24));
    assert_eq!(screen.matches("The first words and the last.").count(), 1, "they are said once: {screen}");
    let journal = world.provost(&["replay", "last"]).stdout;
    assert!(journal.contains("The first words and the last."), "the journal has the whole answer: {journal}");
}

#[test]
fn lines_are_edited_and_remembered_for_their_owner_alone() {
    let world = World::new();
    let mut chat = world.chat_on_terminal(&[], &world.script("one", &[say("Hi.")]));
    chat.until(PROMPT);
    chat.enters(&format!("helo{LEFT}l"));
    chat.until("Hi.");
    chat.until(PROMPT);
    chat.types(CTRL_D);
    assert_eq!(chat.end().1, 0);
    let asked = fs::read_to_string(world.path("one.json")).unwrap();
    assert!(asked.contains("\"hello\""), "{asked}");
    let mode = fs::metadata(world.path(".provost/chat_history")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut again = world.chat_on_terminal(&["--session", "last"], &world.script("two", &[say("Again.")]));
    again.until(PROMPT);
    again.enters(UP);
    again.until("Again.");
    again.until(PROMPT);
    again.types(CTRL_D);
    assert_eq!(again.end().1, 0);
    assert!(fs::read_to_string(world.path("two.json")).unwrap().matches("\"hello\"").count() >= 2);
}

/// Ctrl-C stops the turn and not the conversation; at an empty prompt a second one leaves.
#[test]
fn ctrl_c_stops_the_turn_honestly_and_leaves_when_said_twice() {
    let world = World::new();
    let started = world.path("started");
    let script = format!("touch '{}'; exec sleep 600", started.display());
    let sleeps = call("nap-1", "shell/run", &json!({ "argv": ["sh", "-c", script] }));
    let mut chat = world.chat_on_terminal(&[], &world.script("one", &[sleeps, say("Still here.")]));
    chat.until(PROMPT);
    chat.enters("sleep");
    chat.until("shell/run");
    while !started.exists() {
        std::thread::yield_now();
    }
    chat.types(CTRL_C);
    chat.until("cancelled; send a message to continue");
    chat.until(PROMPT);
    chat.enters("hello?");
    chat.until("Still here.");
    chat.until(PROMPT);
    chat.types(CTRL_C);
    chat.until("Ctrl-C again leaves");
    chat.until(PROMPT);
    chat.types(CTRL_C);
    let (rest, code) = chat.end();
    assert_eq!(code, 0, "{rest}");
    let asked = fs::read_to_string(world.path("one.json")).unwrap();
    assert!(asked.contains("It may have taken effect in part or in full."), "{asked}");
}

#[test]
fn a_question_is_answered_in_the_conversation() {
    [(80, 24), (160, 50)].into_iter().for_each(is_answered_in_the_conversation);
}

fn is_answered_in_the_conversation(size: (u16, u16)) {
    let world = World::new();
    let model = world.script("one", &[mend(), say("Mended.")]);
    let mut chat = world.on_terminal(&["chat", "--project", "examples/audit"], &model, size);
    chat.until(PROMPT);
    chat.enters("mend it");
    chat.until("y n e s w l ?");
    chat.enters("later");
    chat.until("waiting: /approve");
    chat.until(PROMPT);
    chat.enters("/aprove");
    chat.until("did you mean /approve?");
    chat.until(PROMPT);
    chat.enters("y");
    chat.until("Mended.");
    chat.until(PROMPT);
    chat.enters("/quit");
    assert_eq!(chat.end().1, 0);
    assert!(world.mended().contains("echo $(($1 + $2))"));
}

/// The question was answered in another process: Enter says so, and the next line is a message.
#[test]
fn a_question_that_was_answered_elsewhere_is_left() {
    let world = World::new();
    let turns = [mend(), say("Left as it is."), say("A message it is.")];
    let mut chat = world.chat_on_terminal(&[], &world.script("one", &turns));
    chat.until(PROMPT);
    chat.enters("mend it");
    chat.until("y n e s w l ?");
    // The control: Enter alone leaves an open question as it is.
    chat.enters("");
    chat.until("y n e s w l ?");
    let mut reject = world.command(&["reject", "last", "--only", "-C", "examples/audit"]);
    let rejected = world.printed(reject.env_remove("PROVOST_CLOCK_MS").env_remove("PROVOST_SEED"));
    assert_eq!(rejected.code, 0, "{}", rejected.stderr);
    chat.enters("");
    chat.until("another process answered this question");
    chat.until("Left as it is.");
    chat.until(PROMPT);
    chat.enters("no");
    chat.until("A message it is.");
    chat.until(PROMPT);
    chat.enters("/quit");
    assert_eq!(chat.end().1, 0);
    assert!(!world.mended().contains("echo $(($1 + $2))\n"));
}

/// A signal at a question ends the program; what waits is said on lines of its own.
#[test]
fn sigterm_at_a_question_says_what_waits() {
    let world = World::new();
    for words in [&["run", "-C", "examples/audit"][..], &["chat", "-C", "examples/audit"]] {
        let model = world.script("one", &[mend(), say("Mended.")]);
        let mut terminal = world.on_terminal(words, &model, (80, 24));
        if words[0] == "chat" {
            terminal.until(PROMPT);
            terminal.enters("mend it");
        }
        terminal.until("y n e s w l ?");
        terminal.terminates();
        let (rest, code) = terminal.end();
        assert_eq!(code, 143, "{rest}");
        let rest = uncoloured(&rest);
        let waits = rest.lines().map(str::trim).find(|line| line.contains("waits for you"));
        assert!(waits.is_some_and(|line| !line.contains("y n e")), "{rest}");
    }
}

/// The agent asks, and the run goes on with the answer.
#[test]
fn an_agents_question_is_answered_on_the_spot() {
    let world = super::questions::world();
    let model = world.script("one", &[super::questions::asks(), say("Blue it is.")]);
    let mut terminal = world.on_terminal(&["run", "-C", "examples/audit"], &model, (80, 24));
    terminal.until("Which colour?");
    terminal.until("your answer");
    terminal.enters("2");
    let (rest, code) = terminal.end();
    assert_eq!(code, 0, "{rest}");
    assert!(rest.contains("Blue it is."), "{rest}");
    assert!(fs::read_to_string(world.path("one.json")).unwrap().contains("{\\\"answer\\\":\\\"blue\\\"}"));
}

/// A program that takes its time, and what the terminal shows meanwhile.
fn while_it_runs(words: &[&str], size: (u16, u16), environment: &[(&str, &str)]) -> String {
    let world = World::new();
    let naps = call("nap-1", "shell/run", &json!({ "argv": ["sleep", "3"] }));
    let model = world.script("one", &[naps, say("Rested.")]);
    let mut command = world.command(&["run", "-C", "examples/audit"]);
    command.args(words).args(model);
    let mut terminal = Terminal::sized(command, size, environment);
    let mut shown = terminal.until("Rested.");
    let (rest, code) = terminal.end();
    shown.push_str(&rest);
    assert_eq!(code, 0, "{shown}");
    shown
}

const UP_AND_CLEAR: &str = "A\u{1b}[J";

#[test]
fn what_runs_and_what_was_used_is_drawn_again() {
    for size in [(60, 24), (80, 24), (160, 50)] {
        let shown = while_it_runs(&[], size, &[]);
        let plain = uncoloured(&shown);
        assert!(plain.contains("running"), "{size:?}: {shown}");
        assert!(plain.contains("turn 1 of 12   1 of 40 calls"), "{size:?}: {shown}");
        assert!(shown.contains(UP_AND_CLEAR), "{size:?}: {shown}");
        let screen = screen(&shown, size);
        assert!(screen.contains("✓  shell/run"), "{size:?}: {screen}");
        assert!(!screen.contains("running") && !screen.contains("1 of 40 calls"), "{size:?}: {screen}");
        assert!(screen.contains("┃  Rested."), "{size:?}: {screen}");
    }
}

/// The lines of a run are the same while it works and afterwards.
#[test]
fn what_is_shown_live_is_shown_afterwards() {
    for size in [(80, 24), (160, 50)] {
        let world = World::new();
        let mut terminal = world.on_terminal(&["run", "-C", "examples/audit", "--yes"], &[], size);
        let live = terminal.until("completed");
        let (rest, code) = terminal.end();
        assert_eq!(code, 0, "{rest}");
        let (after, _) = world.on_terminal(&["show", "last"], &[], size).end();
        let tall = (size.0, 200);
        let lines = |screen: String| -> Vec<String> {
            let from = screen.lines().skip_while(|line| !line.starts_with("›"));
            let until = from.take_while(|line| !line.contains("✓  completed"));
            let lines = until.filter(|line| !line.contains("allowed by --yes"));
            lines.map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
        };
        let (live, after) = (lines(screen(&(live + &rest), tall)), lines(screen(&after, tall)));
        assert!(live.len() > 20, "{live:?}");
        assert_eq!(live, after, "{size:?}");
    }
}

/// The same lines without drawing, wherever drawing would be wrong.
#[test]
fn lines_are_only_added_where_nothing_can_be_drawn() {
    let wide = (80, 24);
    for (words, size, environment) in [
        (&["--plain"][..], wide, &[][..]),
        (&[], wide, &[("TERM", "dumb")]),
        (&[], wide, &[("ACCESSIBLE", "1")]),
        (&[], (20, 5), &[]),
    ] {
        let shown = while_it_runs(words, size, environment);
        assert!(shown.replace("\r\n", " ").contains("call 1 shell/run"), "{words:?} {size:?}: {shown}");
        assert!(!shown.contains('\u{1b}'), "{words:?} {size:?}: {shown}");
    }
}

#[test]
fn no_color_takes_the_colours_away_and_draws() {
    for (words, environment) in [(&[][..], &[("NO_COLOR", "1")][..]), (&["--color", "never"], &[])] {
        let shown = while_it_runs(words, (80, 24), environment);
        assert!(shown.contains(UP_AND_CLEAR) && shown.contains("\u{1b}[2m"), "{shown}");
        for colour in 31..=37 {
            assert!(!shown.contains(&format!("\u{1b}[{colour}m")), "{shown}");
        }
    }
    let coloured = while_it_runs(&[], (80, 24), &[]);
    assert!(coloured.contains("\u{1b}[32m✓"), "{coloured}");
}

#[test]
fn a_terminal_that_cannot_show_other_letters_gets_ascii() {
    for environment in [&[("LANG", "C")][..], &[("TERM", "linux")]] {
        let shown = while_it_runs(&[], (80, 24), environment);
        assert!(shown.is_ascii() && shown.contains("+\u{1b}[0m  shell/run"), "{shown}");
    }
}

/// Whatever size the terminal takes while something runs, the run goes on and its words are whole.
#[test]
fn a_terminal_may_change_its_size() {
    let world = World::new();
    let naps = call("nap-1", "shell/run", &json!({ "argv": ["sleep", "3"] }));
    let model = world.script("one", &[naps, say("Rested.")]);
    let mut terminal = world.on_terminal(&["run", "-C", "examples/audit"], &model, (200, 50));
    terminal.until("turn 1 of 12");
    for (columns, rows) in [(50, 20), (20, 5), (1, 1), (120, 40)] {
        terminal.0.get_process_mut().set_window_size(columns, rows).unwrap();
    }
    terminal.until("Rested.");
    let (rest, code) = terminal.end();
    assert_eq!(code, 0, "{rest}");
}

/// However narrow the terminal, no line is wider than it.
#[test]
fn on_a_narrow_terminal_lines_are_broken_between_words() {
    let world = World::new();
    assert_eq!(world.provost(&["run", "-C", "examples/audit"]).code, 3);
    for words in [&["show", "last"][..], &["explain", "last"], &["runs"], &["agents", "examples/audit"]] {
        for columns in [40, 60, 80, 160] {
            let (printed, code) = Terminal::new(world.command(words), (columns, 24)).end();
            assert_eq!(code, 0, "{words:?}: {printed}");
            let widest =
                uncoloured(&printed).lines().map(|line| line.trim_end().chars().count()).max().unwrap();
            assert!((20..=columns.into()).contains(&widest), "{words:?}: {widest}\n{printed}");
        }
    }
}

#[test]
fn pruning_asks_and_takes_only_a_yes() {
    let world = World::new();
    let script = world.script("one", &[say("done")]);
    let mut run = world.command(&["run", "-C", "examples/audit"]);
    assert_eq!(world.printed(run.args(&script)).code, 0);
    for (answer, left) in [("n", 1), ("", 1), ("y", 0)] {
        let mut terminal = Terminal::new(world.command(&["db", "prune", "--before", "0"]), (100, 30));
        terminal.until("remove 1 run and 0 conversations for good? [y]es, [n]o: ");
        terminal.enters(answer);
        terminal.0.expect(Eof).unwrap();
        let runs = world.provost(&["runs", "--json"]).stdout.lines().count();
        assert_eq!(runs, left, "{answer:?}");
    }
}
