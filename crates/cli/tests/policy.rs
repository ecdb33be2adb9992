//! Rules about arguments: their mistakes, and what `provost policy test` says of them.

use std::fs;

use super::world::World;

const RULES: &str = r#"
[[policy.rules]]
name = "secrets-stay"
decision = "forbidden"
reason = "secrets are not for agents"
path = ["secrets/**", "*.pem"]
matches = [
  { tool = "fs/read", arguments = { path = "secrets/key" } },
  { tool = "shell/run", arguments = { argv = ["cat", "a/b.pem"] } },
]
passes = [{ tool = "fs/read", arguments = { path = "docs/secrets.md" } }]

[[policy.rules]]
name = "no-push"
decision = "forbidden"
reason = "people publish, agents do not"
command = ["git push …"]
unless = { command = "make test" }
matches = [{ tool = "shell/run", arguments = { argv = ["git", "push", "-f"] } }]
unclear = [{ tool = "shell/run", arguments = { argv = ["make", "publish"] } }]
passes = [
  { tool = "shell/run", arguments = { argv = ["ls", "-l"] } },
  { tool = "shell/run", arguments = { argv = ["make", "test"] } },
]

[[policy.rules]]
name = "notes-run"
decision = "direct"
reason = "notes may be written unasked"
tools = ["fs/write"]
path = "notes/**"
matches = [{ arguments = { path = "notes/today.md", text = "x" } }]
passes = [{ arguments = { path = "notes/../src/a.rs", text = "x" } }]
"#;

fn project(text: &str) -> World {
    let world = World::new();
    fs::create_dir_all(world.path("p/agents")).unwrap();
    fs::write(world.path("p/provost.toml"), text).unwrap();
    fs::write(world.path("p/agents/a.md"), "---\npolicy:\n  fs/edit: forbidden\n---\nWork.\n").unwrap();
    world
}

