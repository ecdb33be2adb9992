//! Ways into a closed folder.

use serde_json::{Value, json};

use super::scene::{Attempt, Control, Effect, OPEN, SECRET, try_all};

const RULES: &str = r#"
[[policy.rules]]
name = "secrets-stay"
decision = "forbidden"
reason = "secrets are not for agents"
path = "secrets/**"
matches = [{ tool = "fs/read", arguments = { path = "secrets/the-key" } }]
passes = [{ tool = "fs/read", arguments = { path = "docs/open.txt" } }]

[[policy.rules]]
name = "everything-runs"
decision = "direct"
reason = "a permission beside the refusal changes nothing"
path = ["secrets/**", "docs/**"]
matches = [{ tool = "fs/read", arguments = { path = "docs/open.txt" } }]
"#;

const SHOWN: Effect = Effect::Shows(SECRET);
const NEW: Effect = Effect::Made("secrets/new");

fn tries(name: &'static str, tool: &'static str, arguments: Value, effect: Effect) -> Attempt {
    Attempt { name, calls: vec![(tool, arguments)], effect, control: Control::WithoutTheRule }
}

fn run(name: &'static str, argv: &[&str]) -> Attempt {
    tries(name, "shell/run", json!({ "argv": argv }), SHOWN)
}

/// The tool refuses it by itself; the same tool reads what is open.
fn powerless(name: &'static str, tool: &'static str, arguments: Value) -> Attempt {
    let neighbour = vec![("fs/read", json!({ "path": "./docs//open.txt" }))];
    let control = Control::Neighbour(neighbour, Effect::Shows(OPEN));
    Attempt { name, calls: vec![(tool, arguments)], effect: SHOWN, control }
}

fn then(name: &'static str, first: &[&str], second: (&'static str, Value)) -> Attempt {
    let calls = vec![("shell/run", json!({ "argv": first })), second];
    Attempt { name, calls, effect: SHOWN, control: Control::WithoutTheRule }
}

