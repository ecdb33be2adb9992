//! `provost run`: what to do, where, within which limits, and what happens when the model cannot be reached.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::process::Stdio;

use serde_json::json;

use super::script::{call, say};
use super::world::World;

/// A project with an agent and a folder inside.
fn project() -> World {
    let world = World::new();
    fs::create_dir_all(world.path("p/agents")).unwrap();
    fs::create_dir_all(world.path("p/src/deep")).unwrap();
    fs::write(world.path("p/agents/worker.md"), "---\nname: worker\n---\nYou work.\n").unwrap();
    fs::write(world.path("p/provost.toml"), "").unwrap();
    world
}

/// The task is an argument or standard input, and the project is found upwards.
#[test]
fn a_task_is_an_argument_or_standard_input_wherever_one_stands() {
    let world = project();
    let mut run = world.command(&["run", "fix the tests"]);
    run.args(world.script("one", &[say("Fixed.")])).current_dir(world.path("p/src/deep"));
    let done = world.printed(&mut run);
    assert_eq!((done.code, done.stdout.as_str()), (0, "Fixed.\n"), "{}", done.stderr);
    assert!(fs::read_to_string(world.path("one.json")).unwrap().contains("\"fix the tests\""));
    assert!(world.path("p/.provost/provost.db").exists(), "the journal is where the project is");
    let mut piped = world.command(&["run", "-"]);
    piped.args(world.script("two", &[say("Read.")])).current_dir(world.path("p")).env("PROVOST_SEED", "8");
    let mut program =
        piped.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    program.stdin.take().unwrap().write_all(b"a task\nof two lines").unwrap();
    assert_eq!(program.wait_with_output().unwrap().stdout, b"Read.\n");
    assert!(fs::read_to_string(world.path("two.json")).unwrap().contains("a task\\nof two lines"));
}

/// What is no task is refused before anything is done.
#[test]
fn a_folder_and_nothing_are_no_tasks() {
    let world = project();
    for (words, said) in [
        (&["run", "p"][..], "`p` is the folder of a project"),
        (&["run", "-C", "p"], "no task given"),
        (&["run", "-C", "p", " "], "no task given"),
        (&["run", "-C", "p", "x", "--budget", "turns=abc"], "turns must be a whole number, got `turns=abc`"),
        (&["run", "-C", "p", "x", "--budget", "steps=3"], "there is no budget `steps`"),
    ] {
        let refused = world.provost(words);
        assert_eq!(refused.code, 2, "{words:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(said), "{words:?}: {}", refused.stderr);
        assert!(!world.path(".provost").exists() && !world.path("p/.provost").exists(), "{words:?}");
    }
}

#[test]
fn a_budget_of_the_command_line_stops_the_run() {
    let world = project();
    let list = |id: &str| call(id, "fs/list", &json!({ "path": id }));
    let model = world.script("one", &[list("src"), list("src/deep"), say("done")]);
    let mut run = world.command(&["run", "-C", "p", "look", "--budget", "turns=1"]);
    let stopped = world.printed(run.args(&model));
    assert_eq!(stopped.code, 4, "{}", stopped.stderr);
    assert!(stopped.stderr.contains("budget spent: 1 of 1 turns"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("--budget NAME=NUMBER"), "{}", stopped.stderr);
}

/// Every try is reported with the address, and so is the end.
#[test]
fn a_model_that_cannot_be_reached_is_named_with_every_try() {
    let world = project();
    // A port that was free a moment ago, and that refuses connections.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let model = format!(
        "[models.gone]\nprovider = \"openai_compatible\"\nbase_url = \"http://{address}/v1\"\n\
         settings = {{ model = \"m\" }}\nretry = {{ attempts_max = 3, wait_ms = 500 }}\n"
    );
    fs::write(world.path("p/provost.toml"), model).unwrap();
    let mut run = world.command(&["run", "-C", "p", "hello"]);
    let failed = world.printed(run.env_remove("PROVOST_CLOCK_MS"));
    assert_eq!(failed.code, 1, "{}", failed.stderr);
    let said = format!("cannot reach http://{address} (connection refused)");
    for words in [
        &format!("model {address}: connection refused, try 1"),
        &format!("model {address}: connection refused, try 2"),
        &format!("run: failed: {said}"),
    ] {
        assert!(failed.stderr.contains(words), "{words} in {}", failed.stderr);
    }
    let mut again = world.command(&["run", "-C", "p", "hello", "--json"]);
    let documents = world.printed(again.env_remove("PROVOST_CLOCK_MS").env("PROVOST_SEED", "8")).stdout;
    let retries = documents.lines().filter(|line| line.contains("\"type\":\"retry\"")).count();
    assert_eq!(retries, 2, "{documents}");
}
