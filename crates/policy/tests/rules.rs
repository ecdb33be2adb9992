//! Rules about arguments: what decides, what a rule covers, and what its examples prove.

use std::sync::atomic::{AtomicUsize, Ordering};

use provost_contract::json::{self, Object};
use provost_policy::action_policy::{Consulted, Question, resolve};
use provost_policy::rules::{AgentWords, Call, Lexical, Places, Reach, RuleSet, RuleSpec, Shape};
use provost_policy::{ActionPolicy, Decision};
use serde_json::{Value, json};

const EXAMPLE: &str = r#"[{ "tool": "any/tool" }]"#;

fn rule(name: &str, decision: &str, more: Value) -> Value {
    let mut rule = json!({ "name": name, "decision": decision, "reason": format!("because {name}") });
    rule["matches"] = serde_json::from_str(EXAMPLE).unwrap();
    rule.as_object_mut().unwrap().extend(json::into_object(more));
    rule
}

fn set(rules: &[Value]) -> RuleSet {
    let specs: Vec<RuleSpec> =
        rules.iter().map(|rule| serde_json::from_value(rule.clone()).unwrap()).collect();
    RuleSet::read(&specs).unwrap()
}

/// How the tool as such may run.
fn otherwise(word: &str) -> Decision<ActionPolicy> {
    let asked = json!({ "tool_name": "t/x", "action_policy": { "tools": { "t/x": word } } });
    resolve(&Question::parse(&json::into_object(asked), |_| None), &Consulted::default()).decision
}

fn decided(rules: &RuleSet, word: &str, tool: &str, arguments: Value) -> (&'static str, String) {
    let arguments: Object = json::into_object(arguments);
    let reach = match tool {
        "fs/search" => Reach::Filtered,
        "fs/read" => Reach::Place,
        _ => Reach::Below,
    };
    let places = Lexical("/w".to_owned());
    let call = Call { tool, arguments: &arguments, shape: &reach.into(), places: &places };
    let decision = rules.decide(&call, otherwise(word)).decision;
    (answer(&decision), decision.rule.into_owned())
}

/// The verdict; `unclear` when only a person may answer.
fn answer(decision: &Decision<ActionPolicy>) -> &'static str {
    if decision.is_person_only() { "unclear" } else { decision.verdict.word() }
}

#[test]
fn the_strictest_rule_decides_and_a_refused_tool_stays_refused() {
    let rules = set(&[
        rule("docs-run", "direct", json!({ "path": "docs/**" })),
        rule("ask-drafts", "preview", json!({ "path": "docs/drafts/**" })),
        rule("no-keys", "forbidden", json!({ "path": "*.key" })),
    ]);
    let read = |word: &str, path: &str| decided(&rules, word, "fs/read", json!({ "path": path }));
    let told = |verdict, rule: &str| (verdict, rule.to_owned());
    assert_eq!(read("preview", "docs/a.md"), told("direct", "docs-run"), "a rule is nearer than a word");
    assert_eq!(read("preview", "docs/drafts/a.md"), told("preview", "ask-drafts"));
    assert_eq!(read("direct", "docs/drafts/a.key"), told("forbidden", "no-keys"));
    assert_eq!(read("direct", "src/a.rs"), told("direct", "direct"), "no rule applies");
    assert_eq!(read("forbidden", "docs/a.md"), told("forbidden", "forbidden"), "nothing lifts a refusal");
}

#[test]
fn an_agent_binds_itself_tighter_and_never_looser() {
    let bound = |own: ActionPolicy, word: &str| {
        let words = AgentWords::read([("fs/*", own)]).unwrap();
        words.bind("fs/read", otherwise(word)).verdict.word()
    };
    assert_eq!(bound(ActionPolicy::Forbidden, "direct"), "forbidden");
    assert_eq!(bound(ActionPolicy::Direct, "preview"), "preview");
    assert_eq!(bound(ActionPolicy::Direct, "forbidden"), "forbidden");
    let words = AgentWords::read([("fs/*", ActionPolicy::Forbidden)]).unwrap();
    assert_eq!(words.bind("shell/run", otherwise("direct")).verdict.word(), "direct");
}

