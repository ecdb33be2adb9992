//! Ways to start a forbidden program.

use serde_json::{Value, json};

use super::scene::{Attempt, Control, Effect, Scene, try_all};

const RULES: &str = r#"
[[policy.rules]]
name = "no-rm"
decision = "forbidden"
reason = "nothing is deleted here"
command = "rm …"
matches = [{ tool = "shell/run", arguments = { argv = ["rm", "x"] } }]
unclear = [{ tool = "shell/run", arguments = { argv = ["sh", "-c", "ls"] } }]
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
        powerless("in capitals", "shell/run", json!({ "argv": ["RM", "victim.txt"] })),
        powerless("look-alike letters", "shell/run", json!({ "argv": ["\u{ff52}\u{ff4d}", "victim.txt"] })),
        powerless("one text", "shell/run", json!({ "argv": "rm victim.txt" })),
        powerless("a list in a list", "shell/run", json!({ "argv": [["rm", "victim.txt"]] })),
        powerless("another argument", "shell/run", json!({ "command": ["rm", "victim.txt"] })),
        powerless("the name of a provider", "shell__run", json!({ "argv": ["rm", "victim.txt"] })),
        powerless("the name in capitals", "SHELL/RUN", json!({ "argv": ["rm", "victim.txt"] })),
        powerless("the name with a space", "shell/run ", json!({ "argv": ["rm", "victim.txt"] })),
    ];
    assert_eq!(try_all(RULES, attempts).await, 32);
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

/// Shapes that a reader of command lines took for something else.
#[tokio::test]
async fn by_options_keywords_and_variables() {
    let attempts = vec![
        run("an option between", &["bash", "-oc", "posix", "rm victim.txt"]),
        run("a loop over the words", &["sh", "-c", "for x do rm victim.txt; done", "sh", "1"]),
        script("timed", "bash", "time -p rm victim.txt"),
        script("a coprocess", "bash", "coproc X { rm victim.txt; }; wait"),
        run(
            "find and a plus sign",
            &["find", ".", "-maxdepth", "0", "-exec", "env", "-u", "+", "rm", "victim.txt", ";"],
        ),
        run("find deletes by a program", &["find", "victim.txt", "-exec", "rm", "{}", "+"]),
        run("a wrapper of one's own", &["./nice", "true"]),
        run("a shell of one's own", &["./bash", "-c", "true"]),
        run("a find of one's own", &["./find", "."]),
        run("a plain program of one's own", &["./cat", "x"]),
        run("a plain program of one's own, absolute", &["{root}/cat", "x"]),
        run(
            "a function in the environment",
            &["env", "BASH_FUNC_ls%%=() { rm victim.txt; }", "bash", "-c", "ls"],
        ),
        script("an exported path", "sh", "export PATH=.:$PATH; zz"),
        script("a declared path", "bash", "declare -x PATH=.:$PATH; zz"),
        script("a printed path", "bash", "printf -v PATH .:$PATH; zz"),
        script("a file for shells", "bash", "export BASH_ENV=./script.sh; bash -c true"),
        script("a hashed name", "bash", "hash -p /bin/rm foo; foo victim.txt"),
        script("a job", "bash", "jobs -x rm victim.txt"),
        script(
            "the index of an array, in pieces",
            "bash",
            "x='a[$'; y='(rm victim.txt)]'; z=$x$y; test -v \"$z\"",
        ),
        run("a filter of tar", &["tar", "-cI", "rm victim.txt; cat", "-f", "/dev/null", "docs"]),
        run("a filter of tar, old options", &["tar", "cIf", "rm victim.txt; cat", "/dev/null", "docs"]),
        run(
            "options of tar in a variable",
            &[
                "env",
                "TAR_OPTIONS=--checkpoint=1 --checkpoint-action=exec=rm${IFS}victim.txt",
                "tar",
                "cf",
                "/dev/null",
                "docs",
            ],
        ),
        run(
            "git clones by a program",
            &["git", "clone", "-u", "rm victim.txt; false", "file://{root}/docs", "copy"],
        ),
        run(
            "git by its own options",
            &["git", "-c", "core.sshCommand=rm victim.txt; false", "ls-remote", "ssh://x/y"],
        ),
        run("perl by its long name", &["perl", "-e", "unlink 'victim.txt'"]),
        then("a copy under a plain name", &["cp", "/bin/rm", "head"], &["./head", "victim.txt"]),
        then("moved to a plain name", &["mv", "zz", "docs/ls"], &["docs/ls"]),
    ];
    assert_eq!(try_all(RULES, attempts).await, 27);
}

/// Which program runs a declared tool is the operator's decision.
#[tokio::test]
async fn a_declared_tool_is_no_way_around() {
    let scene = Scene::new(RULES);
    let outcome = scene.run(&[("team/clean", json!({}))]).await;
    assert!(scene.took(GONE, &outcome), "the rule is about commands that the model chooses");
    let by_name = RULES
        .replace("command = \"rm …\"\n", "tools = [\"shell/run\", \"team/clean\"]\n")
        .replace("unclear = ", "#");
    let scene = Scene::new(&by_name.replace("passes = ", "#"));
    let outcome = scene.run(&[("team/clean", json!({}))]).await;
    assert!(!scene.took(GONE, &outcome), "a rule about the tool holds");
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
unless = { command = ["echo …", "touch made", "env echo"] }
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
        neighbour("an allowed command with more words", &["env", "echo", "-x", "rm", "victim.txt"]),
    ];
    assert_eq!(try_all(rules, attempts).await, 6);
}
