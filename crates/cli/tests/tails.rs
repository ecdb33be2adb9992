//! What a running program prints, on a terminal.

use std::fs;

use serde_json::json;

use super::pty::{Terminal, screen};
use super::script::{call, say};
use super::world::World;

const KEY: &str = "sk-secret-0123456789";

/// A project whose agent may run programs.
fn world() -> World {
    let world = World::new();
    fs::create_dir_all(world.path("talk/agents")).unwrap();
    let config = "[models.keyed]\nprovider = \"openai_compatible\"\nbase_url = \"http://127.0.0.1:9\"\n\
                  key_env = \"TAIL_KEY\"\nsettings = { model = \"m\" }\n\
                  [policy.tools]\n\"shell/run\" = \"direct\"\n";
    fs::write(world.path("talk/provost.toml"), config).unwrap();
    fs::write(world.path("talk/agents/worker.md"), "---\nname: worker\n---\nYou work.\n").unwrap();
    world
}

/// The lines that a screen shows behind the bar of programs.
fn printed(screen: &str) -> Vec<&str> {
    screen.lines().filter_map(|line| line.strip_prefix("   │ ")).map(str::trim_end).collect()
}

#[test]
fn the_end_of_what_a_program_prints_is_shown_while_it_runs() {
    for (size, lines, exit) in [((80, 24), 5, 0), ((160, 50), 9, 0), ((80, 24), 5, 3)] {
        let world = world();
        let script = format!(
            "for n in $(seq 1 20); do echo line $n; done; printf '\\033[31mred \\033[2J{KEY}\\033[0m\\n'; \
             until [ -e go ]; do :; done; echo over; exit {exit}"
        );
        fs::write(world.path("talk/print.sh"), script).unwrap();
        let runs = call("a", "shell/run", &json!({ "argv": ["sh", "print.sh"] }));
        let mut command = world.command(&["run", "-C", "talk", "go"]);
        command.args(world.script("one", &[runs, say("Ran.")])).env("TAIL_KEY", KEY);
        let mut terminal = Terminal::new(command, size);
        let mut written = String::new();
        let shown = terminal.until_screen(&mut written, size, |screen| screen.contains("red "));
        let tail = printed(&shown);
        assert_eq!(tail.len(), lines, "{shown}");
        assert!(shown.contains("running") && tail[lines - 2] == "line 20", "{shown}");
        assert_eq!(tail[lines - 1].find("red \\e[2J"), Some(0), "nothing of it is obeyed: {shown}");
        fs::write(world.path("talk/go"), "").unwrap();
        let (rest, code) = terminal.end();
        written.push_str(&rest);
        assert_eq!(code, 0, "{rest}");
        assert!(!written.contains(KEY), "keys of the host are hidden: {written}");
        let shown = screen(&written, size);
        let tail = printed(&shown);
        if exit == 0 {
            assert!(tail.len() == 1 && tail[0].starts_with("over"), "{shown}");
            assert!(tail[0].ends_with("the last of 22 lines"), "{shown}");
        } else {
            assert!(tail.len() == 13 && tail[0].starts_with("10 lines above"), "{shown}");
            assert_eq!(tail[12], "over", "{shown}");
        }
    }
}

/// The line of the call stays, however much the calls print and however long their commands are.
#[test]
fn calls_stay_in_sight_above_what_they_print() {
    let world = world();
    fs::write(world.path("talk/print.sh"), "seq 1 20; touch printed; until [ -e go ]; do :; done").unwrap();
    let runs = call("a", "shell/run", &json!({ "argv": ["sh", "print.sh", "x".repeat(60)] }));
    let size = (80, 12);
    let model = world.script("one", &[runs, say("Ran.")]);
    let mut terminal = world.on_terminal(&["run", "-C", "talk", "go"], &model, size);
    let mut written = String::new();
    let shown = terminal.until_screen(&mut written, size, |screen| !printed(screen).is_empty());
    assert_eq!(printed(&shown), ["19", "20"], "{shown}");
    assert!(shown.contains("shell/run   sh print.sh") && shown.contains("running"), "{shown}");
    fs::write(world.path("talk/go"), "").unwrap();
    assert_eq!(terminal.end().1, 0);
}