#[tokio::test]
async fn with_file_tools() {
    let twice = serde_json::from_str(r#"{ "path": "docs/open.txt", "path": "secrets/the-key" }"#).unwrap();
    let listed = Effect::Shows("\"secrets/the-key\"");
    let attempts = vec![
        tries("plain", "fs/read", json!({ "path": "secrets/the-key" }), SHOWN),
        tries("with dots", "fs/read", json!({ "path": "./secrets/./the-key" }), SHOWN),
        tries("with slashes", "fs/read", json!({ "path": "secrets//the-key" }), SHOWN),
        tries("the key twice", "fs/read", twice, SHOWN),
        tries("a search of all", "fs/search", json!({ "pattern": "KEY" }), SHOWN),
        tries("a search in the folder", "fs/search", json!({ "pattern": "KEY", "path": "secrets" }), SHOWN),
        tries(
            "a search in the file",
            "fs/search",
            json!({ "pattern": "KEY", "path": "secrets/the-key" }),
            SHOWN,
        ),
        tries("a search by glob", "fs/search", json!({ "pattern": ".", "glob": "**/the-*" }), SHOWN),
        tries("a list of all", "fs/list", json!({ "depth": 9 }), listed),
        tries("a list of the folder", "fs/list", json!({ "path": "secrets/" }), listed),
        tries("writing", "fs/write", json!({ "path": "secrets/new", "content": "x" }), NEW),
        tries("writing with dots", "fs/write", json!({ "path": "secrets/./new", "content": "x" }), NEW),
        powerless("up and down", "fs/read", json!({ "path": "docs/../secrets/the-key" })),
        powerless("absolute", "fs/read", json!({ "path": "{root}/secrets/the-key" })),
        powerless("a folder that is a link", "fs/read", json!({ "path": "notes/the-key" })),
        powerless("a file that is a link", "fs/read", json!({ "path": "link.txt" })),
        powerless("a search through a link", "fs/search", json!({ "pattern": "KEY", "path": "notes" })),
        powerless("in capitals", "fs/read", json!({ "path": "SECRETS/the-key" })),
        powerless("look-alike letters", "fs/read", json!({ "path": "\u{455}ecrets/the-key" })),
        powerless("invisible letters", "fs/read", json!({ "path": "secrets\u{200b}/the-key" })),
        powerless("encoded", "fs/read", json!({ "path": "secrets%2fthe-key" })),
        powerless("the other slash", "fs/read", json!({ "path": "secrets\\the-key" })),
        powerless("cut short", "fs/read", json!({ "path": "secrets/the-key\u{0}.txt" })),
        powerless("a list", "fs/read", json!({ "path": ["secrets/the-key"] })),
        powerless("an object", "fs/read", json!({ "path": { "path": "secrets/the-key" } })),
        powerless("another argument", "fs/read", json!({ "file": "secrets/the-key" })),
        powerless(
            "beside an allowed one",
            "fs/read",
            json!({ "path": "docs/open.txt", "paths": ["secrets/the-key"] }),
        ),
        powerless("the name of a provider", "fs__read", json!({ "path": "secrets/the-key" })),
    ];
    assert_eq!(try_all(RULES, attempts).await, 28);
}

#[tokio::test]
async fn with_programs() {
    let in_folder = json!({ "argv": ["cat", "the-key"], "cwd": "secrets" });
    let beside = json!({ "argv": ["cat", "../secrets/the-key"], "cwd": "docs" });
    let attempts = vec![
        run("plain", &["cat", "secrets/the-key"]),
        run("absolute", &["cat", "{root}/secrets/the-key"]),
        run("up and down", &["cat", "docs/../secrets/the-key"]),
        run("an option's value", &["grep", "--file=secrets/the-key", "-h", "KEY", "secrets/the-key"]),
        run("behind an equals sign", &["dd", "if=secrets/the-key"]),
        run("the folder", &["grep", "-rh", "KEY", "secrets"]),
        run("the folder above", &["grep", "-rh", "KEY", "."]),
        run("found", &["find", ".", "-name", "the-key", "-exec", "cat", "{}", ";"]),
        run("through a linked folder", &["cat", "notes/the-key"]),
        run("through a linked file", &["cat", "link.txt"]),
        run("through a link and up", &["cat", "notes/../secrets/the-key"]),
        run("by who looks", &["cat", "/proc/self/cwd/secrets/the-key"]),
        run("bundled options of date", &["date", "-ufsecrets/the-key"]),
        run("an option of date", &["date", "-f", "secrets/the-key"]),
        run("all above", &["grep", "-rh", "KEY", ".."]),
        run("an archive of all above", &["tar", "cf", "-", ".."]),
        run("counted by names", &["wc", "--files0-from=secrets/the-key"]),
        run("included by a compiler", &["gcc", "-E", "-includesecrets/the-key", "-xc", "/dev/null"]),
        run("by a file of options", &["gcc", "-E", "-xc", "@names"]),
        run("by a pathspec of git", &["git", "grep", "--no-index", "-h", "KEY", "--", ":(icase)SECRETS"]),
        run("by a pattern of git", &["git", "grep", "--no-index", "-h", "KEY", "--", "sec*"]),
        run("curl reads files", &["curl", "-s", "file://localhost{root}/secrets/the-key"]),
        run("curl reads files by pattern", &["curl", "-s", "file://{root}/[s-s]ecrets/the-key"]),
        run("names for tar, bundled", &["tar", "cf", "-", "-Tnames"]),
        run("names from a file", &["tar", "cf", "-", "-T", "names"]),
        run("names from a file, long", &["tar", "cf", "-", "--files-from=names"]),
        tries("from within", "shell/run", in_folder, SHOWN),
        tries("from beside", "shell/run", beside, SHOWN),
    ];
    assert_eq!(try_all(RULES, attempts).await, 28);
}

#[tokio::test]
async fn with_shells_and_in_several_steps() {
    let cat = |name, script| run(name, &["sh", "-c", script]);
    let made = |name, script: &str| tries(name, "shell/run", json!({ "argv": ["sh", "-c", script] }), NEW);
    let attempts = vec![
        cat("in a shell", "cat secrets/the-key"),
        cat("a link in the same script", "ln -s ../secrets docs/x; cat docs/x/the-key"),
        run("a loop over the words", &["sh", "-c", "for x do cat secrets/the-key; done", "sh", "1"]),
        cat("from standard input", "cat < secrets/the-key"),
        cat("a wildcard", "cat sec*/the-key"),
        cat("a variable", "d=secrets; cat $d/the-key"),
        cat("another folder first", "cd secrets && cat the-key"),
        cat("read by the shell", "while read -r line; do echo \"$line\"; done < secrets/the-key"),
        run("by an interpreter", &["perl", "-pe", "1", "secrets/the-key"]),
        run("by an interpreter, in pieces", &["perl", "-e", "open F, 'sec'.'rets/the-key'; print <F>"]),
        made("redirected", "echo x > secrets/new"),
        made("appended", "echo x >> secrets/new"),
        made("through a link to nothing", "echo x > dangling"),
        made("by a pipe", "echo x | tee secrets/new"),
        then(
            "copied first",
            &["cp", "-r", "secrets", "copy"],
            ("fs/read", json!({ "path": "copy/the-key" })),
        ),
        then("moved first", &["mv", "secrets", "other"], ("fs/read", json!({ "path": "other/the-key" }))),
        then(
            "a second name first",
            &["ln", "secrets/the-key", "second"],
            ("fs/read", json!({ "path": "second" })),
        ),
        then(
            "a link first",
            &["ln", "-s", "secrets/the-key", "soft"],
            ("shell/run", json!({ "argv": ["cat", "soft"] })),
        ),
        then(
            "a link of another folder first",
            &["ln", "-s", "../secrets", "docs/x"],
            ("shell/run", json!({ "argv": ["cat", "docs/x/the-key"] })),
        ),
        then(
            "a copy through links",
            &["cp", "-rL", "notes", "copy"],
            ("fs/read", json!({ "path": "copy/the-key" })),
        ),
        then(
            "moved and read by a plain program",
            &["mv", "link.txt", "x"],
            ("shell/run", json!({ "argv": ["cat", "x"] })),
        ),
        tries(
            "sorted into the folder",
            "shell/run",
            json!({ "argv": ["sort", "-uosecrets/new", "names"] }),
            NEW,
        ),
        tries(
            "touched through a link to nothing",
            "shell/run",
            json!({ "argv": ["touch", "dangling"] }),
            NEW,
        ),
        tries("touched", "shell/run", json!({ "argv": ["touch", "notes/new"] }), NEW),
        tries(
            "touched in the folder",
            "shell/run",
            json!({ "argv": ["touch", "new"], "cwd": "secrets" }),
            NEW,
        ),
    ];
    assert_eq!(try_all(RULES, attempts).await, 25);
}

#[tokio::test]
async fn with_texts() {
    let rules = r#"
[[policy.rules]]
name = "no-poison"
decision = "forbidden"
reason = "no poison is written"
arguments.content = { regex = "(?i)poison" }
matches = [{ tool = "fs/write", arguments = { path = "x", content = "poison" } }]
passes = [{ tool = "fs/write", arguments = { path = "x", content = "water" } }]
"#;
    let written = |name, text: Value| {
        tries(name, "fs/write", json!({ "path": "new", "content": text }), Effect::Made("new"))
    };
    let refused = |name, text: Value| {
        let water = vec![("fs/write", json!({ "path": "new", "content": "water" }))];
        let control = Control::Neighbour(water, Effect::Made("new"));
        Attempt { control, ..written(name, text) }
    };
    let attempts = vec![
        written("plain", json!("poison")),
        written("among others", json!("a cup\nof PoiSon\n")),
        refused("in a list", json!(["poison"])),
        refused("in an object", json!({ "a": { "b": "poison" } })),
    ];
    assert_eq!(try_all(rules, attempts).await, 4);
}