#[test]
fn what_is_unclear_asks_and_only_a_person_answers_it_for_a_rule_that_forbids() {
    let unread = json!({ "argv": ["python3", "x.py"] });
    let plain = json!({ "argv": ["ls"] });
    let told = |more: Value, decision: &str, word: &str| {
        let rules = set(&[rule("r", decision, more)]);
        [&unread, &plain].map(|arguments| decided(&rules, word, "shell/run", arguments.clone()).0)
    };
    for more in [json!({ "command": "rm …" }), json!({ "path": "secrets/**" }), json!({ "host": "evil.net" })]
    {
        assert_eq!(told(more.clone(), "forbidden", "direct"), ["unclear", "direct"], "{more}");
        assert_eq!(told(more.clone(), "preview", "direct"), ["preview", "direct"], "{more}");
        assert_eq!(told(more.clone(), "forbidden", "forbidden"), ["forbidden", "forbidden"], "{more}");
    }
    assert_eq!(told(json!({ "command": ["ls", "rm …"] }), "direct", "preview"), ["preview", "direct"]);
    let except = json!({ "command": "rm …", "unless": { "command": "python3 x.py" } });
    assert_eq!(told(except, "forbidden", "direct"), ["direct", "direct"], "the exception is certain");
}

#[test]
fn of_several_answers_the_strictest_counts() {
    let rules = set(&[
        rule("asks", "preview", json!({ "tools": "shell/run" })),
        rule("no-rm", "forbidden", json!({ "command": "rm …" })),
        rule("no-net", "forbidden", json!({ "command": "curl …" })),
    ]);
    let run = |argv: &[&str]| decided(&rules, "direct", "shell/run", json!({ "argv": argv }));
    assert_eq!(run(&["make"]), ("unclear", "no-rm".to_owned()), "a question that --yes answers is less");
    assert_eq!(run(&["curl", "x"]), ("forbidden", "no-net".to_owned()));
    assert_eq!(run(&["ls"]), ("preview", "asks".to_owned()));
    let arguments = json::into_object(json!({ "argv": ["make"] }));
    let places = Lexical("/w".to_owned());
    let call =
        Call { tool: "shell/run", arguments: &arguments, shape: &Reach::Below.into(), places: &places };
    let reason = rules.decide(&call, otherwise("direct")).decision.reason;
    for (name, said) in [("no-rm", true), ("no-net", true), ("asks", false)] {
        assert_eq!(reason.contains(&format!("because {name}")), said, "{name}: {reason}");
    }
}

#[test]
fn a_whole_command_is_permitted_in_its_folder_and_nothing_else() {
    let rules = set(&[
        rule("tests", "direct", json!({ "command": ["cargo test", "cargo check …"] })),
        rule("docs", "direct", json!({ "command": "make html", "cwd": ["docs", "site/**"] })),
    ]);
    let run = |argv: &[&str], cwd: Option<&str>| {
        let mut arguments = json!({ "argv": argv });
        if let Some(cwd) = cwd {
            arguments["cwd"] = cwd.into();
        }
        decided(&rules, "preview", "shell/run", arguments).0
    };
    for (argv, cwd) in [
        (&["cargo", "test"][..], None),
        (&["cargo", "test"], Some("")),
        (&["cargo", "test"], Some("./")),
        (&["cargo", "check"], None),
        (&["cargo", "check", "-p", "x"], None),
        (&["make", "html"], Some("docs")),
        (&["make", "html"], Some("docs/../docs/")),
        (&["make", "html"], Some("site/a/b")),
    ] {
        assert_eq!(run(argv, cwd), "direct", "{argv:?} {cwd:?}");
    }
    for (argv, cwd) in [
        (&["cargo", "test", "-q"][..], None),
        (&["cargo", "build"], None),
        (&["cargo", "-Z", "x", "test"], None),
        (&["cargo", "test"], Some("evil")),
        (&["cargo", "test"], Some("..")),
        (&["cargo", "check"], Some("evil")),
        (&["./cargo", "test"], None),
        (&["/tmp/cargo", "test"], None),
        (&["sudo", "cargo", "test"], None),
        (&["sh", "-c", "cargo test"], None),
        (&["cargo"], None),
        (&["make", "html"], None),
        (&["make", "html"], Some("docs/sub")),
        (&["make", "html"], Some("sites")),
    ] {
        assert_eq!(run(argv, cwd), "preview", "{argv:?} {cwd:?}");
    }
}

