//! Ways to start a forbidden program.

use serde_json::{Value, json};

use super::scene::{Attempt, Control, Effect, try_all};

const RULES: &str = r#"
[[policy.rules]]
name = "no-rm"
decision = "forbidden"
reason = "nothing is deleted here"
command = "rm"
matches = [{ tool = "shell/run", arguments = { argv = ["rm", "x"] } }]
passes = [{ tool = "shell/run", arguments = { argv = ["ls", "rm"] } }]
"#;

const GONE: Effect = Effect::Gone("victim.txt");

fn run(name: &'static str, argv: &[&str]) -> Attempt {
    let calls = vec![("shell/run", json!({ "argv": argv }))];
    Attempt { name, calls, effect: GONE, control: Control::WithoutTheRule }
}

fn script(name: &'static str, shell: &str, script: &str) -> Attempt {
    run(name, &[shell, "-c", script])
}

/// It can never take effect; its allowed neighbour can.
fn powerless(name: &'static str, tool: &'static str, arguments: Value) -> Attempt {
    let neighbour = vec![("shell/run", json!({ "argv": ["touch", "made"] }))];
    let control = Control::Neighbour(neighbour, Effect::Made("made"));
    Attempt { name, calls: vec![(tool, arguments)], effect: GONE, control }
}

fn then(name: &'static str, first: &[&str], second: &[&str]) -> Attempt {
    let calls = [first, second].map(|argv| ("shell/run", json!({ "argv": argv })));
    Attempt { name, calls: calls.into(), effect: GONE, control: Control::WithoutTheRule }
}

fn own_tool(name: &'static str, tool: &'static str) -> Attempt {
    let calls = vec![(tool, json!({}))];
    Attempt { name, calls, effect: GONE, control: Control::WithoutTheRule }
}

#[tokio::test]
async fn by_other_names_and_through_other_programs() {
    let attempts = vec![
        run("plain", &["rm", "victim.txt"]),
        run("by its path", &["/bin/rm", "victim.txt"]),
        run("by an odd path", &["/usr/..//bin/./rm", "victim.txt"]),
        run("env", &["env", "rm", "victim.txt"]),
        run("env with variables", &["env", "-i", "A=1", "/bin/rm", "victim.txt"]),
        run("env splits", &["env", "-S", "rm victim.txt"]),
        run("env with a path of its own", &["env", "PATH=.:/usr/bin:/bin", "script.sh"]),
        run("nice", &["nice", "-n", "5", "rm", "victim.txt"]),
        run("nice, long", &["nice", "--adjustment", "5", "rm", "victim.txt"]),
        run("timeout", &["timeout", "-k", "5", "10", "rm", "victim.txt"]),
        run("nohup", &["nohup", "rm", "victim.txt"]),
        run("setsid", &["setsid", "-w", "rm", "victim.txt"]),
        run("one in the other", &["nice", "nohup", "env", "timeout", "5", "rm", "victim.txt"]),
        run("xargs", &["xargs", "-a", "list", "rm"]),
        run("xargs, replaced", &["xargs", "-a", "list", "-I", "X", "rm", "X"]),
        run("find", &["find", ".", "-name", "victim.txt", "-exec", "rm", "{}", ";"]),
        run("awk", &["awk", "BEGIN { system(\"rm victim.txt\") }"]),
        run("a recipe", &["make", "-s"]),
        run("a script by its name", &["./script.sh"]),
        run("a script of a shell", &["sh", "script.sh"]),
        run("an alias of git", &["git", "-c", "alias.x=!rm victim.txt", "x"]),
        run(
            "tar",
            &["tar", "cf", "/dev/null", "--checkpoint=1", "--checkpoint-action=exec=rm victim.txt", "docs"],
        ),
        then("a copy", &["cp", "/bin/rm", "mine"], &["./mine", "victim.txt"]),
        then("a link", &["ln", "-s", "/bin/rm", "mine"], &["./mine", "victim.txt"]),
        own_tool("a tool of the project that is the program", "team/clean"),
        own_tool("a tool of the project that is a script", "team/script"),
        powerless("in capitals", "shell/run", json!({ "argv": ["RM", "victim.txt"] })),
        powerless("look-alike letters", "shell/run", json!({ "argv": ["\u{ff52}\u{ff4d}", "victim.txt"] })),
        powerless("one text", "shell/run", json!({ "argv": "rm victim.txt" })),
        powerless("a list in a list", "shell/run", json!({ "argv": [["rm", "victim.txt"]] })),
        powerless("another argument", "shell/run", json!({ "command": ["rm", "victim.txt"] })),
        powerless("the name of a provider", "shell__run", json!({ "argv": ["rm", "victim.txt"] })),
        powerless("the name in capitals", "SHELL/RUN", json!({ "argv": ["rm", "victim.txt"] })),
        powerless("the name with a space", "shell/run ", json!({ "argv": ["rm", "victim.txt"] })),
    ];
    assert_eq!(try_all(RULES, attempts).await, 34);
}

