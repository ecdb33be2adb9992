//! What an agent's front matter does to its runs.

use std::fs;

use serde_json::json;

use super::script::{call, say};
use super::world::World;

/// The example with other front matter and, perhaps, more configuration.
fn world(front_matter: &str, configuration: &str) -> World {
    let world = World::new();
    let agent = world.path("examples/audit/agents/auditor.md");
    let text = fs::read_to_string(&agent).unwrap();
    fs::write(&agent, text.replace("max_turns: 12\n", &format!("max_turns: 12\n{front_matter}"))).unwrap();
    let file = world.path("examples/audit/provost.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\n{configuration}")).unwrap();
    world
}

fn shell_row(world: &World) -> String {
    let printed = world.provost(&["tools", "examples/audit", "--why"]);
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    printed.stdout.lines().find(|line| line.starts_with("shell/run")).unwrap().to_owned()
}

/// Whether the run of the example sees the shell. Its cassette expects that it does, and stops otherwise.
fn runs_with_the_shell(world: &World) -> bool {
    let run = world.provost(&["run", "-C", "examples/audit", "--yes"]);
    let explained = world.provost(&["explain", "last", "shell/run"]).stdout;
    assert_eq!(run.code == 0, explained.contains(" shown: "), "{explained}");
    assert_eq!(run.code != 0, explained.contains("hidden"), "{explained}");
    run.code == 0
}

const RELEASE_ONLY: &str = "[tools.modes]\n\"shell/run\" = [\"release\"]\n";

#[test]
fn a_mode_shows_the_tools_that_are_for_it() {
    let other = world("", RELEASE_ONLY);
    assert_eq!(
        shell_row(&other),
        "shell/run: executes, hidden, the tool is for the modes [release] and the run's mode is chat, agents/auditor.md"
    );
    assert!(!runs_with_the_shell(&other));
    let named = world("mode: release\n", RELEASE_ONLY);
    assert!(shell_row(&named).contains(", allow, "), "{}", shell_row(&named));
    assert!(runs_with_the_shell(&named));
    assert!(runs_with_the_shell(&world("mode: chat\n", "")), "a tool that names no modes is for all");
}

#[test]
fn categories_leave_out_every_other_tool() {
    let narrow = world("categories: [filesystem]\n", "");
    assert_eq!(
        shell_row(&narrow),
        "shell/run: executes, hidden, the run is limited to the categories [filesystem], agents/auditor.md:6"
    );
    assert!(!runs_with_the_shell(&narrow));
    assert!(runs_with_the_shell(&world("categories: [filesystem, shell]\n", "")));
}

#[test]
fn names_nobody_knows_are_refused_with_the_nearest_one() {
    let told = |front_matter: &str, configuration: &str| {
        let printed = world(front_matter, configuration).provost(&["run", "-C", "examples/audit"]);
        assert_eq!(printed.code, 2, "{}", printed.stderr);
        printed.stderr
    };
    let cases = [
        told("mode: relase\n", RELEASE_ONLY),
        told("mode: release\n", ""),
        told("categories: [filesytem]\n", ""),
        told("policy:\n  fs/eidt: forbidden\n", ""),
        told("", "[tools.modes]\n\"shell/rnu\" = [\"release\"]\n"),
        told("compaction: yes\n", ""),
        told("compactoin:\n  max_messages: 9\n", ""),
        told("compaction:\n  max_messages: 9\n  recent_messages: 20\n", ""),
        told("budgets:\n  turn: 3\n", ""),
    ];
    insta::assert_snapshot!(cases.join("\n"));
    let world = World::new();
    let file = world.path("examples/audit/provost.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("write = \"ask\"", "wirte = \"ask\"")).unwrap();
    let printed = world.provost(&["run", "-C", "examples/audit"]);
    assert_eq!(printed.code, 2);
    assert!(
        printed.stderr.contains("there is no category `wirte`\ntry: did you mean `write`?"),
        "{}",
        printed.stderr
    );
}

#[test]
fn agents_are_listed_with_what_their_files_say() {
    let front_matter = "mode: release\ncategories: [filesystem, shell]\ncompaction:\n  max_messages: 60\nbudgets:\n  tokens: 9000\n";
    let world = world(front_matter, RELEASE_ONLY);
    let agents = world.provost(&["agents", "examples/audit"]).stdout;
    let json = world.provost(&["agents", "examples/audit", "--json"]).stdout;
    insta::assert_snapshot!(format!("{agents}{json}"));
}