#[test]
fn a_restricted_command_is_restricted_in_every_folder_and_unclear_with_other_words() {
    let rules = set(&[
        rule("no-push", "forbidden", json!({ "command": ["git push …", "rm -r …"] })),
        rule("no-touch", "forbidden", json!({ "command": "touch …", "cwd": "docs" })),
    ]);
    let run = |argv: &[&str], cwd: &str| {
        decided(&rules, "direct", "shell/run", json!({ "argv": argv, "cwd": cwd })).0
    };
    for argv in [
        &["git", "push"][..],
        &["GIT", "push", "--force"],
        &["/usr/bin/git", "push"],
        &["./rm", "-r", "x"],
        &["rm", "-r", "x"],
    ] {
        assert_eq!(run(argv, ""), "forbidden", "{argv:?}");
        assert_eq!(run(argv, "a/b"), "forbidden", "{argv:?}");
    }
    for argv in [
        &["git", "-C", "x", "push"][..],
        &["git", "pull"],
        &["rm", "-fr", "x"],
        &["rm", "x"],
        &["rm"],
        &["env", "git", "push"],
        &["sh", "-c", "rm -r x"],
    ] {
        assert_eq!(run(argv, ""), "unclear", "{argv:?}");
    }
    assert_eq!(run(&["echo", "git", "push"], ""), "direct");
    assert_eq!(run(&["touch", "x"], "docs"), "forbidden");
    assert_eq!(run(&["touch", "x"], ""), "unclear", "it may lead to the same file");
}

/// Calls that are clearly something else, separated by `|`.
const CLEAR: &str = "
    true | false x | echo -n $(x) @y | pwd -P | sleep 1 | basename a/b -x | dirname --x | date
    | date -u +%s | cat -n a b | cat -- -n | cat - | head -n 5 a | head -n5 a | head -5 a
    | head -qc 5 a | tail -n +3 a | tail -n -3 a | wc -lw a | cmp -s a b 1 2 | ls | ls -la docs
    | cat /etc/hostname | mkdir -p a/b | touch -c a | rmdir a | rm -rf a | cp -f a b | mv a b
    | rm -- -rf | ls /dev/null
";

/// Their neighbours that are not.
const UNCLEAR: &str = "
    date -s now | date -fx | date -ufx | date --file=x | date 01010000 | cat --show-all a | cat a -n
    | head -n x a | head --lines=3 a | head -n | tail -f a | tail -F a | tail --pid=1 a
    | wc --files0-from=names | cmp -i 1 a b | ls -R | ls -L a | ls --hyperlink | mkdir -m 777 a
    | touch -r secrets a | touch -rsecrets a | rmdir -p a/b | rm --recursive a | cp -r a b | cp -a a b
    | cp -rL a b | cp -t b a | cp --target-directory=b a | cp -l a b | cp -s a b | mv -t b a
    | mv --backup=x a b | ln a b | ln -s a b | find . -delete | tar cf a b | grep x y | sort -o a b
    | sort --compress-program=x a | env ls | nice ls | timeout 1 ls | xargs ls | sh -c ls | bash
    | git status | python3 x | view x | vim.basic x | perl5.36-x86_64-linux-gnu -e x | ./ls | bin/ls
    | /bin/ls | LS | busybox ls | install a b | cat /proc/self/cwd/x | cat /dev/fd/3 | cat /dev/stdin
    | cp a /tmp/b | cp a ../b | mv ../a b | rm /tmp/x | touch /x | mkdir -p ../../x
