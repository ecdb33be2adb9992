//! Who decides: the user whom the system knows, and never a program of a run.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::server::Scripted;
use super::world::{Printed, World, who};

/// A project whose agent first asks to write, and then does what a test says.
struct Office {
    world: World,
    model: Scripted,
}

const ASKED: &str = "asked.txt";

impl Office {
    /// `approvers` goes into the policy; the second turn runs a script.
    fn new(approvers: &str, script: &str) -> Self {
        let world = World::new();
        let write = |path: &str| json!({ "path": path, "content": "x" });
        let shell = json!({ "argv": ["sh", "-c", script] });
        let turns =
            vec![Scripted::call("w", "fs/write", &write(ASKED)), Scripted::call("s", "shell/run", &shell)];
        let model = Scripted::new(turns);
        let toml = format!(
            "[models.served]\nprovider = \"openai_compatible\"\nbase_url = \"{}\"\nsettings = {{ model = \"m\" }}\n\
             [defaults]\nmodel = \"served\"\nprompt = \"go\"\n\
             [policy]\napprovers = [{approvers}]\n[policy.tools]\n\"shell/run\" = \"direct\"\n",
            model.url
        );
        fs::create_dir_all(world.path("office/agents")).unwrap();
        fs::write(world.path("office/provost.toml"), toml).unwrap();
        fs::write(world.path("office/agents/clerk.md"), "---\nname: clerk\n---\nWork.\n").unwrap();
        Self { world, model }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.world.command(words);
        command.env_remove("PROVOST_CLOCK_MS");
        command
    }

    fn provost(&self, words: &[&str]) -> Printed {
        self.world.printed(&mut self.command(words))
    }

    fn wrote(&self) -> bool {
        self.world.path("office").join(ASKED).exists()
    }
}

#[test]
fn who_may_decide_is_asked_of_the_system_and_not_of_a_variable() {
    let office = Office::new("\"user:grace\"", "true");
    assert_eq!(office.provost(&["run", "-C", "office"]).code, 3);
    for name in ["USER", "LOGNAME", "USERNAME"] {
        let printed = office.world.printed(office.command(&["approve", "last"]).env(name, "grace"));
        assert_eq!(printed.code, 1, "{}", printed.stderr);
        assert!(printed.stderr.contains("error[PV0008]: user:ada may not decide"), "{}", printed.stderr);
    }
    assert!(!office.wrote());
    // The control: whom the system knows by a name that is listed.
    let office = Office::new(&format!("\"user:{}\"", who("-un")), "true");
    assert_eq!(office.provost(&["run", "-C", "office"]).code, 3);
    let printed = office.world.printed(office.command(&["approve", "last"]).env("USER", "grace"));
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    assert!(office.wrote());
}

/// A decision is recorded with where it came from.
#[test]
fn user_id_terminal_and_process_of_a_decision_are_in_the_record() {
    for (word, decided) in [("approve", "allowed by user:ada"), ("reject", "declined")] {
        let office = Office::new("", "true");
        assert_eq!(office.provost(&["run", "-C", "office"]).code, 3);
        assert_eq!(office.provost(&[word, "last"]).code, 0);
        let explained = office.command(&["explain", "last", "--json"]).output().unwrap().stdout;
        let explained = office.world.plain(&String::from_utf8(explained).unwrap());
        let lines = explained.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let decision = lines.into_iter().find(|line| line["decided"] == decided).unwrap();
        assert_eq!(
            decision["origin"],
            json!({ "uid": 1, "terminal": null, "process": "[…]" }),
            "{explained}"
        );
    }
}

/// The ways a program of a run can try to pass for a person.
const WAYS: [(&str, &str); 6] = [
    ("plainly", "$COMMAND"),
    ("without the variable", "env -u PROVOST_RUN -u PROVOST_ACTION -u PROVOST_IDEMPOTENCY_KEY $COMMAND"),
    ("with an empty environment", "env -i $COMMAND"),
    ("in a session of its own", "env -i setsid -w $COMMAND"),
    (
        "after a double fork",
        "( ( env -i setsid $COMMAND; touch ended ) & ); while [ ! -e ended ]; do sleep 0.02; done",
    ),
    (
        "as an orphan of its keeper",
        "(env -i setsid sh -c 'kill -9 '$PPID'; sleep 0.05; exec '\"$COMMAND\"); sleep 9",
    ),
];

#[test]
fn a_program_of_a_run_decides_nothing() {
    let command = |words: &str| format!("{} {words} > said 2>&1", env!("CARGO_BIN_EXE_provost"));
    for (how, way) in WAYS {
        // The first run waits; a second one, whose agent begins with the script, tries to let it go on.
        let office = Office::new("", "true");
        assert_eq!(office.provost(&["run", "-C", "office"]).code, 3);
        let listed: Value = serde_json::from_str(office.provost(&["runs", "--json"]).stdout.trim()).unwrap();
        let run = listed["run"].as_str().unwrap().to_owned();
        let script = format!("cd ..; {}", way.replace("$COMMAND", &command(&format!("approve {run}"))));
        let turns = vec![Scripted::call("s", "shell/run", &json!({ "argv": ["sh", "-c", script] }))];
        office.model.play(turns);
        let ran = office.world.printed(office.command(&["run", "-C", "office"]).env("PROVOST_SEED", "8"));
        assert!(!office.wrote(), "{how}: {}", ran.stderr);
        let shown = office.provost(&["show", &run]).stdout;
        assert!(shown.contains("waits for you") && !shown.contains("allowed by"), "{how}: {shown}");
        let said = fs::read_to_string(office.world.path("said")).unwrap_or_default();
        assert!(said.contains("error[PV0016]") || how.contains("orphan"), "{how}: {said} {}", ran.stderr);
        // The control: the same command of a person.
        office.model.play(Vec::new());
        assert_eq!(office.provost(&["approve", &run]).code, 0, "{how}");
        assert!(office.wrote(), "{how}");
    }
}

#[test]
fn a_program_of_a_run_can_do_nothing_that_only_a_person_may() {
    let office = Office::new("", "true");
    assert_eq!(office.provost(&["run", "-C", "office"]).code, 3);
    for words in [
        vec!["approve", "last"],
        vec!["reject", "last"],
        vec!["answer", "last", "--text", "x"],
        vec!["cancel", "last"],
        vec!["resume", "last"],
        vec!["approvals", "revoke", "all"],
        vec!["db", "erase", "last", "--seq", "1", "--reason", "r"],
        vec!["db", "prune", "--before", "0", "--yes"],
        vec!["chat", "office"],
    ] {
        let inside = office.world.printed(office.command(&words).env("PROVOST_RUN", "run_x"));
        assert_eq!(inside.code, 1, "{words:?}: {}", inside.stderr);
        assert!(inside.stderr.starts_with("error[PV0016]"), "{words:?}: {}", inside.stderr);
    }
    let reads = office
        .world
        .printed(office.command(&["show", "last", "--project", "office"]).env("PROVOST_RUN", "run_x"));
    assert_eq!(reads.code, 0, "looking is free");
}