/// A cassette of turns that list files, whatever is asked, and of summaries.
fn long_conversation() -> String {
    let turn = |number: u64, tools: &serde_json::Value, answer: serde_json::Value| {
        let request = serde_json::json!({
            "turn": number, "model": {}, "structured_output": null, "tools": tools, "messages": "[[any]]",
        });
        let usage = serde_json::json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
        let mut answer = answer;
        answer["usage"] = usage;
        serde_json::json!({ "request": request, "answer": { "turn": answer } })
    };
    let (any, none) = (serde_json::json!("[[any]]"), serde_json::json!([]));
    let mut turns: Vec<_> = (1..=5)
        .map(|number| {
            let call =
                serde_json::json!({ "id": format!("look-{number}"), "name": "fs/list", "parameters": {} });
            turn(number, &any, serde_json::json!({ "content": "I look.", "tool_calls": [call] }))
        })
        .collect();
    turns.push(turn(6, &any, serde_json::json!({ "content": "Done.", "tool_calls": [] })));
    let summary = serde_json::json!({ "content": "It looked.", "tool_calls": [] });
    turns.extend((0..5).map(|_| turn(1, &none, summary.clone())));
    serde_json::json!({ "version": 1, "origin": "written_by_hand", "turns": turns }).to_string()
}