";

#[test]
fn only_plain_calls_of_plain_programs_are_clear() {
    let rules = set(&[rule("no-dd", "forbidden", json!({ "command": "dd …" }))]);
    for (lines, wanted) in [(CLEAR, "direct"), (UNCLEAR, "unclear")] {
        for line in lines.split('|') {
            let argv: Vec<&str> = line.split_whitespace().collect();
            let told = decided(&rules, "direct", "shell/run", json!({ "argv": argv })).0;
            assert_eq!(told, wanted, "{line}");
        }
    }
}

#[test]
fn plain_programs_are_judged_by_the_places_they_touch() {
    let rules = set(&[rule(
        "r",
        "forbidden",
        json!({ "path": ["secrets/**", "*.pem", "docs/a.lock", "/etc/shadow"] }),
    )]);
    let run = |line: &str, cwd: &str| {
        let argv: Vec<&str> = line.split(' ').collect();
        decided(&rules, "direct", "shell/run", json!({ "argv": argv, "cwd": cwd })).0
    };
    for line in [
        "cat secrets/key",
        "cat ./secrets//key",
        "cat docs/../secrets/key",
        "cat /w/secrets/key",
        "cat SECRETS/key",
        "cat x/a.pem",
        "cat a b secrets/key",
        "head -n 1 secrets/key",
        "wc -- secrets/key",
        "cmp a secrets/key",
        "ls secrets",
        "ls -d secrets/x",
        "touch secrets/new",
        "mkdir -p secrets/a",
        "rm secrets/key",
        "rm -r secrets",
        "cp secrets/key x",
        "cp x secrets/key",
        "cp x secrets",
        "cp a.lock docs",
        "cp x docs/a.lock",
        "mv secrets x",
        "mv a.pem x",
        "mv x secrets",
        "cat /etc/shadow",
        "cat /etc/../etc//shadow",
    ] {
        assert_eq!(run(line, ""), "forbidden", "{line}");
    }
    for line in ["cat key", "ls", "echo x"] {
        assert_eq!(run(line, "secrets"), "forbidden", "{line} in the folder");
    }
    assert_eq!(run("cat ../secrets/key", "docs"), "forbidden");
    assert_eq!(run("cat secrets/key", "docs"), "direct", "another folder of that name");
    for line in
        ["rm -r .", "rm -r docs", "mv docs x", "mv x docs", "cp -r . copy", "grep -r KEY ..", "cat @names"]
    {
        let wanted = if line == "cat @names" { "direct" } else { "unclear" };
        assert_eq!(run(line, ""), wanted, "{line}");
    }
    for line in ["cat docs/a", "ls", "ls docs", "cp a docs", "touch docs/b", "echo secrets/key", "rm docs/b"]
    {
        assert_eq!(run(line, ""), "direct", "{line}");
    }
}

#[test]
fn a_folder_that_may_hold_the_place_is_unclear_only_where_it_may() {
    let rules = set(&[rule("r", "forbidden", json!({ "path": "secrets/**" }))]);
    let run = |line: &str| {
        let argv: Vec<&str> = line.split(' ').collect();
        decided(&rules, "direct", "shell/run", json!({ "argv": argv })).0
    };
    assert_eq!([run("rm -r docs"), run("mv docs x")], ["direct", "direct"]);
    assert_eq!([run("rm -r ."), run("mv . x"), run("rm -r /w")], ["unclear", "unclear", "unclear"]);
}