#[test]
fn a_call_is_decided_without_being_made() {
    let world = project(RULES);
    let asked: [&[&str]; 10] = [
        &["fs/read", r#"{"path": "secrets/../secrets/key"}"#],
        &["fs/read", r#"{"path": "src/a.rs"}"#],
        &["fs/write", r#"{"path": "notes/today.md", "text": "x"}"#],
        &["fs/write", r#"{"path": "notes/today.pem", "text": "x"}"#],
        &["fs/edit", r#"{"path": "notes/today.md"}"#],
        &["shell/run", r#"{"argv": ["git", "push"], "cwd": "x"}"#, "--expect", "forbidden"],
        &["shell/run", r#"{"argv": ["sh", "-c", "cd x && git push"]}"#, "--expect", "unclear"],
        &["shell/run", r#"{"argv": ["sh", "x.sh"]}"#, "--expect", "preview"],
        &["shell/run", r#"{"argv": ["cat", "notes/x"]}"#, "--expect", "preview"],
        &["shell/run", r#"{"argv": ["ls"]}"#, "--expect", "unclear"],
    ];
    let told = |json: &[&str]| {
        let one = |words: &&[&str]| {
            let printed = world.provost(&[&["policy", "test", "--project", "p"], *words, json].concat());
            format!("$ {} (exit {})\n{}{}", words.join(" "), printed.code, printed.stdout, printed.stderr)
        };
        asked.iter().map(one).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("policy_test", told(&[]));
    insta::assert_snapshot!("policy_test_json", told(&["--json"]));
    assert_eq!(world.provost(&["policy", "test", "fs/raed", "--project", "p"]).code, 2);
    assert_eq!(world.provost(&["policy", "test", "fs/read", "[]", "--project", "p"]).code, 2);
}

#[test]
fn examples_are_shown_and_must_hold() {
    let world = project(RULES);
    let good = world.provost(&["policy", "test", "--project", "p"]);
    assert_eq!(good.code, 0, "{}{}", good.stdout, good.stderr);
    assert_eq!(world.provost(&["doctor", "p"]).code, 1, "only a model is missing");
    let wrong = RULES.replace("docs/secrets.md", "docs/secrets.pem");
    fs::write(world.path("p/provost.toml"), &wrong).unwrap();
    let bad = world.provost(&["policy", "test", "--project", "p"]);
    assert_eq!(bad.code, 1);
    let refused = world.provost(&["tools", "p"]);
    assert_eq!(refused.code, 2, "a project with a wrong rule is none");
    let json = world.provost(&["policy", "test", "--project", "p", "--json"]);
    insta::assert_snapshot!(
        "policy_examples",
        [&good.stdout, &good.stderr, &bad.stdout, &bad.stderr, &refused.stderr, &json.stdout]
            .map(String::as_str)
            .join("--\n")
    );
}

#[test]
fn tools_say_which_rules_may_decide() {
    let own = r#"
[[tools.commands]]
name = "team/count"
description = "Counts."
argv = ["./count"]
parameters = { type = "object" }
"#;
    let world = project(&format!("{RULES}{own}"));
    let why = world.provost(&["tools", "p", "--why"]).stdout;
    insta::assert_snapshot!(why);
}

#[test]
fn mistakes_in_rules_are_told_with_their_line() {
    let world = project("");
    let told = |from: &str, to: &str| {
        assert!(RULES.contains(from), "{from}");
        fs::write(world.path("p/provost.toml"), RULES.replacen(from, to, 1)).unwrap();
        let printed = world.provost(&["tools", "p"]);
        assert_eq!(printed.code, 2, "{to}");
        format!("== {to}\n{}", printed.stderr)
    };
    let cases = [
        told("reason = \"secrets", "reasn = \"secrets"),
        told("decision = \"forbidden\"", "decision = \"never\""),
        told("path = [\"secrets/**\"", "path = [\"../secrets/**\""),
        told("tools = [\"fs/write\"]", "tools = [\"fs/wriet\"]"),
        told("name = \"no-push\"", "name = \"secrets-stay\""),
        told("name = \"no-push\"", "name = \"no push\""),
        told("unless = { command", "unless = { comand"),
        told("command = [\"git push …\"]", "command = [\"git … push\"]"),
        told("command = [\"git push …\"]", "cwd = \"docs\""),
        told("unless = { command = \"make test\"", "unless = { command = \"./make test\""),
        told("unclear = [{", "unclear = \"preview\"\n#"),
        told("matches = [{ arguments = { path = \"notes/today.md\", text = \"x\" } }]", "matches = []"),
    ];
    insta::assert_snapshot!(cases.join("\n"));
}

/// The rules in the documentation are rules, and do what they say.
#[test]
fn the_rules_of_the_documentation_hold() {
    for page in ["policies-and-approvals.md", "configuration.md"] {
        let text = fs::read_to_string(format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let blocks = text.split("```toml\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0));
        let blocks: Vec<&str> = blocks.filter(|block| block.contains("policy.rules")).collect();
        assert!(!blocks.is_empty(), "{page}");
        for block in blocks {
            let printed = project(block).provost(&["policy", "test", "--project", "p"]);
            assert_eq!(printed.code, 0, "{page}: {}{}", printed.stdout, printed.stderr);
        }
    }
}

/// The policy decides about any arguments; that the call would fail anyway is said beside it.
#[test]
fn a_test_of_a_call_that_would_fail_says_so() {
    let world = World::new();
    fs::create_dir_all(world.path("p/agents")).unwrap();
    fs::write(world.path("p/agents/a.md"), "---\nname: a\n---\nWork.\n").unwrap();
    fs::write(world.path("p/provost.toml"), "[tools]\nhosts = [\"docs.rs\"]\n").unwrap();
    for (tool, arguments, fault) in [
        ("fs/read", r#"{"path": "notes"}"#, None),
        ("fs/read", r#"{"file": "notes"}"#, Some("the call would fail: arguments: ")),
        ("http/get", r#"{"url": "https://docs.rs/serde"}"#, None),
        ("http/get", r#"{"url": "https://other.example/"}"#, Some("is not in tools.hosts")),
    ] {
        let words = ["policy", "test", tool, arguments, "-C", "p"];
        let printed = world.provost(&words);
        assert_eq!(printed.code, 0, "{}", printed.stderr);
        assert_eq!(printed.stdout.contains("would fail"), fault.is_some(), "{}", printed.stdout);
        assert!(fault.is_none_or(|fault| printed.stdout.contains(fault)), "{}", printed.stdout);
        let document: serde_json::Value =
            serde_json::from_str(&world.provost(&[&["--json"], &words[..]].concat()).stdout).unwrap();
        assert_eq!(document.get("faults").is_some(), fault.is_some(), "{document}");
    }
}
