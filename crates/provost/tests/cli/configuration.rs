//! A project's files, their mistakes, and the commands that need no run.

use std::fs;

use super::world::World;

#[test]
fn mistakes_are_told_with_code_line_and_hint() {
    let world = World::new();
    let told = |files: &[(&str, &str)], words: &[&str]| {
        let _ = fs::remove_dir_all(world.path("p"));
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
        ("unknown key", told(&[toml("[defaults]\nagnt = \"a\"\n")], &["run", "p"])),
        ("broken file", told(&[toml("[defaults\n")], &["run", "p"])),
        ("unknown budget", told(&[toml("[budgets]\nturn = 3\n")], &["run", "p"])),
        ("unknown agent", told(&[toml(""), agent], &["run", "p", "--agent", "b", "--prompt", "x"])),
        ("bad front matter", told(&[toml(""), ("agents/a.md", "---\nname\n---\n")], &["run", "p"])),
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
        ("no model", told(&[toml(""), agent], &["run", "p", "--prompt", "x"])),
        (
            "unknown model",
            told(
                &[toml("[models.claude]\nprovider = \"anthropic\"\nsettings = { model = \"m\" }\n"), agent],
                &["run", "p", "--model", "claud", "--prompt", "x"],
            ),
        ),
        (
            "unknown model key",
            told(
                &[toml("[models.claude]\nprovidr = \"anthropic\"\n"), agent],
                &["run", "p", "--prompt", "x"],
            ),
        ),
        (
            "missing key",
            told(
                &[toml("[models.claude]\nprovider = \"anthropic\"\nsettings = { model = \"m\" }\n"), agent],
                &["run", "p", "--prompt", "x"],
            ),
        ),
        (
            "missing cassette",
            told(&[toml("[models.m]\ncassette = \"c.json\"\n"), agent], &["run", "p", "--prompt", "x"]),
        ),
        ("missing folder", told(&[], &["run", "nowhere"])),
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
    let doctor = world.provost(&["doctor", "new"]);
    assert_eq!(doctor.code, 1);
    let keyed = world.command(&["doctor", "new"]).env("ANTHROPIC_API_KEY", "k").output().unwrap();
    assert_eq!(keyed.status.code(), Some(0));
    assert!(!String::from_utf8(keyed.stdout).unwrap().contains("key in k"), "a key is never printed");
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

/// An agent's file binds it tighter than its project; a looser word does not count, whichever rule it meets.
#[test]
fn an_agent_cannot_loosen_the_rules_of_its_project() {
    let world = World::new();
    let verdicts = |policy: &str| -> Vec<String> {
        let agent = format!("---\ntools: [fs/read, fs/edit, shell/run]\npolicy:\n{policy}---\n");
        fs::write(world.path("examples/audit/agents/auditor.md"), agent).unwrap();
        let printed = world.provost(&["tools", "examples/audit"]);
        printed.stdout.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
    };
    assert_eq!(verdicts("  fs/read: direct\n"), ["direct", "preview", "direct"]);
    assert_eq!(verdicts("  fs/edit: direct\n"), ["direct", "preview", "direct"], "the category still asks");
    assert_eq!(verdicts("  fs/edit: forbidden\n"), ["direct", "forbidden", "direct"]);
    assert_eq!(verdicts("  shell/run: preview\n"), ["direct", "preview", "preview"]);
}