#[test]
fn a_declared_program_is_trusted_and_its_parameters_are_not() {
    let rules = set(&[
        rule("no-rm", "forbidden", json!({ "command": "rm …" })),
        rule("no-net", "forbidden", json!({ "host": "evil.net" })),
        rule("no-secrets", "forbidden", json!({ "path": "secrets/**" })),
        rule("runs", "direct", json!({ "command": "rm …" })),
    ]);
    let ask = |arguments: Value| {
        let arguments = json::into_object(arguments);
        let shape = Shape { reach: Reach::Below, declared: true };
        let places = Lexical("/w".to_owned());
        let call = Call { tool: "team/clean", arguments: &arguments, shape: &shape, places: &places };
        answer(&rules.decide(&call, otherwise("preview")).decision)
    };
    assert_eq!(ask(json!({})), "preview");
    assert_eq!(ask(json!({ "argv": ["rm", "x"] })), "preview", "data of the program, not a command");
    assert_eq!(ask(json!({ "path": "secrets/key" })), "forbidden");
    assert_eq!(ask(json!({ "path": "docs" })), "preview");
    assert_eq!(ask(json!({ "url": "https://evil.net/" })), "forbidden");
}

#[test]
fn a_decision_costs_little_however_long_the_call_is() {
    let rules = set(&[
        rule("no-rm", "forbidden", json!({ "command": "rm …" })),
        rule("no-secrets", "forbidden", json!({ "path": "secrets/**" })),
        rule("no-net", "forbidden", json!({ "host": "evil.net" })),
        rule("runs", "direct", json!({ "command": "cat …" })),
    ]);
    let words = |program: &str, count: usize| {
        let argv: Vec<String> =
            [program.to_owned()].into_iter().chain((1..count).map(|at| format!("x{at}"))).collect();
        json!({ "argv": argv })
    };
    for arguments in [
        words("env", 16_000),
        words("cat", 16_000),
        words("rm", 16_000),
        json!({ "argv": ["cat", "x".repeat(40_000)] }),
        json!({ "argv": ["cat", "x/".repeat(4_000)] }),
        json!({ "argv": ["cat", "x"], "cwd": "a/".repeat(4_000) }),
    ] {
        assert_eq!(decided(&rules, "direct", "shell/run", arguments).0, "unclear");
    }
    let many: Vec<String> = (0..16_000).map(|at| format!("docs/{at}")).collect();
    assert_eq!(decided(&rules, "direct", "fs/read", json!({ "path": many })).0, "forbidden");
    assert_eq!(decided(&rules, "direct", "fs/read", json!({ "path": "a/".repeat(500_000) })).0, "forbidden");
    let looks = |arguments: Value| {
        let arguments = json::into_object(arguments);
        let places = Counted::default();
        let call =
            Call { tool: "shell/run", arguments: &arguments, shape: &Reach::Below.into(), places: &places };
        rules.decide(&call, otherwise("direct"));
        places.0.into_inner()
    };
    assert_eq!(looks(words("cat", 16_000)), 0, "too long is not looked at");
    assert!((1..10_000).contains(&looks(words("cat", 500))), "{}", looks(words("cat", 500)));
    assert_eq!(decided(&rules, "preview", "shell/run", words("cat", 300)).0, "direct", "the control");
}

#[test]
fn texts_are_found_wherever_they_lie() {
    let rules = set(&[
        rule("no-prod", "forbidden", json!({ "arguments": { "to.stage": { "exact": "prod" } } })),
        rule("no-pass", "forbidden", json!({ "arguments": { "body": { "regex": "(?i)password" } } })),
        rule("no-glob", "forbidden", json!({ "arguments": { "title": { "glob": "Draft*" } } })),
    ]);
    let sent = |arguments: Value| decided(&rules, "direct", "mail/send", arguments).0;
    for arguments in [
        json!({ "to": { "stage": "prod" } }),
        json!({ "to": [{ "stage": "prod" }] }),
        json!({ "to": { "stage": ["dev", "prod"] } }),
        json!({ "body": ["my PassWord"] }),
        json!({ "title": "Draft: x" }),
    ] {
        assert_eq!(sent(arguments.clone()), "forbidden", "{arguments}");
    }
    for arguments in
        [json!({ "to": { "stage": "dev" } }), json!({ "stage": "prod" }), json!({ "title": "x Draft" })]
    {
        assert_eq!(sent(arguments.clone()), "direct", "{arguments}");
    }
}