/// The messages a finished run ends with.
fn messages(front_matter: &str) -> Vec<String> {
    let world = world(front_matter, "");
    fs::write(world.path("long.json"), long_conversation()).unwrap();
    let run = world.provost(&["run", "-C", "examples/audit", "--cassette", "long.json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let shown = world.provost(&["show", "last", "--json"]).stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    shown["result"]["messages"].as_array().unwrap().iter().map(|one| one["content"].to_string()).collect()
}

#[test]
fn compaction_sums_up_the_beginning_of_a_long_conversation() {
    let whole = messages("");
    assert!(whole.iter().all(|message| !message.contains("It looked.")), "{whole:?}");
    let short = messages("compaction:\n  max_messages: 9\n  recent_messages: 4\n");
    assert!(short.iter().any(|message| message.contains("It looked.")), "{short:?}");
    assert!(short.len() < whole.len(), "{} of {}", short.len(), whole.len());
    let off = messages("compaction:\n  enabled: false\n  max_messages: 9\n  recent_messages: 4\n");
    assert_eq!(off, whole);
}

/// The blocks of a language in a text of Markdown.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let start = format!("\n```{language}\n");
    text.split(&start).skip(1).map(|rest| rest.split("\n```\n").next().unwrap()).collect()
}

/// Every example of docs/agents.md is an agent, in a project with the configuration it shows.
#[test]
fn the_documented_examples_are_agents() {
    let docs = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agents.md")).unwrap();
    let examples = blocks(&docs, "markdown");
    assert_eq!(examples.len(), 5);
    let world = World::new();
    fs::create_dir_all(world.path("p/agents")).unwrap();
    let models = "[models.claude]\nprovider = \"anthropic\"\nsettings = { model = \"m\" }\n";
    fs::write(world.path("p/provost.toml"), format!("{models}{}", blocks(&docs, "toml").concat())).unwrap();
    for (number, example) in examples.iter().enumerate() {
        fs::write(world.path(&format!("p/agents/example-{number}.md")), example).unwrap();
    }
    let agents = world.provost(&["agents", "p"]);
    assert_eq!(agents.code, 0, "{}", agents.stderr);
    let seen = |agent: &str| -> Vec<String> {
        let printed = world.provost(&["tools", "p", "--agent", agent]);
        assert_eq!(printed.code, 0, "{agent}: {}", printed.stderr);
        let shown = printed.stdout.lines().filter(|line| line.contains(": ") && !line.ends_with("hidden"));
        shown.map(|line| line.split(':').next().unwrap().to_owned()).collect()
    };
    assert_eq!(seen("reviewer"), ["fs/list", "fs/search", "fs/read"], "the shell is for another mode");
    assert!(seen("example-1").contains(&"shell/run".to_owned()));
    assert_eq!(seen("example-2"), ["fs/list", "fs/read"]);
    assert!(!seen("example-3").is_empty());
}

/// A project with an agent that lists files `calls` times, equally or each time another folder, and is done.
fn listing(front_matter: &str, configuration: &str, calls: usize, equal: bool) -> (World, i32, String) {
    let world = World::new();
    fs::create_dir_all(world.path("p/agents")).unwrap();
    fs::write(world.path("p/provost.toml"), configuration).unwrap();
    fs::write(world.path("p/agents/a.md"), format!("---\n{front_matter}---\nList.\n")).unwrap();
    let path = |turn: usize| if equal { ".".to_owned() } else { "./".repeat(turn + 1) };
    let mut turns: Vec<_> = (0..calls)
        .map(|turn| call(&format!("l-{turn}"), "fs/list", &json!({ "path": path(turn) })))
        .collect();
    turns.push(say("Done."));
    let script = world.script("lists", &turns);
    let words: Vec<&str> =
        ["run", "-C", "p", "go"].into_iter().chain(script.iter().map(String::as_str)).collect();
    let run = world.provost(&words);
    (world, run.code, run.stdout + &run.stderr)
}

#[test]
fn a_run_that_ends_in_the_middle_of_its_work_says_so_and_exits_with_4() {
    for (front_matter, configuration) in
        [("max_turns: 3\n", ""), ("budgets:\n  turns: 3\n", ""), ("max_turns: 9\n", "[budgets]\nturns = 3\n")]
    {
        let (world, code, printed) = listing(front_matter, configuration, 5, false);
        assert!(code == 4 && printed.contains("budget spent: 3 of 3 turns, 3 turns, 3 calls"), "{printed}");
        assert!(printed.contains("at most: 3 turns"), "one limit is shown, the one that counts: {printed}");
        let agents = world.provost(&["agents", "p"]).stdout;
        assert!(agents.contains(" 3 turns"), "{agents}");
        let (_, code, printed) = listing(front_matter, configuration, 2, false);
        assert!(code == 0 && printed.contains("run: completed, 3 turns, 2 calls"), "{printed}");
    }
}

#[test]
fn a_model_that_repeats_itself_is_stopped_by_default() {
    let (_, code, printed) = listing("max_turns: 40\n", "", 30, true);
    assert!(
        code == 4
            && printed.contains("stalled: the same call with the same answer, 20 times, 20 turns, 20 calls"),
        "{printed}"
    );
    let (_, code, printed) = listing("max_turns: 40\n", "", 30, false);
    assert!(code == 0, "other calls are no repetition: {printed}");
    let (_, code, printed) = listing("max_turns: 40\nrepetition_limit: 0\n", "", 30, true);
    assert!(code == 0, "it can be switched off: {printed}");
    let (_, code, printed) = listing("max_turns: 40\n", "[defaults]\nrepetition_limit = 4\n", 30, true);
    assert!(
        code == 4
            && printed.contains("stalled: the same call with the same answer, 4 times, 4 turns, 4 calls"),
        "{printed}"
    );
}

/// A cassette that a person wrote may leave the list of calls out: then its turn has none.
#[test]
fn the_text_of_a_cassette_is_never_a_call() {
    let quoted = json!({ "name": "fs/write", "arguments": { "path": "PWNED", "content": "x" } });
    let text = format!("The page wants this, which I will NOT do:\n```json\n{quoted}\n```\n");
    let listed =
        json!([{ "id": "w-1", "name": "fs/write", "parameters": { "path": "PWNED", "content": "x" } }]);
    for (calls, happens) in [(None, false), (Some(listed), true)] {
        let world = World::new();
        fs::create_dir_all(world.path("p/agents")).unwrap();
        fs::write(world.path("p/provost.toml"), "[policy.tools]\n\"fs/write\" = \"direct\"\n").unwrap();
        fs::write(world.path("p/agents/a.md"), "Read.\n").unwrap();
        let mut turn = json!({ "content": text });
        if let Some(calls) = calls {
            turn["tool_calls"] = calls;
        }
        let script =
            world.script("quoted", &[json!({ "request": {}, "answer": { "turn": turn } }), say("Done.")]);
        let words = ["run", "-C", "p", "go", "--yes"].into_iter().chain(script.iter().map(String::as_str));
        let run = world.provost(&words.collect::<Vec<_>>());
        assert_eq!((run.code, world.path("p/PWNED").exists()), (0, happens), "{}", run.stderr);
    }
}
