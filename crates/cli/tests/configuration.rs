//! A project's files, their mistakes, and the commands that need no run.

use std::fs;

use super::world::World;

#[test]
fn mistakes_are_told_with_code_line_and_hint() {
    let world = World::new();
    let told = |files: &[(&str, &str)], words: &[&str]| {
        let _ = fs::remove_file(world.path("p/provost.toml"));
        let _ = fs::remove_dir_all(world.path("p/agents"));
        for (name, content) in files {
            let path = world.path("p").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let printed = world.provost(words);
        format!("exit {}\n{}", printed.code, printed.stderr)
    };
    let toml = |text: &'static str| ("provost.toml", text);
    let agent = ("agents/a.md", "---\ntools: [fs/read]\n---\nRead.\n");
    let cases = [
        ("unknown key", told(&[toml("[defaults]\nagnt = \"a\"\n")], &["run", "-C", "p"])),
        ("broken file", told(&[toml("[defaults\n")], &["run", "-C", "p"])),
        ("unknown budget", told(&[toml("[budgets]\nturn = 3\n")], &["run", "-C", "p"])),
        ("unknown agent", told(&[toml(""), agent], &["run", "-C", "p", "--agent", "b", "x"])),
        ("bad front matter", told(&[toml(""), ("agents/a.md", "---\nname\n---\n")], &["run", "-C", "p"])),
        (
            "unknown tool",
            told(
                &[
                    toml("[models.m]\ncassette = \"c.json\"\n"),
                    ("agents/a.md", "---\ntools: [fs/raed]\n---\n"),
                ],
                &["tools", "p"],
            ),
        ),
        ("no model", told(&[toml(""), agent], &["run", "-C", "p", "x"])),
        (
            "unknown model",
            told(
                &[toml("[models.claude]\nprovider = \"anthropic\"\nsettings = { model = \"m\" }\n"), agent],
                &["run", "-C", "p", "--model", "claud", "x"],
            ),
        ),
        (
            "unknown model key",
            told(&[toml("[models.claude]\nprovidr = \"anthropic\"\n"), agent], &["run", "-C", "p", "x"]),
        ),
        (
            "missing key",
            told(
                &[toml("[models.claude]\nprovider = \"anthropic\"\nsettings = { model = \"m\" }\n"), agent],
                &["run", "-C", "p", "x"],
            ),
        ),
        (
            "missing cassette",
            told(&[toml("[models.m]\ncassette = \"c.json\"\n"), agent], &["run", "-C", "p", "x"]),
        ),
        ("missing folder", told(&[], &["run", "-C", "nowhere"])),
        ("no runs", told(&[], &["show", "last"])),
    ];
    let text: Vec<String> = cases.iter().map(|(name, told)| format!("== {name}: {told}")).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn a_file_that_is_no_database_is_left_as_it_is() {
    let world = World::new();
    fs::create_dir_all(world.path(".provost")).unwrap();
    fs::write(world.path(".provost/provost.db"), "a diary of another program, not ours\n".repeat(40))
        .unwrap();
    let printed = world.provost(&["runs"]);
    assert_eq!(printed.code, 1);
    assert!(printed.stderr.starts_with("error[PV0006]: "), "{}", printed.stderr);
    assert!(fs::read_to_string(world.path(".provost/provost.db")).unwrap().starts_with("a diary"));
}

#[test]
fn a_new_project_needs_only_a_key() {
    let world = World::new();
    assert_eq!(world.provost(&["init", "new"]).code, 0);
    let again = world.provost(&["init", "new"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("nothing was written"), "{}", again.stderr);
    let doctor = world.provost(&["doctor", "new", "--offline"]);
    assert_eq!(doctor.code, 1);
    let keyed =
        world.command(&["doctor", "new", "--offline"]).env("ANTHROPIC_API_KEY", "k").output().unwrap();
    assert_eq!(keyed.status.code(), Some(0));
    assert!(!String::from_utf8(keyed.stdout).unwrap().contains("key from k"), "a key is never printed");
}

#[test]
fn files_are_checked_and_repaired() {
    let world = World::new();
    let project = ["--project", "examples/audit"];
    fs::write(world.path("good.json"), r#"{"kind": "act", "calls": [{"id": "a", "type": "tool", "name": "fs/read", "args": {"path": "x"}}]}"#).unwrap();
    fs::write(
        world.path("bad.json"),
        r#"{"kind": "act", "calls": [{"id": "a", "type": "tool", "name": "fs/raed", "args": {}}]}"#,
    )
    .unwrap();
    let good = world.provost(&[&["validate", "good.json"], &project[..]].concat());
    assert_eq!(good.code, 0, "{}{}", good.stdout, good.stderr);
    let bad = world.provost(&[&["validate", "bad.json"], &project[..]].concat());
    assert_eq!(bad.code, 1);
    let broken =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/transcripts/interrupted.anthropic.json");
    let check = world.provost(&["import", broken, "--check"]);
    assert_eq!(check.code, 1);
    let repaired = world.provost(&["import", broken, "--repair"]);
    assert_eq!(repaired.code, 0, "{}", repaired.stderr);
    fs::write(world.path("repaired.json"), repaired.stdout).unwrap();
    assert_eq!(world.provost(&["import", "repaired.json", "--check"]).code, 0);
}

#[test]
fn every_shell_gets_completions_and_every_code_a_page() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.provost(&["completions", shell]).stdout.contains("provost"), "{shell}");
    }
    assert!(world.provost(&["explain", "PV0002"]).stdout.starts_with("# PV0002: "));
    assert_eq!(world.provost(&["explian"]).code, 2);
}

/// An agent's file binds it tighter than its project. A looser word is refused, whichever rule it meets.
#[test]
fn an_agent_cannot_loosen_the_rules_of_its_project() {
    let world = World::new();
    let tools = |policy: &str| {
        let agent = format!("---\ntools: [fs/read, fs/edit, shell/run]\npolicy:\n{policy}---\n");
        fs::write(world.path("examples/audit/agents/auditor.md"), agent).unwrap();
        world.provost(&["tools", "examples/audit"])
    };
    let verdicts = |policy: &str| -> Vec<String> {
        let printed = tools(policy).stdout;
        let shown = printed.lines().filter(|line| line.contains(": ") && !line.ends_with("hidden"));
        shown.filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
    };
    assert_eq!(verdicts("  fs/read: direct\n"), ["allow", "ask", "allow"]);
    assert_eq!(verdicts("  fs/edit: forbidden\n"), ["allow", "deny", "allow"]);
    assert_eq!(verdicts("  shell/run: preview\n"), ["allow", "ask", "ask"]);
    assert_eq!(verdicts("  shell/run: ask\n  fs/edit: deny\n"), ["allow", "deny", "ask"]);
    for looser in ["fs/edit: direct", "fs/edit: allow", "fs/*: direct", "'*': direct"] {
        let printed = tools(&format!("  shell/run: preview\n  {looser}\n"));
        let place = "error[PV0003]: agents/auditor.md:5: ";
        assert!(printed.code == 2 && printed.stderr.starts_with(place), "{looser}: {}", printed.stderr);
        assert!(printed.stderr.contains("looser than the project's policy"), "{}", printed.stderr);
    }
    let both = "  fs/*: direct\n  fs/edit: preview\n  fs/write: preview\n";
    assert_eq!(verdicts(both), ["allow", "ask", "allow"], "the word that counts is not looser");
}

/// The commands that read an agent's file.
const COMMANDS: [&[&str]; 4] = [
    &["run", "-C", "p", "x", "--cassette", "c.json"],
    &["chat", "--project", "p", "--cassette", "c.json"],
    &["tools", "p"],
    &["agents", "p"],
];

fn project(world: &World, agent: &[u8]) {
    fs::create_dir_all(world.path("p/agents")).unwrap();
    let models = "[models.m]\ncassette = \"../c.json\"\n";
    fs::write(world.path("p/provost.toml"), format!("{models}[tools.modes]\n\"fs/list\" = [\"release\"]\n"))
        .unwrap();
    fs::write(world.path("c.json"), "{\"version\": 1, \"turns\": []}").unwrap();
    fs::write(world.path("p/agents/a.md"), agent).unwrap();
}

#[test]
fn every_command_refuses_the_same_agent_files_with_file_and_line() {
    let world = World::new();
    let cases = [
        ("tools: [fs/raed]", "there is no tool `fs/raed`"),
        ("tools:\n  - fs/read\n  - http/get", "the tool `http/get` is switched off"),
        ("tools:", "a key is here without a value"),
        ("model: gpt", "there is no model `gpt`"),
        ("mode: relase", "there is no mode `relase`"),
        ("categories: [filesytem]", "there is no category `filesytem`"),
        ("budgets:\n  turn: 3", "there is no budget `turn`"),
        ("budgets:\n  tool_calls_fs/raed: 3", "there is no tool `fs/raed`"),
        ("policy:\n  fs/eidt: forbidden", "there is no tool `fs/eidt`"),
        ("policy:\n  fs/edit: maybe", "unknown policy `maybe`"),
        ("policy:\n  fs/edit: direct", "looser than the project's policy"),
        ("tool: [fs/read]", "unknown field `tool`"),
        ("max_turns: 0", "`max_turns` must be at least 1"),
    ];
    for (head, told) in cases {
        project(&world, format!("---\nname: a # the agent\n{head}\n---\nRead.\n").as_bytes());
        let line = 2 + head.lines().count();
        for words in COMMANDS {
            let printed = world.provost(words);
            let place = format!("error[PV0003]: agents/a.md:{line}: ");
            assert_eq!(printed.code, 2, "{words:?} {head}: {}", printed.stderr);
            assert!(printed.stderr.contains(&place), "{words:?} {head}: {}", printed.stderr);
            assert!(printed.stderr.contains(told), "{words:?} {head}: {}", printed.stderr);
        }
        let doctor = world.provost(&["doctor", "p"]);
        let place = format!("agents/a.md:{line}\n");
        assert!(doctor.code == 1 && doctor.stdout.contains(&place), "{head}: {}", doctor.stdout);
        assert!(doctor.stdout.contains(told), "{head}: {}", doctor.stdout);
    }
    project(&world, b"---\nname: a # the agent\ntools: [fs/read]\n---\nRead.\n");
    for words in COMMANDS {
        let refused = world.provost(words).stderr.contains("PV0003");
        assert!(!refused, "{words:?}: the control is an agent");
    }
}

#[test]
fn front_matter_that_is_none_is_refused_and_every_way_to_write_one_is_the_same_agent() {
    let world = World::new();
    let plain = "---\ntools: [fs/read]\npolicy:\n  fs/read: forbidden\nmax_turns: 3\n---\nRead.\n";
    let listed = |agent: &str| {
        project(&world, agent.as_bytes());
        let tools = world.provost(&["tools", "p"]);
        (tools.code, tools.stdout + &world.provost(&["agents", "p", "--json"]).stdout)
    };
    let wanted = listed(plain);
    assert!(
        wanted.0 == 0
            && wanted.1.starts_with("a sees 1 of ")
            && wanted.1.contains("\nfs/read: reads, deny\n"),
        "{}",
        wanted.1
    );
    let crlf = plain.replace('\n', "\r\n");
    let same = [
        crlf.clone(),
        format!("\u{feff}{crlf}"),
        format!("\n{plain}"),
        plain.replace("---", "--- "),
        plain.replace("[fs/read]", "[ 'fs/read' ] # only"),
    ];
    for agent in same {
        assert_eq!(listed(&agent), wanted, "{agent:?}");
    }
    for fence in [" ---", "----", "—--", "+++", "--- yaml"] {
        let (code, _) = listed(&plain.replacen("---", fence, 1));
        assert_eq!(code, 2, "{fence}");
    }
    for agent in ["", "\n", "---\ntools: [fs/read]\nRead.\n", "# Mine\n---\ntools: [fs/read]\n---\nRead.\n"] {
        assert_eq!(listed(agent).0, 2, "{agent:?}");
    }
    let (code, tools) = listed("Read.\n");
    assert!(
        code == 0 && tools.contains("shell/run"),
        "without front matter an agent sees every tool: {tools}"
    );
}

#[test]
fn a_default_that_is_not_there_is_refused_with_its_line() {
    let world = World::new();
    for (key, told) in [("agent", "there is no agent `b`"), ("model", "there is no model `b`")] {
        project(&world, b"Read.\n");
        let file = world.path("p/provost.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("[defaults]\n{key} = \"b\"\n{text}")).unwrap();
        for words in COMMANDS {
            let printed = world.provost(words);
            assert_eq!(printed.code, 2, "{words:?}: {}", printed.stderr);
            let place = format!("error[PV0002]: p/provost.toml:2: {told}");
            assert!(printed.stderr.contains(&place), "{words:?}: {}", printed.stderr);
        }
    }
}
