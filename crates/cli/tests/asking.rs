//! The answers that a person gives at a question on a terminal.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::pty::Terminal;
use super::server::Scripted;
use super::world::{World, until};

const SIZE: (u16, u16) = (80, 24);
const ASKS: &str = "y n e s w l ?";

/// A project in which writing asks, and a model that says these turns.
fn asked(turns: Vec<Value>, environment: &[(&str, &str)]) -> (World, Terminal, Scripted) {
    asked_under("", turns, environment)
}

/// The same with further rules.
fn asked_under(rules: &str, turns: Vec<Value>, environment: &[(&str, &str)]) -> (World, Terminal, Scripted) {
    let (world, model) = (World::new(), Scripted::new(turns));
    fs::create_dir_all(world.path("play/agents")).unwrap();
    fs::create_dir_all(world.path("play/src")).unwrap();
    fs::create_dir_all(world.path("play/docs")).unwrap();
    fs::write(world.path("play/agents/worker.md"), "---\nname: worker\n---\nYou work.\n").unwrap();
    let policy = "[policy.categories]\nwrite = \"ask\"\n[policy.tools]\n\"shell/run\" = \"allow\"\n";
    let served =
        format!("provider = \"openai_compatible\"\nbase_url = \"{}\"\nsettings.model = \"m\"\n", model.url);
    let config = format!("{policy}{rules}[models.served]\n{served}");
    fs::write(world.path("play/provost.toml"), config).unwrap();
    let command = world.command(&["run", "-C", "play", "go"]);
    let terminal = Terminal::sized(command, SIZE, environment);
    (world, terminal, model)
}

fn write(id: &str, path: &str) -> Value {
    Scripted::call(id, "fs/write", &json!({ "path": path, "content": "x\n" }))
}

/// The second file of the folder is written without a question; one of another folder is asked about.
#[test]
fn a_person_stops_being_asked_about_a_folder() {
    let turns = vec![write("a", "src/a"), write("b", "src/b"), write("c", "docs/c")];
    let (world, mut terminal, _model) = asked(turns, &[]);
    terminal.until(ASKS);
    terminal.enters("ok");
    terminal.until("is not an answer here. Nothing is decided.");
    terminal.until(ASKS);
    terminal.enters("s");
    let offered = terminal.until("then how long");
    for offer in ["fs/write of src/a", "fs/write in src/", "fs/write anywhere"] {
        assert!(offered.contains(offer), "{offer}: {offered}");
    }
    terminal.enters("2 soon");
    terminal.until("is not a number from 1 to 3 and a time");
    terminal.until("then how long");
    terminal.enters("2 8h");
    terminal.until("standing approval: fs/write in src/, until");
    terminal.until("to write docs/c");
    assert!(world.path("play/src/b").exists(), "it was not asked about");
    terminal.until(ASKS);
    terminal.enters("n not there");
    let (rest, code) = terminal.end();
    assert_eq!(code, 0, "{rest}");
    assert!(!world.path("play/docs/c").exists());
    let listed = world.provost(&["--json", "approvals"]).stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!((&listed["tool"], &listed["covers"]), (&"fs/write".into(), &json!({ "place": "src" })));
}

#[test]
fn enter_alone_goes_back_from_the_choice() {
    let (world, mut terminal, _model) = asked(vec![write("a", "src/a")], &[]);
    terminal.until(ASKS);
    terminal.enters("s");
    terminal.until("then how long");
    terminal.enters("");
    terminal.until("Nothing is decided.");
    terminal.until(ASKS);
    terminal.enters("y");
    let (rest, code) = terminal.end();
    assert_eq!(code, 0, "{rest}");
    assert!(world.provost(&["--json", "approvals"]).stdout.is_empty());
}

/// What runs is what the person made of it. A changed call is allowed once: no standing approval is offered.
#[test]
fn a_call_is_edited_and_runs_as_changed() {
    let tools = tempfile::tempdir().unwrap();
    let editor = tools.path().join("editor");
    fs::write(&editor, "#!/bin/sh\nsed -i 's/\"x\\\\n\"/\"changed\\\\n\"/' \"$1\"\n").unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let editor = editor.display().to_string();
    let (world, mut terminal, _model) = asked(vec![write("a", "src/a")], &[("EDITOR", &editor)]);
    terminal.until(ASKS);
    terminal.enters("e");
    terminal.until("Your change to the call; nothing is decided yet:");
    let changed = terminal.until("y n e w l ?");
    assert!(changed.contains("+ changed"), "what it would do now: {changed}");
    assert!(changed.contains("changed by you"), "{changed}");
    terminal.enters("s 1 8h");
    terminal.until("You changed the call");
    terminal.until("y n e w l ?");
    terminal.enters("y");
    let (rest, code) = terminal.end();
    assert_eq!(code, 0, "{rest}");
    assert_eq!(fs::read_to_string(world.path("play/src/a")).unwrap(), "changed\n");
}

/// Arguments that do not fit the tool leave the question open, and say what does not fit.
#[test]
fn a_change_that_does_not_fit_leaves_the_question_open() {
    let editor = "sed -i s/content/text/";
    let (world, mut terminal, _model) = asked(vec![write("a", "src/a")], &[("EDITOR", editor)]);
    terminal.until(ASKS);
    terminal.enters("e");
    terminal.until("y n e w l ?");
    terminal.enters("y");
    terminal.until("do not match its schema");
    terminal.until("Nothing is decided.");
    terminal.until(ASKS);
    terminal.enters("y");
    let (rest, code) = terminal.end();
    assert_eq!(code, 0, "{rest}");
    assert_eq!(fs::read_to_string(world.path("play/src/a")).unwrap(), "x\n");
}

