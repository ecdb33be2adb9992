//! `human/ask`: an agent asks whoever it works for, who answers now or later.

use std::fs;

use serde_json::{Value, json};

use super::script::{call, say};
use super::world::World;

/// The project of the example, whose agent may ask.
pub(crate) fn world() -> World {
    let world = World::new();
    let (config, agent) =
        (world.path("examples/audit/provost.toml"), world.path("examples/audit/agents/auditor.md"));
    let text = fs::read_to_string(&config).unwrap() + "\n[tools]\nhuman = true\n";
    fs::write(&config, text).unwrap();
    let text = fs::read_to_string(&agent).unwrap().replace("tools: [", "tools: [human/ask, ");
    fs::write(&agent, text).unwrap();
    world
}

pub(crate) fn asks() -> Value {
    call("ask-1", "human/ask", &json!({ "question": "Which colour?", "options": ["red", "blue"] }))
}

fn run(world: &World, name: &str, turns: &[Value]) -> super::world::Printed {
    let model = world.script(name, turns);
    let words: Vec<&str> =
        ["run", "-C", "examples/audit"].into_iter().chain(model.iter().map(String::as_str)).collect();
    world.provost(&words)
}

/// The question waits over the end of the process; the answer is the result of the call.
#[test]
fn a_question_parks_the_run_and_is_answered_later() {
    let world = world();
    let asked = run(&world, "one", &[asks()]);
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    for words in
        ["the agent asks: Which colour?", "2  blue", "provost answer hp --project examples/audit --text"]
    {
        assert!(asked.stderr.contains(words), "{words} in {}", asked.stderr);
    }
    let silent = world.provost(&["answer", "last"]);
    assert_eq!(silent.code, 1);
    assert!(silent.stderr.contains("there is no answer"), "{}", silent.stderr);
    let only = world.provost(&["answer", "last", "--text", "2", "--only", "--json"]);
    assert_eq!(only.code, 0, "{}", only.stderr);
    let first: Value = serde_json::from_str(only.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&first["type"], &first["agent"]), (&"run".into(), &"auditor".into()), "{first}");
    let last: Value = serde_json::from_str(only.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["verdict"]), (&"decided".into(), &"answered".into()), "{last}");
    let again = world.provost(&["answer", "last", "--text", "1"]);
    assert_eq!(again.code, 1, "the first answer counts");
    assert!(again.stderr.starts_with("error[PV0008]: "), "{}", again.stderr);
    let story = world.provost(&["show", "last", "--json"]).stdout;
    assert!(!story.contains("{\"answer\":\"blue\"}"), "nobody went on yet: {story}");
    let resumed = world.provost(&["resume", "last"]);
    assert_eq!(resumed.code, 1, "the script has no further turn: {}", resumed.stderr);
    let story = world.provost(&["show", "last", "--json"]).stdout;
    assert!(story.contains("{\"answer\":\"blue\"}"), "{story}");
}

#[test]
fn without_the_word_of_the_project_there_is_no_such_tool() {
    let world = world();
    let config = world.path("examples/audit/provost.toml");
    let text = fs::read_to_string(&config).unwrap().replace("human = true", "human = false");
    fs::write(&config, text).unwrap();
    let refused = run(&world, "one", &[asks()]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("the tool `human/ask` is switched off"), "{}", refused.stderr);
}

#[test]
fn a_line_of_the_conversation_is_the_answer() {
    let world = world();
    let before = world.chat(&[], &world.script("one", &[asks()]), "paint it\n");
    assert_eq!(before.code, 3, "{}", before.stderr);
    let model = world.script("two", &[say("Green it is."), say("Bye.")]);
    let after = world.chat(&["--session", "last"], &model, "green\nthanks\n");
    assert_eq!((after.code, after.stdout.as_str()), (0, "Green it is.\nBye."), "{}", after.stderr);
    assert!(after.stderr.contains("the agent asks: Which colour?"), "{}", after.stderr);
    let asked = fs::read_to_string(world.path("two.json")).unwrap();
    assert!(asked.contains("{\\\"answer\\\":\\\"green\\\"}"), "{asked}");
}