#[tokio::test]
async fn in_the_language_of_shells() {
    let attempts = vec![
        script("plain", "sh", "rm victim.txt"),
        run("with options", &["bash", "-e", "-o", "pipefail", "-c", "rm victim.txt"]),
        run("options together", &["bash", "-lc", "rm victim.txt"]),
        script("a shell in a shell", "sh", "sh -c 'rm victim.txt'"),
        script("behind another command", "sh", "true && rm victim.txt"),
        script("in a pipe", "sh", "echo victim.txt | xargs rm"),
        script("in a group", "sh", "{ rm victim.txt; }"),
        script("in a subshell", "sh", "(rm victim.txt)"),
        script("in a condition", "sh", "if true; then rm victim.txt; fi"),
        script("in a loop", "sh", "for f in victim.txt; do rm \"$f\"; done"),
        script("behind a redirection", "sh", ">log rm victim.txt"),
        script("behind an assignment", "sh", "A=1 rm victim.txt"),
        script("escaped", "sh", "r\\m victim.txt"),
        script("quoted", "sh", "'r'\"m\" victim.txt"),
        script("over two lines", "sh", "r\\\nm victim.txt"),
        script("a variable", "sh", "X=rm; $X victim.txt"),
        script("two variables", "sh", "A=r B=m; $A$B victim.txt"),
        script("a wildcard", "sh", "/bin/r? victim.txt"),
        script("braces", "bash", "{rm,victim.txt}"),
        script("letters by number", "bash", "$'\\x72\\x6d' victim.txt"),
        script("a substitution", "sh", "echo $(rm victim.txt)"),
        script("an old substitution", "sh", "echo `rm victim.txt`"),
        script("the name of a substitution", "sh", "$(echo rm) victim.txt"),
        script("in a substitution of a file", "bash", "cat <(rm victim.txt)"),
        script("evaluated", "sh", "eval 'rm victim.txt'"),
        script("command", "sh", "command rm victim.txt"),
        script("exec", "sh", "exec rm victim.txt"),
        script("a function", "sh", "f() { rm victim.txt; }; f"),
        script("an alias", "bash", "shopt -s expand_aliases\nalias l=rm\nl victim.txt"),
        script("a trap", "sh", "trap 'rm victim.txt' EXIT"),
        script("another file", "sh", ". ./script.sh"),
        script("a here-document", "sh", "sh <<E\nrm victim.txt\nE"),
        script("from a pipe", "sh", "echo 'rm victim.txt' | sh"),
        script("in the index of an array", "bash", "test -v 'a[$(rm victim.txt)]'"),
        script("called back", "bash", "mapfile -t -c 1 -C 'rm victim.txt #' < list"),
        script("a path of its own", "sh", "PATH=.:$PATH; script.sh"),
        run("the file is a word of the shell", &["sh", "-c", "rm \"$0\"", "victim.txt"]),
        run("the program is a word of the shell", &["sh", "-c", "\"$0\" victim.txt", "rm"]),
    ];
    assert_eq!(try_all(RULES, attempts).await, 38);
}

/// The strong form: everything is forbidden but what is listed.
#[tokio::test]
async fn around_a_list_of_what_is_allowed() {
    let rules = r#"
[[policy.rules]]
name = "only-these"
decision = "forbidden"
reason = "only listed commands run"
tools = "shell/run"
unless = { command = ["echo", "touch made"] }
matches = [{ arguments = { argv = ["rm", "x"] } }]
passes = [{ arguments = { argv = ["echo", "x"] } }]
"#;
    let neighbour = |name: &'static str, argv: &[&str]| {
        let calls = vec![("shell/run", json!({ "argv": argv }))];
        let allowed = vec![("shell/run", json!({ "argv": ["touch", "made"] }))];
        Attempt { name, calls, effect: GONE, control: Control::Neighbour(allowed, Effect::Made("made")) }
    };
    let attempts = vec![
        neighbour("another program", &["rm", "victim.txt"]),
        neighbour("an allowed name in another place", &["./echo", "victim.txt"]),
        neighbour("an allowed command in a shell", &["sh", "-c", "echo; rm victim.txt"]),
        neighbour("an allowed command in front", &["env", "echo", "rm", "victim.txt"]),
        neighbour("an allowed program with other words", &["touch", "-r", "made", "victim.txt"]),
    ];
    assert_eq!(try_all(rules, attempts).await, 5);
}
