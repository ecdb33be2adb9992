//! Rules about arguments: what decides, what a rule covers, and what its examples prove.

use provost_contract::json::{self, Object};
use provost_policy::action_policy::{Consulted, Question, resolve};
use provost_policy::rules::{AgentWords, Call, Lexical, Places, Reach, RuleSet, RuleSpec};
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
    (decision.verdict.word(), decision.rule.into_owned())
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
fn what_is_unclear_is_forbidden_asked_about_or_not_permitted() {
    let unread = json!({ "argv": ["python3", "x.py"] });
    let plain = json!({ "argv": ["ls"] });
    let told = |more: Value, decision: &str| {
        let rules = set(&[rule("r", decision, more)]);
        [&unread, &plain].map(|arguments| decided(&rules, "preview", "shell/run", arguments.clone()).0)
    };
    assert_eq!(told(json!({ "command": "rm" }), "forbidden"), ["forbidden", "preview"]);
    assert_eq!(told(json!({ "command": "rm", "unclear": "preview" }), "forbidden"), ["preview", "preview"]);
    assert_eq!(told(json!({ "command": ["ls", "rm"] }), "direct"), ["preview", "direct"]);
    let except = json!({ "command": "rm", "unless": { "command": "python3 x.py" } });
    assert_eq!(told(except, "forbidden"), ["preview", "preview"], "the exception is certain");
}

#[test]
fn only_the_very_command_is_permitted() {
    let rules = set(&[rule("tests", "direct", json!({ "command": "cargo test" }))]);
    let run = |argv: &[&str]| decided(&rules, "preview", "shell/run", json!({ "argv": argv })).0;
    assert_eq!(run(&["cargo", "test", "-q"]), "direct");
    for argv in [
        &["cargo", "build"][..],
        &["cargo", "-Z", "x", "test"],
        &["./cargo", "test"],
        &["sudo", "cargo", "test"],
        &["sh", "-c", "cargo test"],
        &["cargo"],
    ] {
        assert_eq!(run(argv), "preview", "{argv:?}");
    }
}

#[test]
fn a_restricted_command_is_known_among_other_words() {
    let rules = set(&[rule("no-push", "forbidden", json!({ "command": ["git push", "rm -r"] }))]);
    let run = |argv: &[&str]| decided(&rules, "direct", "shell/run", json!({ "argv": argv })).0;
    for argv in [
        &["git", "-C", "x", "push"][..],
        &["GIT", "push", "--force"],
        &["/usr/bin/git", "push"],
        &["rm", "-fr", "x"],
    ] {
        assert_eq!(run(argv), "forbidden", "{argv:?}");
    }
    for argv in [&["git", "pull"][..], &["rm", "-f", "x"], &["echo", "git", "push"]] {
        assert_eq!(run(argv), "direct", "{argv:?}");
    }
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
    assert_eq!(search(&asks, "src"), "direct");
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
}

#[test]
fn a_link_is_where_it_leads() {
    let forbids = set(&[rule("r", "forbidden", json!({ "path": "secrets/**" }))]);
    let permits = set(&[rule("r", "direct", json!({ "path": "notes/**" }))]);
    let decided = |rules: &RuleSet, arguments: Value, places: &dyn Places| {
        let arguments = json::into_object(arguments);
        let call = Call { tool: "fs/read", arguments: &arguments, shape: &Reach::Place.into(), places };
        rules.decide(&call, otherwise("preview")).decision.verdict.word()
    };
    let plain = Lexical("/w".to_owned());
    assert_eq!(decided(&forbids, json!({ "path": "notes/a" }), &Linked), "forbidden");
    assert_eq!(decided(&forbids, json!({ "path": "notes/a" }), &plain), "preview");
    assert_eq!(decided(&permits, json!({ "path": "notes/a" }), &Linked), "preview", "it leads elsewhere");
    assert_eq!(decided(&permits, json!({ "path": "notes/a" }), &plain), "direct");
    assert_eq!(decided(&forbids, json!({ "argv": ["cat", "notes/a"] }), &Linked), "forbidden");
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
    assert!(
        refused(rule("r", "direct", json!({ "unclear": "preview" }))).starts_with("`unclear` is for rules")
    );
    assert!(refused(rule("r", "forbidden", json!({ "path": "../x" }))).starts_with("the path \"../x\""));
    assert!(
        refused(rule("r", "forbidden", json!({ "arguments": { "a": { "regex": "(" } } })))
            .contains("expression")
    );
    let twice: Vec<RuleSpec> =
        ["r", "r"].map(|name| serde_json::from_value(rule(name, "direct", json!({}))).unwrap()).into();
    assert_eq!(RuleSet::read(&twice).unwrap_err().0, 1);
}