#[test]
fn a_walk_leaves_out_what_is_forbidden_and_asks_about_what_is_not() {
    let forbids = set(&[rule("r", "forbidden", json!({ "path": "secrets/**" }))]);
    let asks = set(&[rule("r", "preview", json!({ "path": "secrets/**" }))]);
    let places = Lexical("/w".to_owned());
    let search =
        |rules: &RuleSet, path: &str| decided(rules, "direct", "fs/search", json!({ "path": path })).0;
    assert_eq!(search(&forbids, "secrets"), "forbidden");
    assert_eq!(search(&forbids, "."), "direct");
    assert!(forbids.hides("fs/search", "secrets/key", &places));
    assert!(!forbids.hides("fs/search", "src/key", &places));
    assert_eq!(search(&asks, "."), "preview");
    let with_argv = json!({ "path": ".", "argv": ["ls"] });
    assert_eq!(decided(&asks, "direct", "fs/search", with_argv).0, "preview", "it starts nothing");
    assert_eq!(search(&asks, "src"), "direct");
}

/// Counts how often the disk is asked.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Places for Counted {
    fn root(&self) -> &'static str {
        "/w"
    }

    fn real(&self, _place: &str) -> Option<String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn program(&self, _name: &str) -> Result<(), String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// A link from `notes` to `secrets`.
struct Linked;

impl Places for Linked {
    fn root(&self) -> &str {
        "/w"
    }

    fn real(&self, place: &str) -> Option<String> {
        place.strip_prefix("/w/notes").map(|rest| format!("/w/secrets{rest}"))
    }