/// A no asks for its reason; Enter alone gives none.
#[test]
fn a_no_asks_for_its_reason() {
    for (reason, recorded) in [("not on a Friday", true), ("", false)] {
        let (world, mut terminal, _model) = asked(vec![write("a", "src/a")], &[]);
        terminal.until(ASKS);
        terminal.enters("n");
        terminal.until("Reason, which the agent reads");
        terminal.enters(reason);
        let (rest, code) = terminal.end();
        assert_eq!(code, 0, "{rest}");
        assert!(!world.path("play/src/a").exists());
        let explained = world.provost(&["explain", "last"]).stdout;
        assert_eq!(explained.contains("not on a Friday"), recorded, "{explained}");
    }
}

/// A yes to a diff that was folded says how much was not seen; one after `m` does not.
#[test]
fn what_was_folded_is_shown_or_recorded_as_not_shown() {
    for looks in [false, true] {
        let content: String = (1..=60).map(|line| format!("line {line}\n")).collect();
        let long = Scripted::call("a", "fs/write", &json!({ "path": "src/a", "content": content }));
        let (world, mut terminal, _model) = asked(vec![long], &[]);
        let shown = terminal.until("y n e s m w l ?");
        assert!(!shown.contains("line 60") && shown.contains("m shows them"), "{shown}");
        if looks {
            terminal.enters("m");
            assert!(terminal.until(ASKS).contains("line 60"));
        }
        terminal.enters("y");
        let (rest, code) = terminal.end();
        assert_eq!(code, 0, "{rest}");
        let explained = world.provost(&["explain", "last"]).stdout;
        assert_eq!(explained.contains("lines not shown"), !looks, "{explained}");
    }
}

/// What became of a call that was under way when the process died: it happened, it runs again, or it stays open.
#[test]
fn a_call_in_doubt_has_three_answers_on_a_terminal() {
    let answers = [
        ("1 it printed ok", "happened", 1),
        ("2 looked", "completed", 2),
        ("3 the server is down", "in doubt", 1),
    ];
    for (answer, word, times) in answers {
        let script = "echo x >> times; touch started; until [ -e go ]; do :; done";
        let argv = json!({ "argv": ["sh", "-c", script] });
        let (world, terminal, _model) = asked(vec![Scripted::call("a", "shell/run", &argv)], &[]);
        until("the program runs", || world.path("play/started").exists());
        terminal.kill();
        fs::write(world.path("play/go"), "").unwrap();
        let mut command = world.command(&["resume", "last", "-C", "play"]);
        command.env_remove("PROVOST_CLOCK_MS");
        let mut terminal = Terminal::sized(command, SIZE, &[]);
        terminal.until("1 2 3 w l ?");
        terminal.enters("y");
        terminal.until("is not an answer here");
        terminal.until("1 2 3 w l ?");
        terminal.enters("2");
        terminal.until("Check first, then answer:");
        terminal.until("1 2 3 w l ?");
        terminal.enters(answer);
        let (rest, code) = terminal.end();
        assert_eq!(code, 0, "{rest}");
        assert!(rest.contains(word) || word == "completed", "{rest}");
        let printed = fs::read_to_string(world.path("play/times")).unwrap();
        assert_eq!(printed.lines().count(), times, "{answer}");
    }
}

/// A person who is asked about exactly this call has allowed it, also without a terminal now.
#[test]
fn again_allows_a_call_that_only_a_person_may_allow() {
    let rule = "[[policy.rules]]\nname = \"no-keys\"\ndecision = \"deny\"\nreason = \"no\"\n\
                tools = [\"shell/run\"]\npath = \"keys/**\"\n\
                matches = [{ tool = \"shell/run\", arguments = { argv = [\"cat\", \"keys/a\"] } }]\n";
    for (words, times) in [(&["approve", "last"][..], 2), (&["reject", "last"], 1)] {
        let script = "echo x >> times; touch started; until [ -e go ]; do :; done";
        let argv = json!({ "argv": ["sh", "-c", script] });
        let turns = vec![Scripted::call("a", "shell/run", &argv)];
        let (world, mut terminal, _model) = asked_under(rule, turns, &[]);
        terminal.until("w l ?");
        terminal.enters("y");
        until("the program runs", || world.path("play/started").exists());
        terminal.kill();
        fs::write(world.path("play/go"), "").unwrap();
        let play = |words: &[&str]| {
            let words = [words, &["-C", "play", "--plain"]].concat();
            world.printed(world.command(&words).env_remove("PROVOST_CLOCK_MS"))
        };
        assert_eq!(play(&["resume", "last"]).code, 3);
        let answered = play(words);
        assert_eq!(answered.code, 0, "{}", answered.stderr);
        let printed = fs::read_to_string(world.path("play/times")).unwrap();
        assert_eq!(printed.lines().count(), times, "{words:?}: {}", answered.stderr);
        assert_eq!(answered.stderr.contains("in doubt, left so"), times == 1, "{}", answered.stderr);
    }
}