    fn program(&self, _name: &str) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn a_link_is_where_it_leads() {
    let forbids = set(&[rule("r", "forbidden", json!({ "path": "secrets/**" }))]);
    let permits = set(&[rule("r", "direct", json!({ "path": "notes/**" }))]);
    let decided = |rules: &RuleSet, arguments: Value, places: &dyn Places| {
        let arguments = json::into_object(arguments);
        let reach = if arguments.contains_key("argv") { Reach::Below } else { Reach::Place };
        let call = Call { tool: "t/x", arguments: &arguments, shape: &reach.into(), places };
        rules.decide(&call, otherwise("preview")).decision.verdict.word()
    };
    let plain = Lexical("/w".to_owned());
    assert_eq!(decided(&forbids, json!({ "path": "notes/a" }), &Linked), "forbidden");
    assert_eq!(decided(&forbids, json!({ "path": "notes/a" }), &plain), "preview");
    assert_eq!(decided(&permits, json!({ "path": "notes/a" }), &Linked), "preview", "it leads elsewhere");
    assert_eq!(decided(&permits, json!({ "path": "notes/a" }), &plain), "direct");
    assert_eq!(decided(&forbids, json!({ "argv": ["cat", "notes/a"] }), &Linked), "forbidden");
    assert_eq!(decided(&forbids, json!({ "argv": ["cp", "x", "notes"] }), &Linked), "forbidden");
    assert_eq!(decided(&forbids, json!({ "argv": ["cat", "x"], "cwd": "notes" }), &Linked), "forbidden");
    let runs = set(&[rule("r", "direct", json!({ "command": "make", "cwd": "notes" }))]);
    assert_eq!(decided(&runs, json!({ "argv": ["make"], "cwd": "notes" }), &Linked), "preview");
    assert_eq!(decided(&runs, json!({ "argv": ["make"], "cwd": "notes" }), &plain), "direct");
}

#[test]
fn examples_are_held_against_their_rule() {
    let mut raw = rule("no-keys", "forbidden", json!({ "path": "*.key" }));
    raw["matches"] = json!([{ "tool": "fs/read", "arguments": { "path": "a.key" } }, { "tool": "fs/read", "arguments": { "path": "a.pem" } }]);
    raw["passes"] = json!([{ "tool": "fs/read", "arguments": { "path": "A.KEY" } }]);
    let rules = set(&[raw]);
    let checked = rules.rules()[0].check(&Lexical("/w".to_owned()), &|_| Reach::Place.into());
    let told: Vec<(bool, String)> = checked.iter().map(|one| (one.holds(), one.told())).collect();
    assert!(told[0].0);
    assert_eq!(
        told[1],
        (
            false,
            r#"rule `no-keys`: matches[1] (fs/read {"path":"a.pem"}) should match, and does not match"#
                .to_owned()
        )
    );
    assert_eq!(
        told[2],
        (false, r#"rule `no-keys`: passes[0] (fs/read {"path":"A.KEY"}) should not match, and matches: forbidden"#.to_owned())
    );
}

#[test]
fn an_example_is_matched_unclear_or_left_alone() {
    let mut raw = rule("no-rm", "forbidden", json!({ "command": "rm …" }));
    let run = |argv: &[&str]| json!({ "tool": "shell/run", "arguments": { "argv": argv } });
    let all = [run(&["rm", "x"]), run(&["sh", "-c", "rm x"]), run(&["ls"])];
    for list in ["matches", "unclear", "passes"] {
        raw[list] = json!(all);
    }
    let rules = set(&[raw]);
    let checked = rules.rules()[0].check(&Lexical("/w".to_owned()), &|_| Reach::Below.into());
    let holds: Vec<bool> = checked.iter().map(|one| one.holds()).collect();
    assert_eq!(holds, [true, false, false, false, true, false, false, false, true]);
    assert!(checked[1].told().ends_with(
        "should match, and is unclear, so it asks a person: `sh` is not one of the plain programs"
    ));
}

#[test]
fn a_rule_that_cannot_be_followed_is_refused() {
    let refused = |raw: Value| {
        let spec: RuleSpec = serde_json::from_value(raw).unwrap();
        RuleSet::read([&spec]).unwrap_err().1.to_string()
    };
    let mut nameless = rule("a b", "direct", json!({}));
    assert!(refused(nameless.clone()).starts_with("a rule needs a name"));
    nameless["name"] = "ok".into();
    nameless["matches"] = json!([]);
    assert!(refused(nameless).starts_with("it needs an example"));
    assert!(refused(rule("r", "direct", json!({ "cwd": "docs" }))).starts_with("`cwd` says where"));
    for cwd in ["/etc", "..", "a/../b", "a*", "", "**/a"] {
        let raw = rule("r", "direct", json!({ "command": "make", "cwd": cwd }));
        assert!(refused(raw).starts_with("the cwd "), "{cwd}");
    }
    for command in ["", "…", "git … push"] {
        assert!(
            refused(rule("r", "direct", json!({ "command": command }))).starts_with("the command "),
            "{command}"
        );
    }
    let own = json!({ "command": "./build.sh …" });
    assert!(refused(rule("r", "direct", own.clone())).contains("[[tools.commands]]"));
    assert!(refused(rule("r", "forbidden", json!({ "unless": own.clone() }))).contains("[[tools.commands]]"));
    let spec: RuleSpec = serde_json::from_value(rule("r", "forbidden", own)).unwrap();
    assert!(RuleSet::read([&spec]).is_ok(), "it may be forbidden");
    assert!(refused(rule("r", "forbidden", json!({ "path": "../x" }))).starts_with("the path \"../x\""));
    assert!(
        refused(rule("r", "forbidden", json!({ "arguments": { "a": { "regex": "(" } } })))
            .contains("expression")
    );
    let twice: Vec<RuleSpec> =
        ["r", "r"].map(|name| serde_json::from_value(rule(name, "direct", json!({}))).unwrap()).into();
    assert_eq!(RuleSet::read(&twice).unwrap_err().0, 1);
}
